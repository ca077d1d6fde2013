// Package dialogs answers the JavaScript dialogs of a session's pages.
package dialogs

import (
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
// are dismissed.
type Dialogs struct {
	state   *daemon.StateStore
	notices *daemon.Notices

	mu   sync.Mutex // guards the fields below; never held during I/O
	open map[playwright.Dialog]*openDialog
	next *Reaction // overrides the policy for the next dialog; may be nil
}

type openDialog struct {
	verbs.Dialog
	over chan struct{} // closed when the dialog was answered
}

// Reaction is how a dialog is answered.
type Reaction struct {
	Accept bool
	Text   string // the input of a prompt that is accepted
	raised bool   // no policy made the decision, so the reply warns of the dialog
}

// New returns the dialogs of a session. It reads the session's policy from k, and adds each dialog
// to the notices n.
func New(k *daemon.StateStore, n *daemon.Notices) *Dialogs {
	return &Dialogs{state: k, notices: n, open: map[playwright.Dialog]*openDialog{}}
}

// Answer answers a dialog that has opened. It first adds the dialog to the notices for the reply,
// because the command that caused the dialog may end as soon as the dialog is answered.
func (d *Dialogs) Answer(dialog playwright.Dialog) {
	seen := verbs.Dialog{Type: dialog.Type(), Message: dialog.Message(), DefaultPrompt: dialog.DefaultValue(), Handled: "dismissed"}
	do := d.decide(seen.Type)
	if do.Accept {
		seen.Handled = "accepted"
	}
	seen.Unhandled = do.raised
	shown := &openDialog{seen, make(chan struct{})}
	defer close(shown.over)
	d.mu.Lock()
	d.open[dialog] = shown
	d.mu.Unlock()
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

// Expect sets the reaction to the next dialog, which overrides the policy.
func (d *Dialogs) Expect(next Reaction) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.next = &next
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
