package web

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// pickerAnswer is what a file picker answers instead of a person.
type pickerAnswer struct {
	api   string
	files []pickedFile
	path  string // of the file to write
}

// pickedFile is a file that a page is given.
type pickedFile struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Data []byte `json:"data"`
}

const maxQueued = 100

// pickFiles answers a file picker with what is queued for it. Without that there is
// nothing to pick: a policy that allows it says so, too.
func (a *prompts) pickFiles(origin string, q promptRequest) decision {
	p := a.state.Get().Policies
	mode, ok := p.PerPicker[q.API]
	if !ok {
		mode = p.FilePicker
	}
	r := wire.Record{Kind: q.Kind, Name: shorten(q.API), Message: shorten(q.Title), Origin: origin, Handled: daemon.HandledDenied}
	if !slices.Contains(verbs.PickerNames(), q.API) {
		return decision{Do: doDeny}
	}
	if mode == verbs.PolicyDeny {
		a.notices.Add(r)
		return decision{Do: doDeny}
	}
	answer, ok := a.dequeue(q.API)
	if !ok {
		r.Unhandled = true
		a.notices.Add(r)
		return decision{Do: doDeny}
	}
	r.Handled = daemon.HandledAllowed
	a.notices.Add(r)
	v := decision{Do: doAllow, Files: answer.files}
	if v.Files == nil {
		v.Files = []pickedFile{}
	}
	if answer.path != "" {
		v.Name = filepath.Base(answer.path)
		v.File = a.allowSave(answer.path)
	}
	return v
}

func (a *prompts) enqueue(answer pickerAnswer) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.queue) >= maxQueued {
		return wire.Errorf(wire.CodeBadInput, "%d answers of file pickers wait already", maxQueued).WithHint("abrowser policy status")
	}
	a.queue = append(a.queue, answer)
	return nil
}

func (a *prompts) dequeue(api string) (pickerAnswer, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	at := slices.IndexFunc(a.queue, func(one pickerAnswer) bool { return one.api == api })
	if at < 0 {
		return pickerAnswer{}, false
	}
	answer := a.queue[at]
	a.queue = slices.Delete(a.queue, at, at+1)
	return answer, true
}

func (a *prompts) queued() []verbs.QueuedAnswer {
	a.mu.Lock()
	defer a.mu.Unlock()
	var all []verbs.QueuedAnswer
	for _, one := range a.queue {
		files := len(one.files)
		if one.path != "" {
			files = 1
		}
		all = append(all, verbs.QueuedAnswer{API: one.api, Files: files})
	}
	return all
}

// allowSave gives a file that a page may write an id: the page never names a path.
func (a *prompts) allowSave(path string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	id := fmt.Sprintf("f%d", len(a.saves)+1)
	a.saves[id] = path
	return id
}

// save writes what a page saves, piece by piece.
func (a *prompts) save(q promptRequest) decision {
	a.mu.Lock()
	path := a.saves[q.File]
	a.mu.Unlock()
	if path == "" {
		return decision{Do: doDeny}
	}
	how := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	if q.More {
		how = os.O_WRONLY | os.O_APPEND
	}
	f, err := os.OpenFile(path, how, 0o600)
	if err != nil {
		return decision{Do: doDeny}
	}
	_, err = f.Write(q.Data)
	if closed := f.Close(); err != nil || closed != nil {
		return decision{Do: doDeny}
	}
	return decision{Do: doAllow}
}
