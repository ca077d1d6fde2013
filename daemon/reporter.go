package daemon

import (
	"context"
	"time"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	reportTime  = 5 * time.Second       // for the broker to take a report
	reportPause = 50 * time.Millisecond // between two reports, so that a fast script causes few
	maxReports  = 256                   // events that wait to be reported
)

// reporter tells the broker what happens in the session. It never delays a command: if the broker
// does not respond, events are dropped.
type reporter struct {
	broker *Broker
	events chan verbs.Event
}

func newReporter(b *Broker) *reporter { return &reporter{b, make(chan verbs.Event, maxReports)} }

// add adds an event. The reporter sets its time.
func (r *reporter) add(e verbs.Event) {
	e.At = time.Now()
	select {
	case r.events <- e:
	default:
	}
}

// addCommand adds the events of a command that has ended. Verbs that ask about the session itself,
// as lists of sessions do again and again, are no events.
func (r *reporter) addCommand(verb wire.Spec, err error, took time.Duration) {
	if verb.Hidden || verb.Unqueued && verb.ReadOnly {
		return
	}
	e := verbs.Event{Kind: verbs.EventCommand, Command: verb.Name, MS: took.Milliseconds()}
	failure := wire.AsError(err)
	if failure != nil {
		e.Code = failure.Code
	}
	r.add(e)
	switch e.Code {
	case wire.CodeWedged:
		r.add(verbs.Event{Kind: verbs.EventWedged, Message: failure.Message})
	case wire.CodeConfirm:
		r.add(verbs.Event{Kind: verbs.EventWaiting, Message: failure.Message + "; " + failure.Hint})
	}
}

// addQuestion adds the event of a page's request that a person decides.
func (r *reporter) addQuestion(q wire.Record) {
	r.add(verbs.Event{Kind: verbs.EventWaiting, Message: recordWarning(q)})
}

// run reports the events until ctx ends, and then those that still wait.
func (r *reporter) run(ctx context.Context) {
	for {
		select {
		case e := <-r.events:
			r.report(r.rest(e))
			if !Sleep(ctx, reportPause) {
				continue
			}
		case <-ctx.Done():
			if left := r.rest(); len(left) > 0 {
				r.report(left)
			}
			return
		}
	}
}

// rest returns the given events and those that wait.
func (r *reporter) rest(all ...verbs.Event) []verbs.Event {
	for {
		select {
		case e := <-r.events:
			all = append(all, e)
		default:
			return all
		}
	}
}

func (r *reporter) report(all []verbs.Event) {
	ctx, cancel := context.WithTimeout(context.Background(), reportTime)
	defer cancel()
	in := verbs.ReportIn{Session: r.broker.session, Events: all}
	// Without a broker there is nobody to tell.
	_, _ = r.broker.caller.Call(ctx, verbs.BrokerReport.Spec, in)
}
