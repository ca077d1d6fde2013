package commands

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// askTime is the time limit for a response if several daemons or brokers are asked. All are asked
// at the same time, so a command is delayed by askTime at most, however many do not respond.
const askTime = time.Second

// askBrowsers sends a verb to every running broker and returns the answers. It adds a warning for
// each broker that does not respond within askTime.
func askBrowsers[In, Out any](ctx context.Context, x *run, v wire.Verb[In, Out], in In) ([]Out, error) {
	return askWithin(ctx, x, askTime, v, in)
}

// stopTime is the time limit for stopping browsers. All are stopped at the same time.
const stopTime = 40 * time.Second

// stopAll stops the browsers of all profiles.
func (x *run) stopAll(ctx context.Context, _ verbs.BrowserStopIn) (*verbs.BrowserStopOut, error) {
	all, err := askWithin(ctx, x, stopTime, verbs.BrowserStop, verbs.BrowserStopIn{})
	sum := &verbs.BrowserStopOut{}
	for _, one := range all {
		sum.Stopped = sum.Stopped || one.Stopped
		sum.Detached = sum.Detached || one.Detached
		sum.Tabs += one.Tabs
	}
	return sum, err
}

// stopIdle answers browser stop if no browser runs.
func (x *run) stopIdle(context.Context, verbs.BrowserStopIn) (*verbs.BrowserStopOut, error) {
	return &verbs.BrowserStopOut{}, nil
}

// askWithin sends a verb to every running broker and returns the answers. It adds a warning for
// each broker that does not respond within the time limit patience. If the command is interrupted,
// askWithin returns an error: [wire.CodeInterrupted] if no browser has changed anything, and
// [wire.CodeResultUnknown] if a browser may have changed something.
func askWithin[In, Out any](ctx context.Context, x *run, patience time.Duration, v wire.Verb[In, Out], in In) ([]Out, error) {
	places, err := x.root().Browsers()
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
			outs[i], errs[i] = askPlace(asking, x, place, v, in)
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
			x.warn("the browser at " + places[i].Socket + " does not respond: " + errs[i].Error())
		}
	}
	if errors.Is(interrupted, wire.CodeInterrupted) && !v.ReadOnly && len(answered) > 0 {
		interrupted = wire.Errorf(wire.CodeResultUnknown, "%s interrupted: %d of %d browsers did it", v.Name, len(answered), len(places)).
			WithHint("abrowser browser status")
	}
	return answered, interrupted
}

// askBrokerOf sends a verb to the broker that has the session's tabs. A session that was closed does
// not say which one that is, so each browser is asked until one has the tab.
func (x *run) askBrokerOf(ctx context.Context, session string, verb wire.AnyVerb, params map[string]any) (any, error) {
	places, err := x.root().Browsers()
	if err != nil {
		return nil, err
	}
	missing := error(wire.Errorf(wire.CodeNotFound, "No session: %s", session).WithHint("abrowser tabs"))
	for _, place := range places {
		caller := x.caller(place, "")
		caller.Session, caller.Agent = session, ""
		c, done := x.dial(caller)
		reply, err := c.Call(ctx, verb.Describe(), params)
		done()
		switch {
		case err == nil:
			return decode(verb, reply.Data)
		case !errors.Is(err, wire.CodeNotFound) && !errors.Is(err, wire.CodeNotRunning):
			return nil, err
		}
	}
	return nil, missing
}

func (x *run) brokerSessions(ctx context.Context) ([]verbs.BrokerSession, error) {
	all, err := askBrowsers(ctx, x, verbs.BrokerSessions, verbs.Empty{})
	var sessions []verbs.BrokerSession
	for _, one := range all {
		sessions = append(sessions, one.Sessions...)
	}
	return sessions, err
}

// listProfiles lists the profiles below the root. The first of them is the shared browser's.
func (x *run) listProfiles(context.Context, verbs.Empty) (*verbs.ProfilesOut, error) {
	dir := x.root().Path("profiles")
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, wire.OSError("reading "+dir, err)
	}
	shared, err := x.root().BrowserOf(wire.Settings{})
	if err != nil {
		return nil, err
	}
	out := &verbs.ProfilesOut{Profiles: []verbs.Profile{}}
	for _, e := range entries {
		if e.IsDir() && home.CheckName(e.Name()) == nil {
			out.Profiles = append(out.Profiles, verbs.Profile{Name: e.Name(), Directory: filepath.Join(dir, e.Name()), Shared: filepath.Dir(shared.Lock) == filepath.Join(dir, e.Name())})
		}
	}
	slices.SortStableFunc(out.Profiles, func(a, b verbs.Profile) int {
		switch {
		case a.Shared:
			return -1
		case b.Shared:
			return 1
		}
		return cmp.Compare(a.Name, b.Name)
	})
	return out, nil
}
