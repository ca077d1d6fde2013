// Package pool shares the extra tabs of a browser among agents. An agent is a program that uses
// sessions. All tabs of a session except the first are extra tabs. A slot is room for one extra
// tab. A Pool decides which agent may open another tab, which agent must wait, and for which agent
// a slot is reserved.
//
// The package identifies an agent by a key, and records for each extra tab which agent has it. It
// has no access to the browser. The caller passes the present extra tabs to each method, and opens
// or closes tabs as the method's result says. Calls of a Pool's methods must not overlap.
//
// The invariant: while a slot is reserved for an agent, no other agent is admitted to that slot.
package pool

import (
	"fmt"
	"slices"
	"time"
)

// Options of a Pool. The zero value works.
type Options struct {
	Max         int              // the number of extra tabs of all agents; 0 means no limit
	Reservation time.Duration    // how long a slot stays reserved; default: 30 s
	Silence     time.Duration    // after this silence an agent may be an orphan; default: 120 s
	Clock       func() time.Time // default: time.Now
}

// Pool has the queue of agents that wait for an extra tab, and the slot that is reserved for one.
type Pool struct {
	Options
	State
}

// State is the part of a Pool that is saved, and from which a later Pool continues.
type State struct {
	Queue    []Request        `json:"queue,omitempty"`
	Reserved *Reservation     `json:"kept,omitempty"`
	Agents   map[string]Agent `json:"agents,omitempty"`
}

// Request is an agent that waits for a slot.
type Request struct {
	Agent string    `json:"agent"`
	Since time.Time `json:"since"`
}

// Reservation is a slot that only one agent may take, until it expires.
type Reservation struct {
	Agent string    `json:"agent"`
	Until time.Time `json:"until"`
}

// Agent is what the pool records about an agent that has sent messages.
type Agent struct {
	Process string    `json:"process,omitempty"` // the agent's process; empty if it is not known
	Last    time.Time `json:"last"`              // when the agent sent its last message
}

// Tab is an extra tab.
type Tab struct {
	Agent  string
	Target string // empty while the tab is being created
}

// New returns a pool that continues from s.
func New(o Options, s State) *Pool {
	if o.Reservation == 0 {
		o.Reservation = 30 * time.Second
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

// Update drops an expired reservation, and reserves a free slot for the first agent in the queue.
// It reports whether anything changed. Admit, Request and Grant call it first.
func (p *Pool) Update(tabs []Tab) bool {
	now, changed := p.Clock(), false
	if p.Reserved != nil && !now.Before(p.Reserved.Until) {
		p.Reserved, changed = nil, true
	}
	if p.Reserved == nil && len(p.Queue) > 0 && p.free(tabs) > 0 {
		p.reserve(0)
		changed = true
	}
	return changed
}

// free returns the number of slots that are neither taken nor reserved, or 1 if there is no limit.
func (p *Pool) free(tabs []Tab) int {
	if p.Max == 0 {
		return 1
	}
	n := p.Max - len(tabs)
	if p.Reserved != nil {
		n--
	}
	return n
}

// reserve reserves a slot for the agent at an index of the queue.
func (p *Pool) reserve(i int) {
	p.Reserved = &Reservation{p.Queue[i].Agent, p.Clock().Add(p.Reservation)}
	p.Queue = slices.Delete(p.Queue, i, i+1)
}

// Admit decides whether an agent may open one more tab, and returns the answer as ok. The agent
// takes the slot that is reserved for it, or a free slot. If no such slot exists, the agent must
// close its own oldest tab, which Admit returns as evict. If the agent has no tab to close, ok is
// false. The caller must sort tabs by age, the oldest first.
func (p *Pool) Admit(agent string, tabs []Tab) (evict string, ok bool) {
	p.Update(tabs)
	switch {
	case p.Max == 0:
		return "", true
	case p.ReservedFor(agent): // even if pages have since opened tabs that fill the pool
		p.Reserved = nil
		return "", true
	case p.free(tabs) > 0:
		p.dequeue(agent) // the agent gets the tab for which it waited
		return "", true
	}
	evict = oldest(agent, tabs)
	return evict, evict != ""
}

// oldest returns an agent's oldest tab that can be closed, or an empty string if it has none.
func oldest(agent string, tabs []Tab) string {
	for _, t := range tabs {
		if t.Agent == agent && t.Target != "" {
			return t.Target
		}
	}
	return ""
}

// Request adds an agent to the queue, unless the agent is in the queue or has a reservation. It
// returns the agent's position in the queue, or 0 if a slot is now reserved for the agent.
func (p *Pool) Request(agent string, tabs []Tab) int {
	p.Update(tabs)
	if p.Position(agent) == 0 && !p.ReservedFor(agent) {
		p.Queue = append(p.Queue, Request{agent, p.Clock()})
		p.Update(tabs)
	}
	return p.Position(agent)
}

// Position returns an agent's position in the queue, starting at 1, or 0 if it is not in the queue.
func (p *Pool) Position(agent string) int {
	return 1 + slices.IndexFunc(p.Queue, func(r Request) bool { return r.Agent == agent })
}

// ReservedFor reports whether a slot is reserved for an agent.
func (p *Pool) ReservedFor(agent string) bool { return p.Reserved != nil && p.Reserved.Agent == agent }

// Left returns how long a slot stays reserved for an agent, at least 1 ms, or 0 if no slot is
// reserved for it.
func (p *Pool) Left(agent string) time.Duration {
	if !p.ReservedFor(agent) {
		return 0
	}
	return max(time.Millisecond, p.Reserved.Until.Sub(p.Clock()))
}

// Usage describes how full the pool is, for example as "8/12".
func (p *Pool) Usage(tabs []Tab) string {
	if p.Max == 0 {
		return fmt.Sprintf("%d/unlimited", len(tabs))
	}
	return fmt.Sprintf("%d/%d", len(tabs), p.Max)
}

// Refusal is a result of [Pool.Grant]: Granted, or the reason why nothing was granted.
type Refusal int

// The results of [Pool.Grant].
const (
	Granted         Refusal = iota
	NoRequest               // no other agent waits
	NoTab                   // the granter has no extra tab
	AlreadyReserved         // a reserved slot has not been taken yet
)

// Grant gives up an agent's oldest tab for the recipient, which is the first other agent in the
// queue. It reserves the tab's slot for the recipient, and returns the tab as evict. The caller
// must close the tab.
func (p *Pool) Grant(agent string, tabs []Tab) (evict, recipient string, why Refusal) {
	p.Update(tabs)
	i := slices.IndexFunc(p.Queue, func(r Request) bool { return r.Agent != agent })
	switch evict = oldest(agent, tabs); {
	case i < 0 && (p.Reserved == nil || p.Reserved.Agent == agent):
		return "", "", NoRequest
	case p.Reserved != nil:
		return "", "", AlreadyReserved
	case evict == "":
		return "", "", NoTab
	}
	p.reserve(i)
	return evict, p.Reserved.Agent, Granted
}
