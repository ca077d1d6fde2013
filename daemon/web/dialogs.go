package web

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/sockets/verbs"
)

// dialogs answers JavaScript dialogs by the session's policy, so that no page hangs. Without a
// policy, alert and beforeunload are accepted, which lets the page go on, and confirm and prompt
// are dismissed.
type dialogs struct {
	state   *daemon.StateStore
	notices *daemon.Notices

	mu   sync.Mutex // guards the fields below; never held during I/O
	open map[playwright.Dialog]*openDialog
	next *reaction // overrides the policy for the next dialog; may be nil
}

type openDialog struct {
	verbs.Dialog
	over chan struct{} // closed when the dialog was answered
}

// reaction is how a dialog is answered.
type reaction struct {
	accept bool
	text   string // the input of a prompt that is accepted
	raised bool   // no policy made the decision, so the reply warns of the dialog
}

func newDialogs(k *daemon.StateStore, n *daemon.Notices) *dialogs {
	return &dialogs{state: k, notices: n, open: map[playwright.Dialog]*openDialog{}}
}

// answer answers a dialog that has opened. It first adds the dialog to the notices for the reply,
// because the command that caused the dialog may end as soon as the dialog is answered.
func (d *dialogs) answer(dialog playwright.Dialog) {
	seen := verbs.Dialog{Type: dialog.Type(), Message: dialog.Message(), DefaultPrompt: dialog.DefaultValue(), Handled: "dismissed"}
	do := d.decide(seen.Type)
	if do.accept {
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
	case !do.accept:
		_ = dialog.Dismiss()
	case seen.Type == "prompt":
		_ = dialog.Accept(do.text)
	default:
		_ = dialog.Accept()
	}
	d.mu.Lock()
	delete(d.open, dialog)
	d.mu.Unlock()
}

func (d *dialogs) decide(kind string) reaction {
	d.mu.Lock()
	next := d.next
	d.next = nil
	d.mu.Unlock()
	if next != nil {
		return *next
	}
	switch p := d.state.Get().Policies; p.Dialog {
	case verbs.PolicyAccept:
		return reaction{accept: true}
	case verbs.PolicyPromptWith:
		return reaction{accept: true, text: p.PromptText}
	case verbs.PolicyDismiss:
		return reaction{}
	}
	return reaction{accept: kind == "alert" || kind == "beforeunload", raised: true}
}

// expect sets the reaction to the next dialog, which overrides the policy.
func (d *dialogs) expect(next reaction) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.next = &next
}

// current returns a dialog that is open, if there is one.
func (d *dialogs) current() (verbs.Dialog, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, shown := range d.open {
		return shown.Dialog, true
	}
	return verbs.Dialog{}, false
}

// awaitAnswered waits up to limit until the dialogs that are open now have been answered.
func (d *dialogs) awaitAnswered(limit time.Duration) {
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
