package daemon

import (
	"fmt"
	"sync"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/sockets/wire"
)

// dialogs answers JavaScript dialogs so that nothing hangs, and keeps what it did
// until a reply has told it. Alert and beforeunload are accepted, confirm and
// prompt dismissed.
type dialogs struct {
	mu     sync.Mutex // guards the fields below; never held during I/O
	open   map[playwright.Dialog]wire.Dialog
	untold []wire.Dialog
}

const maxUntold = 100 // a page that asks for ever must not fill memory

func newDialogs() *dialogs { return &dialogs{open: map[playwright.Dialog]wire.Dialog{}} }

// answer is called for each dialog as it opens. It is kept before it is answered:
// the command that caused it ends as soon as it is.
func (d *dialogs) answer(dialog playwright.Dialog) {
	seen := wire.Dialog{Type: dialog.Type(), Message: dialog.Message(), DefaultPrompt: dialog.DefaultValue(), Handled: "dismissed"}
	accept := seen.Type == "alert" || seen.Type == "beforeunload"
	if accept {
		seen.Handled = "accepted"
	}
	d.mu.Lock()
	d.open[dialog] = seen
	if len(d.untold) < maxUntold {
		d.untold = append(d.untold, seen)
	}
	d.mu.Unlock()
	// An error means that the dialog is gone already, with its page or by a person.
	if accept {
		_ = dialog.Accept()
	} else {
		_ = dialog.Dismiss()
	}
	d.mu.Lock()
	delete(d.open, dialog)
	d.mu.Unlock()
}

// take returns what no reply has told yet.
func (d *dialogs) take() []wire.Dialog {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := d.untold
	d.untold = nil
	return all
}

// current is a dialog that is open now.
func (d *dialogs) current() (wire.Dialog, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, seen := range d.open {
		return seen, true
	}
	return wire.Dialog{}, false
}

func dialogWarning(d wire.Dialog) string {
	return fmt.Sprintf("%s dialog, %s: %q", d.Type, d.Handled, d.Message)
}
