// Package dialogs answers the JavaScript dialogs of a session's pages.
package dialogs

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/sockets/verbs"
)

// Dialogs answers JavaScript dialogs by the session's policy, so that no page hangs. Without a
// policy, alert and beforeunload are accepted, which lets the page go on, and confirm and prompt
// are dismissed. While a person uses the session's pages, dialogs wait for the person's answer.
type Dialogs struct {
	state   *daemon.StateStore
	notices *daemon.Notices
	person  Person

	mu   sync.Mutex // guards the fields below; never held during I/O
	open map[playwright.Dialog]*openDialog
	next *Reaction // overrides the policy for the next dialog; may be nil
}

type openDialog struct {
	verbs.Dialog
	over   chan struct{} // closed when the dialog was answered
	answer chan Reaction // gets a person's answer; nil if no person answers
}

// Person says whether a person uses the session's pages, as [daemon.Session] does.
type Person interface {
	IsTakenOver() bool
	AwaitHandBack(ctx context.Context)
}

// Reaction is how a dialog is answered.
type Reaction struct {
	Accept bool
	Text   string // the input of a prompt that is accepted
	raised bool   // no policy made the decision, so the reply warns of the dialog
	given  bool   // a command made the decision
}

// New returns the dialogs of a session. It reads the session's policy from k, and adds each dialog
// to the notices n.
func New(k *daemon.StateStore, n *daemon.Notices, person Person) *Dialogs {
	return &Dialogs{state: k, notices: n, person: person, open: map[playwright.Dialog]*openDialog{}}
}

// Answer answers a dialog that has opened. It first adds the dialog to the notices for the reply,
// because the command that caused the dialog may end as soon as the dialog is answered. If a person
// uses the session's pages, Answer waits for the person's answer, until the pages are handed back or
// the channel lost is closed.
func (d *Dialogs) Answer(lost <-chan struct{}, dialog playwright.Dialog) {
	seen := verbs.Dialog{Type: dialog.Type(), Message: dialog.Message(), DefaultPrompt: dialog.DefaultValue(), Handled: "dismissed"}
	do := d.decide(seen.Type)
	shown := &openDialog{Dialog: seen, over: make(chan struct{})}
	if !do.given && d.person.IsTakenOver() {
		shown.answer = make(chan Reaction, 1)
	}
	defer close(shown.over)
	d.mu.Lock()
	d.open[dialog] = shown
	d.mu.Unlock()
	if shown.answer != nil {
		do = d.askPerson(lost, dialog.Page(), shown.answer, do)
	}
	if do.Accept {
		seen.Handled = "accepted"
	}
	seen.Unhandled = do.raised
	d.notices.AddDialog(seen)
	// An error means that the dialog is gone: its page was closed, or a person has answered it.
	switch {
	case !do.Accept:
		_ = dialog.Dismiss()
	case seen.Type == "prompt":
		_ = dialog.Accept(do.Text)
	default:
		_ = dialog.Accept()
	}
	d.mu.Lock()
	delete(d.open, dialog)
	d.mu.Unlock()
}

// askPerson waits for a person's answer. It returns the reaction instead if the pages are handed back
// without an answer, or the connection is lost or the page is closed.
func (d *Dialogs) askPerson(lost <-chan struct{}, page playwright.Page, answer <-chan Reaction, instead Reaction) Reaction {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if page != nil {
		page.OnClose(func(playwright.Page) { cancel() })
	}
	back := make(chan struct{})
	go func() { // ends with ctx
		defer close(back)
		d.person.AwaitHandBack(ctx)
	}()
	select {
	case instead = <-answer:
	case <-back:
	case <-lost:
	}
	return instead
}

func (d *Dialogs) decide(kind string) Reaction {
	d.mu.Lock()
	next := d.next
	d.next = nil
	d.mu.Unlock()
	if next != nil {
		return *next
	}
	switch p := d.state.Get().Policies; p.Dialog {
	case verbs.PolicyAccept:
		return Reaction{Accept: true}
	case verbs.PolicyPromptWith:
		return Reaction{Accept: true, Text: p.PromptText}
	case verbs.PolicyDismiss:
		return Reaction{}
	}
	return Reaction{Accept: kind == "alert" || kind == "beforeunload", raised: true}
}

// React answers the dialog that waits for a person, and reports whether there is one. If there is
// none, React sets the reaction to the next dialog, which overrides the policy.
func (d *Dialogs) React(do Reaction) (answered bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	do.given = true
	for _, shown := range d.open {
		select {
		case shown.answer <- do: // never without a person: the channel is nil then
			return true
		default: // it has an answer already
		}
	}
	d.next = &do
	return false
}

// Current returns a dialog that is open, if there is one.
func (d *Dialogs) Current() (verbs.Dialog, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, shown := range d.open {
		return shown.Dialog, true
	}
	return verbs.Dialog{}, false
}

// AwaitAnswered waits up to limit until the dialogs that are open now have been answered.
func (d *Dialogs) AwaitAnswered(limit time.Duration) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	d.mu.Lock()
	all := slices.Collect(maps.Values(d.open))
	d.mu.Unlock()
	for _, shown := range all {
		select {
		case <-shown.over:
		case <-timer.C:
			return
		}
	}
}
