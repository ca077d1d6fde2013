package prompts

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// question is a page's request that a person decides.
type question struct {
	record  wire.Record
	request Request
	answer  chan struct{} // closed when allow is set
	allow   bool
	until   time.Time
}

// askPerson adds a question for a person. It returns a decision that makes the page wait for the
// answer. If maxPending questions are already pending, it adds none and denies the request.
func (p *Prompts) askPerson(r wire.Record, q Request) Decision {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, one := range p.pending {
		if time.Now().After(one.until) {
			delete(p.pending, id)
		}
	}
	if len(p.pending) >= maxPending {
		return Denied()
	}
	p.last++
	id := fmt.Sprintf("q%d", p.last)
	r.Handled = daemon.HandledAsked
	r.Hint = "abrowser policy answer " + id + " allow (or deny)"
	p.pending[id] = &question{record: r, request: q, answer: make(chan struct{}), until: time.Now().Add(personTime)}
	p.notices.Add(r)
	return Decision{Wait: id}
}

// awaitPerson waits for a person's answer to the question with the given id, and returns the
// decision. If there is no answer after waitSlice, the decision makes the page wait again, and the
// page sends another request of the kind "wait". If the channel gone is closed, the connection is
// lost and the request is denied. It is also denied if the question has expired.
func (p *Prompts) awaitPerson(gone <-chan struct{}, id string) Decision {
	p.mu.Lock()
	one := p.pending[id]
	p.mu.Unlock()
	if one == nil || time.Now().After(one.until) {
		return Denied()
	}
	select {
	case <-one.answer:
	case <-time.After(waitSlice):
		return Decision{Wait: id}
	case <-gone:
		return Denied()
	}
	p.mu.Lock()
	delete(p.pending, id)
	p.mu.Unlock()
	if !one.allow {
		return Denied()
	}
	return p.grant(one.request)
}

// Answer records a person's answer to a question, or gives the files at the given paths to a file
// chooser.
func (p *Prompts) Answer(id string, allow bool, paths []string) error {
	var picked []verbs.PickedFile
	for _, path := range paths {
		picked = append(picked, verbs.PickedFile{Path: path})
	}
	files, err := readFiles(picked)
	if err != nil {
		return err
	}
	chooser, err := p.takeChooser(id, allow, len(files))
	if err != nil {
		return err
	}
	if chooser != nil {
		return chooser.answer(allow, files)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	one := p.pending[id]
	if one != nil && len(files) > 0 {
		return wire.Errorf(wire.CodeBadInput, "%s asks for a permission, and takes no files", id).WithHint("abrowser policy answer %s allow", id)
	}
	if one == nil || time.Now().After(one.until) {
		return wire.Errorf(wire.CodeNotFound, "no question %s waits for a person", id).WithHint("abrowser policy status")
	}
	select {
	case <-one.answer:
		return wire.Errorf(wire.CodeNotFound, "the question %s has been answered", id).WithHint("abrowser policy status")
	default:
	}
	one.allow = allow
	close(one.answer)
	return nil
}

// Pending lists the questions for a person, the oldest first. If waiting is true, it lists only those
// for which a page waits.
func (p *Prompts) Pending(waiting bool) []verbs.PendingQuestion {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []verbs.PendingQuestion
	for _, c := range p.choosers {
		if !waiting && c.isOpen() {
			all = append(all, c.question())
		}
	}
	for id, one := range p.pending {
		select {
		case <-one.answer:
			continue
		default:
		}
		if r := one.record; time.Now().Before(one.until) {
			all = append(all, verbs.PendingQuestion{ID: id, Kind: r.Kind, Name: r.Name, Message: r.Message, Origin: r.Origin})
		}
	}
	slices.SortFunc(all, func(x, y verbs.PendingQuestion) int {
		return cmp.Or(cmp.Compare(len(x.ID), len(y.ID)), strings.Compare(x.ID, y.ID))
	})
	return all
}
