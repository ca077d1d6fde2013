package commands

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	pollTime   = 20 * time.Second // one request for events waits at most this long
	rescanTime = time.Second      // between two searches for browsers
)

// follower follows the events of all browsers.
type follower struct {
	x         *run
	session   string // "" means all
	events    chan verbs.Event
	following map[string]bool  // by the socket of the broker
	after     map[string]int64 // where to continue, by the socket of the broker
	ended     chan stopped
}

// stopped says that a broker is not followed any more, and with which number to continue there.
type stopped struct {
	socket string
	after  int64
}

// followEvents prints events as they happen. If the input has Once, it returns those that are known.
func (x *run) followEvents(ctx context.Context, in verbs.EventsIn) (*verbs.EventsOut, error) {
	session := ""
	if x.identity.Flagged {
		session = x.session
	}
	if in.Once || x.announce == nil {
		return x.knownEvents(ctx, session, in)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := 0
	err := x.follow(ctx, session, cmp.Or(in.After, -1), func(e verbs.Event) bool {
		done++
		return x.announce(e) && done != in.Limit
	})
	status := wire.ExitDone
	x.exit = &status
	return &verbs.EventsOut{}, err
}

// knownEvents returns the events that the brokers know.
func (x *run) knownEvents(ctx context.Context, session string, in verbs.EventsIn) (*verbs.EventsOut, error) {
	all, err := askBrowsers(ctx, x, verbs.BrokerEvents, verbs.BrokerEventsIn{After: in.After, Session: session})
	if err != nil {
		return nil, err
	}
	out := &verbs.EventsOut{Events: []verbs.Event{}}
	for _, one := range all {
		out.Events = append(out.Events, one.Events...)
	}
	slices.SortStableFunc(out.Events, func(a, b verbs.Event) int { return cmp.Compare(a.Number, b.Number) })
	if in.After == 0 { // the caller has missed nothing
		out.Events = slices.DeleteFunc(out.Events, func(e verbs.Event) bool { return e.Kind == verbs.EventMissed })
	}
	if in.Limit > 0 && len(out.Events) > in.Limit {
		out.Events = out.Events[:in.Limit]
	}
	return out, nil
}

// follow calls show with each event of all browsers until show returns false or ctx ends. It follows
// browsers that start later, too. If after is negative, it begins with the next event of the browsers
// that run, and with the first event of later ones.
func (x *run) follow(ctx context.Context, session string, after int64, show func(verbs.Event) bool) error {
	ctx, cancel := context.WithCancel(ctx)
	f := &follower{x: x, session: session, events: make(chan verbs.Event), following: map[string]bool{}, after: map[string]int64{}, ended: make(chan stopped)}
	running := make(chan struct{})
	failed := make(chan error, 1)
	go func() {
		defer close(running)
		failed <- f.watch(ctx, after)
	}()
	defer func() {
		cancel()
		<-running
	}()
	for {
		select {
		case e := <-f.events:
			if !show(e) {
				return nil
			}
		case err := <-failed:
			return err
		case <-ctx.Done():
			return nil
		}
	}
}

// watch follows each browser that runs. It returns when ctx has ended and nothing is followed.
func (f *follower) watch(ctx context.Context, after int64) error {
	search := time.NewTicker(rescanTime)
	defer search.Stop()
	defer func() {
		for range f.following {
			<-f.ended
		}
	}()
	for {
		places, err := f.x.root().Browsers()
		if err != nil {
			return err
		}
		for _, place := range places {
			if f.following[place.Socket] {
				continue
			}
			f.following[place.Socket] = true
			from, known := f.after[place.Socket]
			if !known {
				from = after
			}
			go func() { f.ended <- stopped{place.Socket, f.followOne(ctx, place, from)} }()
		}
		if after < 0 {
			after = time.Now().UnixMicro() // a browser that starts later is followed from its start
		}
		if !f.pause(ctx, search.C) {
			return nil
		}
	}
}

// pause waits for the next search, and records which brokers are not followed any more. It returns
// false if ctx has ended.
func (f *follower) pause(ctx context.Context, search <-chan time.Time) bool {
	for {
		select {
		case one := <-f.ended:
			delete(f.following, one.socket)
			f.after[one.socket] = one.after
		case <-search:
			return true
		case <-ctx.Done():
			return false
		}
	}
}

// followOne passes on the events of one browser until ctx ends or the broker does not respond. It
// returns the number with which to continue at the next broker.
func (f *follower) followOne(ctx context.Context, place home.Endpoint, after int64) int64 {
	caller := client.Client{Endpoint: place, Session: f.x.session}.KeepAlive()
	defer caller.Close()
	for ctx.Err() == nil {
		asking, cancel := context.WithTimeout(ctx, pollTime+askTime)
		out, _, err := client.Do(asking, caller, verbs.BrokerEvents, verbs.BrokerEventsIn{After: after, Session: f.session, Wait: int(pollTime.Milliseconds())})
		cancel()
		if err != nil {
			return after
		}
		for _, e := range out.Events {
			select {
			case f.events <- e:
			case <-ctx.Done():
				return after
			}
			after = e.Number
		}
		after = out.Last
	}
	return after
}
