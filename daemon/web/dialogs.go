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

// dialogs answers JavaScript dialogs as the session's policy says, so that nothing
// hangs. Raised, alert and beforeunload are accepted, which is what lets the page go
// on, confirm and prompt dismissed.
type dialogs struct {
	state   *daemon.StateStore
	notices *daemon.Notices

	mu   sync.Mutex // guards the fields below; never held during I/O
	open map[playwright.Dialog]*openDialog
	next *reaction // for the next one alone, before the policy
}

type openDialog struct {
	verbs.Dialog
	over chan struct{} // closed when it is answered
}

// reaction is what is done with a dialog.
type reaction struct {
	accept bool
	text   string // a prompt's, where it is accepted
	raised bool
}

func newDialogs(k *daemon.StateStore, n *daemon.Notices) *dialogs {
	return &dialogs{state: k, notices: n, open: map[playwright.Dialog]*openDialog{}}
}

// answer is called for each dialog as it opens. It is noted before it is answered:
// the command that caused it ends as soon as it is.
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
	// An error means that the dialog is gone already, with its page or by a person.
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

// expect has the next dialog answered this way, whatever the policy.
func (d *dialogs) expect(next reaction) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.next = &next
}

// current is a dialog that is open now.
func (d *dialogs) current() (verbs.Dialog, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, shown := range d.open {
		return shown.Dialog, true
	}
	return verbs.Dialog{}, false
}

// awaitAnswered waits, for a bounded time, until the dialogs that are being answered are.
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
