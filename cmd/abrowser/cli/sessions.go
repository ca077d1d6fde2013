package cli

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// served is a session's daemon as it answered, or did not.
type served struct {
	place  home.Endpoint // with the session's name, unless it did not answer
	hello  wire.Hello
	status verbs.StatusOut
	state  string // empty where nobody listens
}

// daemons asks all sessions' daemons at once how they are.
func (a *app) daemons(ctx context.Context) ([]served, error) {
	places, err := a.root.Sessions()
	if err != nil {
		return nil, err
	}
	all := make([]served, len(places))
	var wg sync.WaitGroup
	for i, place := range places {
		wg.Go(func() { all[i] = a.look(ctx, place) })
	}
	wg.Wait()
	return slices.DeleteFunc(all, func(s served) bool { return s.state == "" }), interruption(ctx, ctx.Err())
}

// look asks one daemon who and how it is, within askTime.
func (a *app) look(ctx context.Context, place home.Endpoint) served {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	s := served{place: place}
	hello, err := (&client.Client{Endpoint: place}).Hello(ctx)
	if errors.Is(err, wire.CodeNotRunning) {
		return s
	}
	s.state = verbs.StateWedged
	if err != nil {
		return s
	}
	if hello.Ending {
		return served{} // its session has ended; the process does in a moment
	}
	s.hello, s.place.Name = hello, hello.Name
	if s.status, err = askPlace(ctx, a, s.place, verbs.Status, verbs.Empty{}); errors.Is(err, wire.CodeNotRunning) {
		return served{} // it ended meanwhile
	} else if err != nil {
		return s
	}
	s.state = s.status.State
	if s.state == "" {
		s.state = verbs.StateReady
	}
	return s
}

// nameOf is the session of a place. Where its daemon did not say (it is wedged, and
// the socket's name is a hash) it is one that a browser knows, else the socket.
func (a *app) nameOf(place home.Endpoint, known []verbs.BrokerSession) string {
	if place.Name != "" {
		return place.Name
	}
	for _, b := range known {
		if p, err := a.root.Session(b.Session); err == nil && p.Socket == place.Socket {
			return b.Session
		}
	}
	return place.Socket
}

// entries merges what daemons and brokers know of the sessions, by name.
func (a *app) entries(ctx context.Context) (map[string]verbs.SessionEntry, error) {
	known, err := a.brokerSessions(ctx)
	if err != nil {
		return nil, err
	}
	living, err := a.daemons(ctx)
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
		e.OwnerID = b.OwnerID
		entries[b.Session] = e
	}
	for _, s := range living {
		name := a.nameOf(s.place, known)
		e, ok := entries[name]
		if !ok {
			e = newEntry(name)
			e.OpenedAt, e.CreatedAt, e.LastActivityAt = s.hello.Since, s.hello.Since, s.hello.Since
		}
		e.State, e.PID, e.Wedged, e.Hint = s.state, s.hello.PID, s.state == verbs.StateWedged, s.status.Hint
		if s.hello.PID != 0 {
			e.Mode, e.Capabilities.Headed = s.hello.Settings.SessionMode(), s.hello.Settings.Headed
		}
		if !s.status.LastActivityAt.IsZero() { // the browser knows only when it was connected to
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

func newEntry(name string) verbs.SessionEntry {
	return verbs.SessionEntry{
		ID: name, SessionID: name, Type: verbs.TypeBrowser, Mode: wire.ModeShared, OwnerID: name, Capabilities: verbs.Capabilities{BrowserName: "chrome"},
	}
}

func (a *app) listSessions(ctx context.Context, _ line) (any, error) {
	entries, err := a.entries(ctx)
	if err != nil {
		return nil, err
	}
	out := &verbs.SessionListOut{Sessions: []verbs.SessionEntry{}, CurrentSession: a.session}
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		out.Sessions = append(out.Sessions, entries[name])
	}
	return out, nil
}

func (a *app) sessionInfo(ctx context.Context, _ line) (any, error) {
	place, err := a.root.Session(a.session)
	if err != nil {
		return nil, err
	}
	entries, err := a.entries(ctx)
	if err != nil {
		return nil, err
	}
	entry, ok := entries[a.session]
	if !ok {
		entry = newEntry(a.session)
		if where, lasts, err := a.root.LoadLocation(a.session); err == nil && lasts { // its browser does not run either
			entry.Mode = where.SessionMode()
		}
	}
	return &verbs.SessionInfoOut{
		Session: a.session, Active: entry.PID != 0 || entry.State == verbs.StateWedged, PID: entry.PID, Socket: place.Socket,
		Log: place.Log, Version: Version(), Entry: entry,
	}, nil
}
