package verbs

import (
	"cmp"
	"fmt"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

// The kinds of an [Event].
const (
	EventOpened     = "opened"   // a tab was opened
	EventClosed     = "closed"   // a tab was closed
	EventCrashed    = "crashed"  // the renderer of a tab has crashed
	EventCommand    = "command"  // a command has ended
	EventWaiting    = "waiting"  // the session waits for a person
	EventAnswered   = "answered" // a person has answered
	EventTaken      = "taken"    // a person uses the pages; commands that act wait
	EventHandedBack = "handed-back"
	EventWedged     = "wedged"   // the page or the driver does not respond
	EventDone       = "done"     // the task has said how it ended
	EventReleased   = "released" // the session has no daemon and no client any more; its tabs are for review
	EventLost       = "browser-lost"
	EventMissed     = "missed" // events before this one are not known any more
)

// Event is something that happened in a browser.
type Event struct {
	// Number grows from each event of a browser to the next, also across brokers. It is the time
	// in microseconds since 1970, or one more than the number before.
	Number  int64     `json:"number"`
	At      time.Time `json:"at"`
	Kind    string    `json:"kind"` // see [EventOpened]
	Browser string    `json:"browser,omitzero"`
	Session string    `json:"session,omitzero"`
	TabID   string    `json:"tabId,omitzero"`
	URL     string    `json:"url,omitzero"` // of the tab, without query and fragment
	// Command is the verb of a command that has ended.
	Command string    `json:"command,omitzero"`
	Code    wire.Code `json:"code,omitzero"` // why the command failed; empty if it did not
	MS      int64     `json:"ms,omitzero"`   // how long the command took, in milliseconds
	Outcome *Outcome  `json:"outcome,omitzero"`
	Message string    `json:"message,omitzero"`
}

// Text returns the event as one line.
func (e Event) Text() string {
	about := e.Session
	if e.TabID != "" {
		about += "/" + e.TabID
	}
	what := cmp.Or(e.Message, e.URL)
	switch e.Kind {
	case EventCommand:
		what = fmt.Sprintf("%s %s %d ms", e.Command, cmp.Or(string(e.Code), OutcomeOK), e.MS)
	case EventDone:
		what = e.Outcome.Text()
	}
	return fmt.Sprintf("%d %s %-8s %s %s", e.Number, e.At.Local().Format(time.TimeOnly), e.Kind, cmp.Or(about, e.Browser), what)
}

// EventsIn is the input of [Events].
type EventsIn struct {
	After int64 `json:"after,omitzero" min:"0" help:"begin with the first event whose number is larger; without it, with the next event"`
	Limit int   `json:"limit,omitzero" min:"1" help:"end after this many events"`
	Once  bool  `json:"once,omitzero" help:"do not wait: print the events that are known, and end"`
}

// EventsOut is the output of [Events] if it does not wait.
type EventsOut struct {
	Events []Event `json:"events"`
}

// Text returns one line for each event.
func (o EventsOut) Text() string {
	var all []string
	for _, e := range o.Events {
		all = append(all, e.Text())
	}
	return lines(all...)
}

// Events prints what happens in the browsers.
var Events = wire.Verb[EventsIn, EventsOut]{Spec: wire.Spec{
	Name: "events", Group: groupSession, Short: "Print what happens in all sessions, or in that of --session, until interrupted",
	Long: "One line for each event: a tab is opened, closed or crashed; a command has ended; a session waits for a person, is answered, taken over, handed back, wedged, done or released; the browser is lost. " +
		"With --json each line is an object. The last 1000 events of a browser are kept: --after NUMBER continues where an earlier call has ended, and an event of the kind missed says that some are lost.",
	Example: "abrowser events --once", By: wire.ByCommand, NoStart: true, ReadOnly: true, PageText: true,
}}

// BrokerEventsIn is the input of [BrokerEvents].
type BrokerEventsIn struct {
	After   int64  `json:"after,omitzero" help:"only events with a larger number; a negative number: only events from now on"`
	Session string `json:"session,omitzero" help:"only events of this session"`
	Wait    int    `json:"wait,omitzero" min:"0" help:"how long to wait for an event, in milliseconds"`
}

// BrokerEventsOut is the output of [BrokerEvents].
type BrokerEventsOut struct {
	Events []Event `json:"events"`
	Last   int64   `json:"last"` // the After of the next request
}

// BrokerEvents returns the events after a number. If there are none, it waits for one.
var BrokerEvents = wire.Verb[BrokerEventsIn, BrokerEventsOut]{Spec: wire.Spec{
	Name: "broker events", Group: groupBroker, Short: "Return the events after a number", Example: "abrowser broker events",
	By: wire.ByBroker, Unqueued: true, NoStart: true, ReadOnly: true, Hidden: true,
}}

// ReportIn is the input of [BrokerReport].
type ReportIn struct {
	Session string  `json:"session" required:"true" help:"the session of the daemon"`
	Events  []Event `json:"events" help:"what happened, the oldest first"`
}

// BrokerReport tells the broker what has happened in a session's daemon.
var BrokerReport = wire.Verb[ReportIn, Empty]{Spec: wire.Spec{
	Name: "broker report", Group: groupBroker, Short: "Report what has happened in a session", Example: "abrowser broker report",
	By: wire.ByBroker, Unqueued: true, NoStart: true, Hidden: true,
}}
