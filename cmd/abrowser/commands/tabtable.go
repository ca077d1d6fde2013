package commands

import (
	"context"
	"time"

	"github.com/abrowser/abrowser/sockets/verbs"
)

// redrawTime is the time from an event to the next table, in which further events may happen.
const redrawTime = 200 * time.Millisecond

// tabTable shows the tabs of all sessions. With Watch it shows them again after each event.
func (x *run) tabTable(ctx context.Context, in verbs.TabTableIn) (*verbs.TabTable, error) {
	if !in.Watch || x.announce == nil {
		return x.readTable(ctx, true)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	happened := make(chan struct{}, 1)
	followed := make(chan error, 1)
	go func() {
		followed <- x.follow(ctx, "", -1, func(verbs.Event) bool {
			select {
			case happened <- struct{}{}:
			default:
			}
			return true
		})
	}()
	defer func() { <-followed }()
	defer cancel()
	for {
		table, err := x.readTable(ctx, false)
		if err != nil && ctx.Err() == nil {
			return nil, err
		}
		if ctx.Err() != nil {
			return x.shown(), nil
		}
		table.Redraw = true
		if !x.announce(table) {
			return x.shown(), nil
		}
		select {
		case <-happened:
		case <-ctx.Done():
			return x.shown(), nil
		}
		select {
		case <-time.After(redrawTime):
		case <-ctx.Done():
			return x.shown(), nil
		}
	}
}

// shown ends a command that has printed its output itself.
func (x *run) shown() *verbs.TabTable {
	status := 0
	x.exit = &status
	return &verbs.TabTable{}
}

// readTable asks the brokers for the tabs, and the daemons for what their sessions do.
func (x *run) readTable(ctx context.Context, memory bool) (*verbs.TabTable, error) {
	list, err := x.tabs(ctx, verbs.TabsIn{Memory: memory})
	if err != nil {
		return nil, err
	}
	living, err := x.daemons(ctx)
	if err != nil {
		return nil, err
	}
	daemons := map[string]daemonInfo{}
	for _, d := range living {
		daemons[d.place.Name] = d
	}
	for i := range list.Tabs {
		tab := &list.Tabs[i]
		d := daemons[tab.SessionID]
		if tab.Question == "" && len(d.status.Questions) > 0 {
			tab.Question = d.status.Questions[0].Name + " " + d.status.Questions[0].Kind
		}
		tab.Activity = activityOf(*tab, d)
	}
	return &verbs.TabTable{Tabs: list.Tabs}, nil
}

// activityOf returns what a tab's session does.
func activityOf(tab verbs.Tab, d daemonInfo) string {
	switch {
	case tab.Crashed:
		return verbs.ActivityCrashed
	case d.state == verbs.StateWedged:
		return verbs.ActivityWedged
	case d.state == verbs.StateTaken:
		return verbs.ActivityTaken
	case tab.Question != "":
		return verbs.ActivityWaiting
	case d.state == verbs.StateBusy, d.state == verbs.StateStarting:
		return verbs.ActivityWorking
	case tab.State == verbs.StateReleased:
		return verbs.ActivityReleased
	default:
		return verbs.ActivityIdle
	}
}
