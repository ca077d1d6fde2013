package commands

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"sync"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// daemonInfo describes a session's daemon by its responses.
type daemonInfo struct {
	place  home.Endpoint // without a name in some cases, see nameOf
	hello  wire.Hello
	status verbs.StatusOut
	state  string // empty if no daemon runs
}

// daemons asks the daemons of all sessions for their status, all at the same time.
func (x *run) daemons(ctx context.Context) ([]daemonInfo, error) {
	places, err := x.root().Sessions()
	if err != nil {
		return nil, err
	}
	all := make([]daemonInfo, len(places))
	var wg sync.WaitGroup
	for i, place := range places {
		wg.Go(func() { all[i] = x.inspect(ctx, place) })
	}
	wg.Wait()
	return slices.DeleteFunc(all, func(s daemonInfo) bool { return s.state == "" }), interruption(ctx, ctx.Err())
}

// inspect asks one daemon for its identity and status, within askTime.
func (x *run) inspect(ctx context.Context, place home.Endpoint) daemonInfo {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	s := daemonInfo{place: place}
	hello, err := (&client.Client{Endpoint: place}).Hello(ctx)
	if errors.Is(err, wire.CodeNotRunning) {
		return s
	}
	s.state = verbs.StateWedged
	if err != nil {
		return s
	}
	if hello.Ending {
		return daemonInfo{} // its session has ended; the process ends in a moment
	}
	s.hello, s.place.Name = hello, hello.Name
	if s.status, err = askPlace(ctx, x, s.place, verbs.Status, verbs.Empty{}); errors.Is(err, wire.CodeNotRunning) {
		return daemonInfo{} // the daemon has ended since it answered hello
	} else if err != nil {
		return s
	}
	s.state = s.status.State
	if s.state == "" {
		s.state = verbs.StateReady
	}
	return s
}

// nameOf returns the name of the session whose daemon listens at the endpoint. The endpoint has
// no name if the daemon did not respond and the socket's file name is only a hash of the
// session's name. In this case, nameOf looks for the socket among the sockets of the known
// sessions. If no socket matches, it returns the socket's path.
func (x *run) nameOf(place home.Endpoint, known []verbs.BrokerSession) string {
	if place.Name != "" {
		return place.Name
	}
	for _, b := range known {
		if p, err := x.root().Session(b.Session); err == nil && p.Socket == place.Socket {
			return b.Session
		}
	}
	return place.Socket
}

// entries returns all sessions by name. It merges the responses of daemons and brokers.
func (x *run) entries(ctx context.Context) (map[string]verbs.SessionEntry, error) {
	known, err := x.brokerSessions(ctx)
	if err != nil {
		return nil, err
	}
	living, err := x.daemons(ctx)
	if err != nil {
		return nil, err
	}
	entries := map[string]verbs.SessionEntry{}
	for _, b := range known {
		e := newEntry(b.Session)
		e.State, e.URL, e.Title, e.Pages = verbs.StateReleased, b.URL, b.Title, b.Pages
		if e.Browser = b.Browser; b.Mode != "" {
			e.Mode = b.Mode
		}
		e.OpenedAt, e.CreatedAt, e.LastActivityAt = b.CreatedAt, b.CreatedAt, b.LastAt
		e.OwnerID, e.Clients, e.Outcome = b.OwnerID, b.Clients, b.Outcome
		if b.Clients > 0 {
			e.State = verbs.StateLive
		}
		entries[b.Session] = e
	}
	for _, s := range living {
		name := x.nameOf(s.place, known)
		e, ok := entries[name]
		if !ok {
			e = newEntry(name)
			e.OpenedAt, e.CreatedAt, e.LastActivityAt = s.hello.Since, s.hello.Since, s.hello.Since
		}
		e.State, e.PID, e.Wedged, e.Hint = s.state, s.hello.PID, s.state == verbs.StateWedged, s.status.Hint
		if s.hello.PID != 0 {
			e.Mode, e.Capabilities.Headed = s.hello.Settings.SessionMode(), s.hello.Settings.Headed
		}
		// Prefer the daemon's time of the last activity: the broker does not see a daemon's
		// commands, and knows only when the daemon connected.
		if at := s.status.LastActivityAt; !at.IsZero() && (e.Clients == 0 || at.After(e.LastActivityAt)) {
			e.LastActivityAt = s.status.LastActivityAt
		}
		e.Capabilities.DeviceName, e.Capabilities.Viewport = s.status.Device, s.status.Viewport
		if e.Wedged && s.status.State == "" {
			e.PID, e.Hint = sockets.InspectPeer(ctx, s.place).PID, hintKill
		}
		if s.status.Pages > 0 {
			e.URL, e.Title, e.Pages = s.status.URL, s.status.Title, s.status.Pages
		}
		entries[name] = e
	}
	return entries, nil
}

