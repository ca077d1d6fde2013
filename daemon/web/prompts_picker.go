package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// pickerAnswer is what a file picker answers instead of a person.
type pickerAnswer struct {
	api   string
	files []picked
	path  string // of the file to write
}

// picked is a file that a page is given.
type picked struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Data []byte `json:"data"`
}

const mostQueued = 100

// picker answers a file picker with what is queued for it. Without that there is
// nothing to pick: a policy that allows it says so, too.
func (a *asks) picker(origin string, q asked) verdict {
	p := a.kept.get().Policies
	mode, ok := p.PerPicker[q.API]
	if !ok {
		mode = p.FilePicker
	}
	r := wire.Record{Kind: q.Kind, Name: brief(q.API), Message: brief(q.Title), Origin: origin, Handled: handledDenied}
	if !slices.Contains(verbs.PickerNames(), q.API) {
		return verdict{Do: doDeny}
	}
	if mode == verbs.PolicyDeny {
		a.news.add(r)
		return verdict{Do: doDeny}
	}
	answer, ok := a.dequeue(q.API)
	if !ok {
		r.Raised = true
		a.news.add(r)
		return verdict{Do: doDeny}
	}
	r.Handled = handledAllowed
	a.news.add(r)
	v := verdict{Do: doAllow, Files: answer.files}
	if v.Files == nil {
		v.Files = []picked{}
	}
	if answer.path != "" {
		v.Name = filepath.Base(answer.path)
		v.File = a.remember(answer.path)
	}
	return v
}

func (a *asks) enqueue(answer pickerAnswer) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.queue) >= mostQueued {
		return wire.Errorf(wire.CodeBadInput, "%d answers of file pickers wait already", mostQueued).WithHint("abrowser policy status")
	}
	a.queue = append(a.queue, answer)
	return nil
}

func (a *asks) dequeue(api string) (pickerAnswer, bool) {
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

func (a *asks) queued() []verbs.QueuedAnswer {
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

// remember gives a file that a page may write an id: the page never names a path.
func (a *asks) remember(path string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	id := fmt.Sprintf("f%d", len(a.saves)+1)
	a.saves[id] = path
	return id
}

// save writes what a page saves, piece by piece.
func (a *asks) save(q asked) verdict {
	a.mu.Lock()
	path := a.saves[q.File]
	a.mu.Unlock()
	if path == "" {
		return verdict{Do: doDeny}
	}
	how := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	if q.More {
		how = os.O_WRONLY | os.O_APPEND
	}
	f, err := os.OpenFile(path, how, 0o600)
	if err != nil {
		return verdict{Do: doDeny}
	}
	_, err = f.Write(q.Data)
	if closed := f.Close(); err != nil || closed != nil {
		return verdict{Do: doDeny}
	}
	return verdict{Do: doAllow}
}
