// Package pool shares the extra tabs of a browser out among agents: who may open one
// more, who has to wait, and for whom a slot is kept.
//
// It knows agents by their keys and tabs by the agents that hold them. It refuses to
// know the browser: who has how many is told to it at each question, and what it
// answers is done by its caller. Time comes from its clock.
//
// It is called by the broker's own goroutine. The invariant: while a slot is kept for
// one, no tab is opened that would take it.
package pool

import (
	"slices"
	"time"
)

// Options of a Pool. Zero works.
type Options struct {
	Max      int              // extra tabs in all; 0: no limit
	Patience time.Duration    // how long a slot is kept; 30 s
	Silence  time.Duration    // how long an agent without a process may say nothing; 120 s
	Clock    func() time.Time // time.Now
}

// Pool is the queue for extra tabs and the slot that is kept for its first.
type Pool struct {
	Options
	State
}

// State is what a later Pool must know.
type State struct {
	Queue  []Request        `json:"queue,omitempty"`
	Kept   *Kept            `json:"kept,omitempty"`
	Agents map[string]Agent `json:"agents,omitempty"`
}

// Request is an agent that waits for a slot.
type Request struct {
	Agent string    `json:"agent"`
	Since time.Time `json:"since"`
}

// Kept is a slot that is kept for an agent, until it opens a tab or time is over.
type Kept struct {
	Agent string    `json:"agent"`
	Until time.Time `json:"until"`
}

// Agent is what is known of one that has asked for something.
type Agent struct {
	Process string    `json:"process,omitempty"` // that it lives in, where that is known
	Last    time.Time `json:"last"`              // when it last asked
}

// Tab is an extra tab.
type Tab struct {
	Agent  string
	Target string // empty for one that is being made
}

// New returns a pool that goes on where s was left.
func New(o Options, s State) *Pool {
	if o.Patience == 0 {
		o.Patience = 30 * time.Second
	}
	if o.Silence == 0 {
		o.Silence = 120 * time.Second
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if s.Agents == nil {
		s.Agents = map[string]Agent{}
	}
	return &Pool{o, s}
}

// Settle gives a slot that is free to the first in the queue, and takes one back that
// was kept for too long. It reports whether anything changed. Every other question
// settles first.
func (p *Pool) Settle(tabs []Tab) bool {
	now, changed := p.Clock(), false
	if p.Kept != nil && !now.Before(p.Kept.Until) {
		p.Kept, changed = nil, true
	}
	if p.Kept == nil && len(p.Queue) > 0 && p.free(tabs) > 0 {
		p.keepFor(0)
		changed = true
	}
	return changed
}

// free is how many slots are neither taken nor kept.
func (p *Pool) free(tabs []Tab) int {
	if p.Max == 0 {
		return 1
	}
	n := p.Max - len(tabs)
	if p.Kept != nil {
		n--
	}
	return n
}

func (p *Pool) keepFor(place int) {
	p.Kept = &Kept{p.Queue[place].Agent, p.Clock().Add(p.Patience)}
	p.Queue = slices.Delete(p.Queue, place, place+1)
}

// Admit asks for one more tab of an agent's; tabs are the oldest first. The agent
// takes the slot that is kept for it, or a free one; else its own oldest tab has to
// go, which is returned. It has none: ok is false.
func (p *Pool) Admit(agent string, tabs []Tab) (evict string, ok bool) {
	p.Settle(tabs)
	switch {
	case p.Max == 0:
		return "", true
	case p.KeptFor(agent): // also where tabs that pages opened have taken it
		p.Kept = nil
		return "", true
	case p.free(tabs) > 0:
		p.forget(agent) // it has what it waited for
		return "", true
	}
	evict = Oldest(agent, tabs)
	return evict, evict != ""
}

// Oldest is an agent's oldest tab that can be closed, empty where it has none.
func Oldest(agent string, tabs []Tab) string {
	for _, t := range tabs {
		if t.Agent == agent && t.Target != "" {
			return t.Target
		}
	}
	return ""
}

// Request puts an agent into the queue, unless it waits there already or a slot is
// kept for it, and returns its place, from 1; 0 is that a slot is kept for it.
func (p *Pool) Request(agent string, tabs []Tab) int {
	p.Settle(tabs)
	if p.Place(agent) == 0 && !p.KeptFor(agent) {
		p.Queue = append(p.Queue, Request{agent, p.Clock()})
		p.Settle(tabs)
	}
	return p.Place(agent)
}

// Place is an agent's place in the queue, from 1; 0 is none.
func (p *Pool) Place(agent string) int {
	return 1 + slices.IndexFunc(p.Queue, func(r Request) bool { return r.Agent == agent })
}

// KeptFor reports whether a slot is kept for an agent.
func (p *Pool) KeptFor(agent string) bool { return p.Kept != nil && p.Kept.Agent == agent }

// Refusal says why nothing was granted.
type Refusal int

// Refusals of [Pool.Grant].
const (
	Granted    Refusal = iota
	Nobody             // waits, but the granter itself
	NothingOwn         // the granter has no extra tab
	OneIsKept          // a slot for another has not been taken yet
)

// Grant gives up an agent's oldest tab for the first in the queue that is another:
// evict is to be closed, and its slot is kept.
func (p *Pool) Grant(agent string, tabs []Tab) (evict, to string, why Refusal) {
	p.Settle(tabs)
	place := slices.IndexFunc(p.Queue, func(r Request) bool { return r.Agent != agent })
	switch evict = Oldest(agent, tabs); {
	case place < 0 && (p.Kept == nil || p.Kept.Agent == agent):
		return "", "", Nobody
	case p.Kept != nil:
		return "", "", OneIsKept
	case evict == "":
		return "", "", NothingOwn
	}
	p.keepFor(place)
	return evict, p.Kept.Agent, Granted
}
