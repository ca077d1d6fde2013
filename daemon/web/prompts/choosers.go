package prompts

import (
	"context"
	"fmt"
	"time"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Chooser is a file chooser that a page has opened. All fields are required.
type Chooser struct {
	Several bool               // it takes several files
	Origin  string             // of the page
	IsOpen  func() bool        // reports whether the page still shows the document that opened it
	Choose  func([]File) error // gives the files to the page
}

// openChooser is the newest file chooser of a page.
type openChooser struct {
	Chooser
	id    string
	until time.Time
}

// Open offers a page's file chooser for an answer. It replaces an earlier one of the page. The
// parameter page identifies the page.
func (p *Prompts) Open(page any, c Chooser) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last++
	p.choosers[page] = &openChooser{c, fmt.Sprintf("q%d", p.last), time.Now().Add(personTime)}
	p.opened++
	close(p.changed)
	p.changed = make(chan struct{})
	for other, one := range p.choosers {
		if !one.isOpen() {
			delete(p.choosers, other)
		}
	}
}

// Opened returns how many file choosers have opened.
func (p *Prompts) Opened() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.opened
}

// AwaitOpened waits until more than the given number of file choosers have opened, or ctx ends.
func (p *Prompts) AwaitOpened(ctx context.Context, more int) {
	for {
		p.mu.Lock()
		opened, changed := p.opened, p.changed
		p.mu.Unlock()
		if opened > more {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// Withdraw forgets a page's file chooser, because its files were chosen in another way.
func (p *Prompts) Withdraw(page any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.choosers, page)
}

func (c *openChooser) isOpen() bool { return time.Now().Before(c.until) && c.IsOpen() }

func (c *openChooser) question() verbs.PendingQuestion {
	q := verbs.PendingQuestion{ID: c.id, Kind: wire.KindFileChooser, Name: "one file", Message: "wanted by the page", Origin: c.Origin}
	if c.Several {
		q.Name = "files"
	}
	return q
}

// takeChooser returns the file chooser with the given id, and forgets it. It returns nil if there is
// none, and an error if the chooser does not take that many files. The chooser then stays.
func (p *Prompts) takeChooser(id string, allow bool, files int) (*openChooser, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for page, c := range p.choosers {
		switch {
		case c.id != id || !c.isOpen():
			continue
		case allow && files == 0:
			return nil, wire.Errorf(wire.CodeBadInput, "the file chooser %s takes files", id).WithHint("abrowser policy answer %s allow report.pdf", id)
		case files > 1 && !c.Several:
			return nil, wire.Errorf(wire.CodeBadInput, "the file chooser %s takes one file", id).WithHint("abrowser policy answer %s allow report.pdf", id)
		}
		delete(p.choosers, page)
		return c, nil
	}
	return nil, nil
}

// answer gives files to the page that has opened a file chooser.
func (c *openChooser) answer(allow bool, files []File) error {
	if !allow {
		return nil
	}
	if err := c.Choose(files); err != nil {
		return wire.Errorf(wire.CodeNotFound, "the page's file field is gone: %v", err).WithHint("abrowser snapshot")
	}
	return nil
}

// readFiles reads the files at the given absolute paths, which together have at most maxPicked bytes.
func readFiles(picked []verbs.PickedFile) ([]File, error) {
	var all []File
	size := 0
	for _, f := range picked {
		one, err := readPicked(f)
		if err != nil {
			return nil, err
		}
		if size += len(one.Data); size > maxPicked {
			return nil, wire.Errorf(wire.CodeTooLarge, "the files are larger than %d bytes together", maxPicked).WithHint("pick fewer, or smaller ones")
		}
		all = append(all, one)
	}
	return all, nil
}
