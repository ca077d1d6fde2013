package daemon

import (
	"fmt"
	"strings"
	"sync"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// news is what policies decided and no reply has told yet.
type news struct {
	mu      sync.Mutex // guards the fields below
	dialogs []verbs.Dialog
	records []wire.Record
	left    int // out, for there were too many
}

const maxUntold = 100 // a page that asks for ever must not fill memory

func (n *news) add(r wire.Record) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.records) == maxUntold {
		n.left++
		return
	}
	if r.Raised {
		r.Hint = hintPolicy(r)
	}
	n.records = append(n.records, r)
}

func (n *news) addDialog(d verbs.Dialog) {
	n.mu.Lock()
	if len(n.dialogs) < maxUntold {
		n.dialogs = append(n.dialogs, d)
	}
	n.mu.Unlock()
	n.add(wire.Record{Kind: wire.KindDialog, Name: d.Type, Message: d.Message, Handled: d.Handled, Raised: d.Raised})
}

// take returns what no reply has told.
func (n *news) take() (dialogs []verbs.Dialog, records []wire.Record, left int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	dialogs, records, left = n.dialogs, n.records, n.left
	n.dialogs, n.records, n.left = nil, nil, 0
	return dialogs, records, left
}

// tellNews puts into the reply what policies decided, with a warning for each that
// was raised, and returns the dialogs of it. What a recording lacks it says, too.
func (t *turn) tellNews() []verbs.Dialog {
	if t.foreign {
		return nil
	}
	dialogs, records, left := t.news.take()
	t.call.Record(records...)
	for _, r := range records {
		if r.Raised || r.Handled == handledAsked {
			t.call.Warn("%s", recordWarning(r))
		}
	}
	if left > 0 {
		t.call.Warn("and %d more", left)
	}
	if text := t.recorder.journal.Losses(); text != "" {
		t.call.Warn("%s", text)
	}
	return dialogs
}

// What was done, in a record.
const (
	handledAllowed = "allowed"
	handledDenied  = "denied"
	handledAsked   = "asked"
)

func recordWarning(r wire.Record) string {
	what := r.Name + " " + r.Kind
	if r.Kind == wire.KindNotification || r.Kind == wire.KindFilePicker {
		what = r.Name
	}
	text := fmt.Sprintf("%s, %s: %q", what, r.Handled, r.Message)
	if r.Hint != "" {
		text += "; " + r.Hint
	}
	return text
}

// hintPolicy names the policy that decides about the next of its kind.
func hintPolicy(r wire.Record) string {
	switch r.Kind {
	case wire.KindDialog:
		if r.Name == "prompt" {
			return "abrowser policy dialog accept-prompt-with TEXT (or dismiss) answers the next"
		}
		return "abrowser policy dialog accept (or dismiss) answers the next"
	case wire.KindPermission:
		return fmt.Sprintf("abrowser policy permission allow %s (or deny, ask-human) decides about the next", strings.ReplaceAll(r.Name, "+", " "))
	case wire.KindNotification:
		return "abrowser policy notification allow (or deny) decides about the next"
	case wire.KindFilePicker:
		return fmt.Sprintf("abrowser policy respond %s FILE queues an answer, abrowser policy file-picker deny ends the asking", r.Name)
	}
	return ""
}
