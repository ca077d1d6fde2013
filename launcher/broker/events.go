package broker

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"time"

	"github.com/abrowser/abrowser/patches"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// knownTab is what the last saved state says about a tab.
type knownTab struct {
	session, tabID, url string
	crashed             bool
}

// knownState is what the last saved state says about all sessions.
type knownState struct {
	tabs map[string]knownTab // by session and tab id; a tab that is opened again keeps its id
	live map[string]bool     // by session
}

func (b *broker) knownOf(s patches.State) knownState {
	k := knownState{map[string]knownTab{}, map[string]bool{}}
	for _, tn := range s.Tenants {
		k.live[tn.Name] = tn.Released.IsZero()
		for _, tab := range slices.Concat(tn.Lost, tn.Tabs) {
			id := tabID(tab.Number)
			known := knownTab{session: tn.Name, tabID: id, crashed: tab.Crashed}
			if !tn.Incognito { // of whose pages nothing is kept
				known.url = withoutQuery(tab.URL)
			}
			k.tabs[tn.Name+"/"+id] = known
		}
	}
	return k
}

// addStateEvents adds an event for each difference between a new state and the last one.
func (b *broker) addStateEvents(s patches.State) {
	before := b.known
	b.known = b.knownOf(s)
	if before.tabs == nil {
		return
	}
	add := func(kind string, t knownTab) {
		b.events.Add(verbs.Event{Kind: kind, Session: t.session, TabID: t.tabID, URL: t.url})
	}
	for _, name := range slices.Sorted(maps.Keys(b.known.tabs)) {
		now := b.known.tabs[name]
		was, known := before.tabs[name]
		if !known {
			add(verbs.EventOpened, now)
		}
		if now.crashed && !was.crashed {
			add(verbs.EventCrashed, now)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before.tabs)) {
		if _, open := b.known.tabs[name]; !open {
			add(verbs.EventClosed, before.tabs[name])
		}
	}
	for session, was := range before.live {
		if was && !b.known.live[session] {
			b.events.Add(verbs.Event{Kind: verbs.EventReleased, Session: session})
		}
	}
}

// addLoss adds the event of a browser that ended by itself, after its successor has started.
func (b *broker) addLoss(s patches.State) {
	lost := 0
	for _, tn := range s.Tenants {
		lost += len(tn.Tabs) + len(tn.Lost)
	}
	if b.browser.Fresh && lost > 0 {
		b.events.Add(verbs.Event{Kind: verbs.EventLost, Message: "the browser ended and was started again; its tabs are opened again"})
	}
}

// withoutQuery returns a URL without its query and fragment, which may contain secrets.
func withoutQuery(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	if u.Opaque != "" && u.Scheme != "about" {
		return u.Scheme + ":" // a data: URL is a whole document
	}
	u.User, u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = nil, "", false, "", ""
	return u.String()
}

// serveEvents returns events. It is not served on the mux's goroutine, because it may wait.
func (b *broker) serveEvents(ctx context.Context, _ *wire.Call, in verbs.BrokerEventsIn) (verbs.BrokerEventsOut, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(in.Wait)*time.Millisecond)
	defer cancel()
	events, last := b.events.After(ctx, in.After, in.Session)
	if events == nil {
		events = []verbs.Event{}
	}
	return verbs.BrokerEventsOut{Events: events, Last: last}, nil
}

// serveReport adds the events of a session's daemon, and records the session's last command.
func (b *broker) serveReport(ctx context.Context, _ *wire.Call, in verbs.ReportIn) (verbs.Empty, error) {
	return verbs.Empty{}, b.do(ctx, func() {
		for _, e := range in.Events {
			e.Session = in.Session
			b.recordCommand(e)
			b.events.Add(e)
		}
	})
}

// recordCommand records a session's last command if the event is the end of a command.
func (b *broker) recordCommand(e verbs.Event) {
	if e.Kind == verbs.EventCommand {
		b.mux.SetLastCommand(e.Session, patches.Command{Verb: e.Command, Code: string(e.Code), At: e.At, MS: e.MS})
	}
}

// restoreCommands records the last commands that the events of the previous brokers contain. A
// broker that dies has written each event, but not the state after each command.
func (b *broker) restoreCommands() {
	for _, e := range b.events.All() {
		b.recordCommand(e)
	}
}
