package prompts

import (
	"cmp"
	"fmt"
	"mime"
	"os"
	"path/filepath"
	"slices"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// pickerAnswer is a queued response to a file picker.
type pickerAnswer struct {
	api   string
	files []File
	path  string // the path of the file that the page may write
}

// File is a file that a page gets as if a person had chosen it in a file picker.
type File struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Data []byte `json:"data"`
}

const maxQueued = 100

// pickFiles decides about a page's request for a file picker. If a response is queued for this
// kind of picker, the page gets it, unless the policy is to deny. If no response is queued, the
// request is denied even if the policy allows it, because there is no file to choose.
func (p *Prompts) pickFiles(origin string, q Request) Decision {
	set := p.state.Get().Policies
	mode, ok := set.PerPicker[q.API]
	if !ok {
		mode = set.FilePicker
	}
	r := wire.Record{Kind: q.Kind, Name: shorten(q.API), Message: shorten(q.Title), Origin: origin, Handled: daemon.HandledDenied}
	if !slices.Contains(verbs.PickerNames(), q.API) {
		return Denied()
	}
	if mode == verbs.PolicyDeny {
		p.notices.Add(r)
		return Denied()
	}
	answer, ok := p.dequeue(q.API)
	if !ok {
		r.Unhandled = true
		p.notices.Add(r)
		return Denied()
	}
	r.Handled = daemon.HandledAllowed
	p.notices.Add(r)
	v := Decision{Do: doAllow, Files: answer.files}
	if v.Files == nil {
		v.Files = []File{}
	}
	if answer.path != "" {
		v.Name = filepath.Base(answer.path)
		v.File = p.allowSave(answer.path)
	}
	return v
}

func (p *Prompts) enqueue(answer pickerAnswer) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.queue) >= maxQueued {
		return wire.Errorf(wire.CodeBadInput, "%d answers of file pickers wait already", maxQueued).WithHint("abrowser policy status")
	}
	p.queue = append(p.queue, answer)
	return nil
}

func (p *Prompts) dequeue(api string) (pickerAnswer, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := slices.IndexFunc(p.queue, func(one pickerAnswer) bool { return one.api == api })
	if at < 0 {
		return pickerAnswer{}, false
	}
	answer := p.queue[at]
	p.queue = slices.Delete(p.queue, at, at+1)
	return answer, true
}

// Queued lists the queued responses to file pickers.
func (p *Prompts) Queued() []verbs.QueuedAnswer {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []verbs.QueuedAnswer
	for _, one := range p.queue {
		files := len(one.files)
		if one.path != "" {
			files = 1
		}
		all = append(all, verbs.QueuedAnswer{API: one.api, Files: files})
	}
	return all
}

// allowSave returns an id for a file that a page may write. The page names the file by the id, and
// never by a path.
func (p *Prompts) allowSave(path string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	id := fmt.Sprintf("f%d", len(p.saves)+1)
	p.saves[id] = path
	return id
}

// save writes q.Data to the file that q.File names. If q.More is true, save appends the data, and
// otherwise it replaces the content of the file. It denies the request if q.File names no file
// that a page may write, or if the file cannot be written.
func (p *Prompts) save(q Request) Decision {
	p.mu.Lock()
	path := p.saves[q.File]
	p.mu.Unlock()
	if path == "" {
		return Denied()
	}
	how := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	if q.More {
		how = os.O_WRONLY | os.O_APPEND
	}
	f, err := os.OpenFile(path, how, 0o600)
	if err != nil {
		return Denied()
	}
	_, err = f.Write(q.Data)
	if closed := f.Close(); err != nil || closed != nil {
		return Denied()
	}
	return Decision{Do: doAllow}
}

const maxPicked = 32 << 20 // bytes, for all files that a page gets from one file picker

// Respond queues a response, which answers a later request of a page for a file picker of the
// kind in.API. The response contains the files that the page will be given, or the path of the
// file that the page may write.
func (p *Prompts) Respond(in verbs.PickerRespondIn) (verbs.PickerRespondOut, error) {
	none := verbs.PickerRespondOut{}
	for _, path := range in.Paths {
		in.Files = append(in.Files, verbs.PickedFile{Path: path})
	}
	answer := pickerAnswer{api: in.API}
	if in.API == "showSaveFilePicker" {
		if len(in.Files) != 1 || !filepath.IsAbs(in.Files[0].Path) {
			return none, wire.Errorf(wire.CodeBadInput, "a file picker that saves takes one file, by its absolute path").
				WithHint("abrowser policy respond showSaveFilePicker ./report.txt")
		}
		answer.path = in.Files[0].Path
		if info, err := os.Stat(filepath.Dir(answer.path)); err != nil || !info.IsDir() {
			return none, wire.Errorf(wire.CodeBadInput, "directory not found: %s", filepath.Dir(answer.path)).WithHint("mkdir -p %s", wire.ShellWord(filepath.Dir(answer.path)))
		}
	} else {
		files, err := readFiles(in.Files)
		if err != nil {
			return none, err
		}
		answer.files = files
	}
	if err := p.enqueue(answer); err != nil {
		return none, err
	}
	return verbs.PickerRespondOut{Queued: verbs.QueuedAnswer{API: in.API, Files: len(in.Files)}}, nil
}

// readPicked reads a file that a page will be given.
func readPicked(f verbs.PickedFile) (File, error) {
	one := File{Name: cmp.Or(f.Name, filepath.Base(f.Path)), Type: cmp.Or(f.MIMEType, mime.TypeByExtension(filepath.Ext(cmp.Or(f.Name, f.Path))))}
	switch {
	case f.Path != "" && f.Contents != nil, f.Path == "" && f.Contents == nil:
		return one, wire.Errorf(wire.CodeBadInput, "a file is given by path or by contents").WithHint("abrowser policy respond showOpenFilePicker ./report.txt")
	case f.Contents != nil:
		one.Name, one.Data = cmp.Or(f.Name, "file.txt"), []byte(*f.Contents)
		return one, nil
	case !filepath.IsAbs(f.Path):
		return one, wire.Errorf(wire.CodeBadInput, "%s is not an absolute path", f.Path).WithHint("give the whole path")
	}
	info, err := os.Stat(f.Path)
	if err == nil && !info.Mode().IsRegular() {
		return one, wire.Errorf(wire.CodeBadInput, "%s is not a file", f.Path).WithHint("ls -l %s", wire.ShellWord(f.Path))
	}
	if err == nil && info.Size() > maxPicked {
		return one, wire.Errorf(wire.CodeTooLarge, "%s is larger than %d bytes", f.Path, maxPicked).WithHint("pick a smaller one")
	}
	if err == nil {
		one.Data, err = os.ReadFile(f.Path)
	}
	if err != nil {
		return one, wire.Errorf(wire.CodeBadInput, "the file cannot be read: %v", err).WithHint("ls -l %s", wire.ShellWord(f.Path))
	}
	return one, nil
}
