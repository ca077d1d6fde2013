package cli

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// askTime is how long a list waits for one daemon or broker of many. One that is
// stopped costs this once, for all are asked at the same time.
const askTime = time.Second

// askBrowsers asks every running broker the same and returns what they answered.
// A broker that does not answer is a warning.
func askBrowsers[In, Out any](ctx context.Context, a *app, v wire.Verb[In, Out], in In) ([]Out, error) {
	return askWithin(ctx, a, askTime, v, in)
}

// stopTime is what all browsers may take to end, side by side.
const stopTime = 40 * time.Second

// stopAll stops the browsers of all profiles.
func (a *app) stopAll(ctx context.Context, _ line) (any, error) {
	all, err := askWithin(ctx, a, stopTime, verbs.BrowserStop, verbs.BrowserStopIn{})
	sum := &verbs.BrowserStopOut{}
	for _, one := range all {
		sum.Stopped = sum.Stopped || one.Stopped
		sum.Detached = sum.Detached || one.Detached
		sum.Tabs += one.Tabs
	}
	return sum, err
}

// askWithin is askBrowsers with another patience.
func askWithin[In, Out any](ctx context.Context, a *app, patience time.Duration, v wire.Verb[In, Out], in In) ([]Out, error) {
	places, err := a.root.Browsers()
	if err != nil {
		return nil, err
	}
	outs := make([]Out, len(places))
	errs := make([]error, len(places))
	var wg sync.WaitGroup
	for i, place := range places {
		wg.Go(func() {
			asking, cancel := context.WithTimeout(ctx, patience)
			defer cancel()
			outs[i], errs[i] = askPlace(asking, a, place, v, in)
		})
	}
	wg.Wait()
	var answered []Out
	var interrupted error
	for i := range places {
		switch {
		case errors.Is(errs[i], wire.CodeInterrupted), ctx.Err() != nil && errors.Is(errs[i], wire.CodeResultUnknown):
			if interrupted == nil || errors.Is(interrupted, wire.CodeInterrupted) {
				interrupted = errs[i]
			}
		case errs[i] == nil:
			answered = append(answered, outs[i])
		case !errors.Is(errs[i], wire.CodeNotRunning):
			a.printer.warn("the browser at " + places[i].Socket + " does not answer: " + errs[i].Error())
		}
	}
	if errors.Is(interrupted, wire.CodeInterrupted) && !v.ReadOnly && len(answered) > 0 {
		interrupted = wire.Errorf(wire.CodeResultUnknown, "%s interrupted: %d of %d browsers did it", v.Name, len(answered), len(places)).
			WithHint("abrowser browser status")
	}
	return answered, interrupted
}

func (a *app) brokerSessions(ctx context.Context) ([]verbs.BrokerSession, error) {
	all, err := askBrowsers(ctx, a, verbs.BrokerSessions, verbs.Empty{})
	var sessions []verbs.BrokerSession
	for _, one := range all {
		sessions = append(sessions, one.Sessions...)
	}
	return sessions, err
}
