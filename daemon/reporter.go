package daemon

import (
	"context"
	"sync"
	"time"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	reportTime  = 5 * time.Second       // for the broker to take a report
	reportPause = 50 * time.Millisecond // between two reports, so that a fast script causes few
	maxReports  = 256                   // events that wait to be reported
)

// reporter tells the broker what happens in the session. It delays no command but close: if the
// broker does not respond, events are dropped.
type reporter struct {
	broker *Broker
	wake   chan struct{} // has a token if an event waits

	sending sync.Mutex // held while a report is sent, so that reports arrive in order

	mu     sync.Mutex // guards events; never held during I/O
	events []verbs.Event
}

func newReporter(b *Broker) *reporter { return &reporter{broker: b, wake: make(chan struct{}, 1)} }

// add adds an event. The reporter sets its time.
func (r *reporter) add(e verbs.Event) {
	e.At = time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.events) < maxReports {
		r.events = append(r.events, e)
	}
	select {
	case r.wake <- struct{}{}:
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
	if verb.Name == verbs.Close.Name && e.Code == "" {
		r.report() // before the reply, so that lists show it from then on
	}
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
		case <-r.wake:
			r.report()
			if !Sleep(ctx, reportPause) {
				continue
			}
		case <-ctx.Done():
			r.report()
			return
		}
	}
}

// report reports the events that wait, after reports that are being sent.
func (r *reporter) report() {
	r.sending.Lock()
	defer r.sending.Unlock()
	r.mu.Lock()
	all := r.events
	r.events = nil
	r.mu.Unlock()
	if len(all) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), reportTime)
	defer cancel()
	in := verbs.ReportIn{Session: r.broker.session, Events: all}
	// Without a broker there is nobody to tell.
	_, _ = r.broker.caller.Call(ctx, verbs.BrokerReport.Spec, in)
}