func (x *run) nameSession(context.Context, verbs.Empty) (*verbs.SessionOut, error) {
	return &verbs.SessionOut{Session: x.session}, nil
}

// statusIdle returns the status of a session whose daemon does not run. The status describes the
// tabs that the session left open.
func (x *run) statusIdle(ctx context.Context, _ verbs.Empty) (*verbs.StatusOut, error) {
	out := &verbs.StatusOut{SessionID: x.session}
	known, err := x.brokerSessions(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range known {
		if s.Session == x.session && s.Pages > 0 {
			out.State, out.Mode, out.URL, out.Title, out.Pages = verbs.StateReleased, s.Mode, s.URL, s.Title, s.Pages
		}
	}
	return out, nil
}

func newEntry(name string) verbs.SessionEntry {
	return verbs.SessionEntry{
		ID: name, SessionID: name, Type: verbs.TypeBrowser, Mode: wire.ModeShared, OwnerID: name, Capabilities: verbs.Capabilities{BrowserName: "chrome"},
	}
}

func (x *run) listSessions(ctx context.Context, _ verbs.Empty) (*verbs.SessionListOut, error) {
	entries, err := x.entries(ctx)
	if err != nil {
		return nil, err
	}
	out := &verbs.SessionListOut{Sessions: []verbs.SessionEntry{}, CurrentSession: x.session}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		out.Sessions = append(out.Sessions, entries[name])
	}
	return out, nil
}

func (x *run) sessionInfo(ctx context.Context, _ verbs.Empty) (*verbs.SessionInfoOut, error) {
	place, err := x.root().Session(x.session)
	if err != nil {
		return nil, err
	}
	entries, err := x.entries(ctx)
	if err != nil {
		return nil, err
	}
	entry, ok := entries[x.session]
	if !ok {
		entry = newEntry(x.session)
		// No daemon and no broker has reported the session, but it may have a saved location.
		if where, lasts, err := x.root().LoadLocation(x.session); err == nil && lasts {
			entry.Mode = where.SessionMode()
		}
	}
	return &verbs.SessionInfoOut{
		SocketDir: filepath.Dir(place.Socket),
		Runtime:   verbs.SessionRuntime{DaemonPID: entry.PID, BrowserLaunched: entry.Pages > 0, PageCount: entry.Pages},
		Session:   x.session, Active: entry.PID != 0 || entry.State == verbs.StateWedged, PID: entry.PID, Socket: place.Socket,
		Log: place.Log, Version: Version(), Entry: entry,
	}, nil
}

// sessionDone tells the broker of the session's browser how the session's task has ended.
func (x *run) sessionDone(ctx context.Context, in verbs.SessionDoneIn) (*verbs.SessionDoneOut, error) {
	place, err := x.brokerPlace()
	if err != nil {
		return nil, err
	}
	out, err := askPlace(ctx, x, place, verbs.BrokerDone, in)
	if errors.Is(err, wire.CodeNotRunning) {
		err = wire.Errorf(wire.CodeNotFound, "session %s has no tab, so there is nothing to review", x.session).WithHint("abrowser session list")
	}
	return &out, err
}
