// Package profiler records CPU profiles of pages. It sends CDP commands of the domain Profiler to a
// page. The browser's own tracing would record the pages of all tasks.
package profiler

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"sync"

	"github.com/abrowser/abrowser/daemon/web/direct"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	hintStart = "abrowser profiler start"
	hintStop  = "abrowser profiler stop"
)

const usualInterval = 1000 // microseconds

// Profiler records a profile of one of the session's pages at a time.
type Profiler struct {
	mu     sync.Mutex // guards target
	target string     // the page that is recorded; "" if none is
}

// Start starts a recording of the page.
func (p *Profiler) Start(_ context.Context, at *direct.Page, in verbs.ProfilerStartIn) (verbs.ProfilerStartOut, error) {
	if on := p.recorded(); on != "" && p.exists(at, on) {
		return verbs.ProfilerStartOut{}, wire.Errorf(wire.CodeBadInput, "a profile is being recorded already").WithHint(hintStop)
	}
	for _, command := range []struct {
		method string
		params any
	}{
		{"Profiler.enable", nil},
		{"Profiler.setSamplingInterval", map[string]any{"interval": cmp.Or(in.Interval, usualInterval)}},
		{"Profiler.start", nil},
	} {
		if err := at.Send(command.method, command.params, nil); err != nil {
			return verbs.ProfilerStartOut{}, err
		}
	}
	p.set(at.Target)
	return verbs.ProfilerStartOut{Started: true}, nil
}

// exists reports whether the page that is recorded is still open.
func (p *Profiler) exists(at *direct.Page, target string) bool {
	for _, tab := range at.Tabs.Known() {
		if tab.TargetID == target {
			return true
		}
	}
	return false
}

// Stop ends the recording and returns it.
func (p *Profiler) Stop(_ context.Context, at *direct.Page, in verbs.ProfilerStopIn) (verbs.ProfilerStopOut, error) {
	on := p.recorded()
	switch {
	case on == "":
		return verbs.ProfilerStopOut{}, wire.Errorf(wire.CodeBadInput, "no profile is being recorded").WithHint(hintStart)
	case on != at.Target && p.exists(at, on):
		return verbs.ProfilerStopOut{}, wire.Errorf(wire.CodeBadInput, "the profile of another tab is being recorded").WithHint("abrowser tab %s", on)
	case on != at.Target:
		p.set("")
		return verbs.ProfilerStopOut{}, lostError()
	}
	var answer struct {
		Profile json.RawMessage `json:"profile"`
	}
	err := at.Send("Profiler.stop", nil, &answer)
	if err != nil && (errors.Is(err, wire.CodeTimeout) || errors.Is(err, wire.CodeBrowserGone)) {
		return verbs.ProfilerStopOut{}, err
	}
	p.set("")
	var profile struct {
		Samples []int `json:"samples"`
	}
	if err != nil || json.Unmarshal(answer.Profile, &profile) != nil {
		return verbs.ProfilerStopOut{}, lostError()
	}
	_ = at.Send("Profiler.disable", nil, nil) // the profile is there, whatever happens
	return verbs.ProfilerStopOut{Path: in.Path, EventCount: len(profile.Samples), Profile: answer.Profile}, nil
}

// lostError is the error for a recording that is gone: the tab was closed, or its page moved to
// another process or crashed.
func lostError() error {
	return wire.Errorf(wire.CodeNotFound, "the profile is lost: its page was closed, crashed or was replaced").WithHint(hintStart)
}

func (p *Profiler) recorded() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.target
}

func (p *Profiler) set(target string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.target = target
}
