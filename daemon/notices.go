package daemon

import (
	"fmt"
	"strings"
	"sync"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Notices collects what the next reply reports: the decisions about dialogs, permissions,
// notifications and file pickers, and the requests that a recording could not record.
type Notices struct {
	// OnQuestion is called when a person was asked. It must not block, and may be nil.
	OnQuestion func(wire.Record)

	mu      sync.Mutex // guards the fields below
	dialogs []verbs.Dialog
	records []wire.Record
	dropped int    // the number of records beyond maxUntold
	person  string // what the next reply says about a person who has used the pages
	lost    int    // the number of entries that are missing from a recording
	why     error  // why the last of these entries is missing
	gap     bool   // a recording has a gap
}

const maxUntold = 100 // a page that asks without end must not fill the memory

// Add adds the record of a decision.
func (n *Notices) Add(r wire.Record) {
	if r.Handled == HandledAsked && n.OnQuestion != nil {
		n.OnQuestion(r)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.records) == maxUntold {
		n.dropped++
		return
	}
	if r.Unhandled {
		r.Hint = policyHint(r)
	}
	n.records = append(n.records, r)
}

// AddDialog adds a dialog that was answered.
func (n *Notices) AddDialog(d verbs.Dialog) {
	n.mu.Lock()
	if len(n.dialogs) < maxUntold {
		n.dialogs = append(n.dialogs, d)
	}
	n.mu.Unlock()
	n.Add(wire.Record{Kind: wire.KindDialog, Name: d.Type, Message: d.Message, Handled: d.Handled, Unhandled: d.Unhandled})
}

// AddLoss counts an entry that is missing from a recording of requests. The parameter why is the
// reason.
func (n *Notices) AddLoss(why error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lost, n.why = n.lost+1, why
}

// AddGap makes the next reply say that a recording of requests has a gap, because the connection to
// the pages was lost and made again.
func (n *Notices) AddGap() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.gap = true
}

// take removes the dialogs, the records and the number of dropped records from the notices, and
// returns them. It leaves the losses and the gap, which takeLosses removes.
func (n *Notices) take() (dialogs []verbs.Dialog, records []wire.Record, dropped int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	dialogs, records, dropped = n.dialogs, n.records, n.dropped
	n.dialogs, n.records, n.dropped = nil, nil, 0
	return dialogs, records, dropped
}

// setHandBack makes the next reply say that a person has used the pages.
func (n *Notices) setHandBack(note string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.person = "a person has used the pages; abrowser snapshot shows what they are like now"
	if note != "" {
		n.person += "; the person says: " + note
	}
}

// takeHandBack removes what setHandBack has set, and returns it.
func (n *Notices) takeHandBack() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	text := n.person
	n.person = ""
	return text
}

// takeLosses removes the losses and the gap, and returns a warning about them, or "" if there are
// none.
func (n *Notices) takeLosses() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	var all []string
	if n.lost > 0 {
		all = append(all, fmt.Sprintf("the recording of requests lacks %d: %v", n.lost, n.why))
	}
	if n.gap {
		all = append(all, "the recording of requests has a gap: the connection to the pages was lost for a moment")
	}
	n.lost, n.why, n.gap = 0, nil, false
	return strings.Join(all, "; ")
}

// AddNotices moves the notices into the reply, and returns the dialogs among them. It adds a
// warning for each decision that no policy made, or that a person has to make. A caller that may
// only read gets no notices, which are for the session's owner.
func (c *Call) AddNotices() []verbs.Dialog {
	if c.foreign || c.request.Aside {
		return nil
	}
	dialogs, records, dropped := c.Notices.take()
	c.request.Record(records...)
	for _, r := range records {
		if r.Unhandled || r.Handled == HandledAsked {
			c.Warn("%s", recordWarning(r))
		}
	}
	if dropped > 0 {
		c.Warn("and %d more", dropped)
	}
	if text := c.Notices.takeLosses(); text != "" {
		c.Warn("%s", text)
	}
	if text := c.Notices.takeHandBack(); text != "" {
		c.Warn("%s", text)
	}
	return dialogs
}

// The values of [wire.Record].Handled for all kinds of requests except dialogs. For a dialog, the
// value is "accepted" or "dismissed".
const (
	HandledAllowed = "allowed"
	HandledDenied  = "denied"
	HandledAsked   = "asked" // a person was asked, and has not answered yet
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

// policyHint returns a hint that names the command with which an agent decides about later
// requests of this kind.
func policyHint(r wire.Record) string {
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
