package patches

import (
	"cmp"
	"slices"
	"time"

	"github.com/abrowser/abrowser/patches/cdp"
)

// An agent is a program that uses sessions of abrowser, and each session is a tenant of the Mux. So
// one agent can have several tenants. The Mux records the name of each tenant's agent.

// Claim makes the given agent the agent of the named tenant if the tenant is free. A tenant is free
// in any of these cases:
//
//   - It does not exist yet.
//   - It has no agent.
//   - It was ended.
//   - It is released, and its agent is not alive.
//
// If readOnly is true, the given agent only reads from the session. Such a claim creates no tenant,
// and a free tenant has no agent afterwards. If agent is empty, Claim changes nothing and only
// returns the results.
//
// The result holder is the agent that the tenant has after the call. The result ended is true if
// the tenant was ended before the call and had not been claimed since.
func (m *Mux) Claim(name, agent string, readOnly bool) (holder string, ended bool) {
	tn := m.tenants[name]
	if tn == nil {
		if agent == "" || readOnly {
			return "", false
		}
		tn = m.tenantFor(name)
		tn.Released = tn.Created // the tenant counts as released until its first connection
	}
	ended = tn.Ended
	switch {
	case agent == "" || tn.Agent != "" && m.Claimed(name):
		return tn.Agent, ended
	case readOnly:
		tn.Agent = ""
	default:
		tn.Agent = agent
	}
	tn.Ended = false
	if ended {
		tn.Outcome = nil
	}
	m.save()
	return tn.Agent, ended
}

// SetOutcome records the outcome of a tenant's task. It returns false if the tenant does not exist.
// If the tenant is ended and then claimed again, the record is removed.
func (m *Mux) SetOutcome(name string, o Outcome) bool {
	tn := m.tenants[name]
	if tn == nil {
		return false
	}
	tn.Outcome = &o
	m.save()
	return true
}

// SetLastCommand records the last command of a tenant. It is saved with the next change of the state.
func (m *Mux) SetLastCommand(name string, c Command) {
	if tn := m.tenants[name]; tn != nil {
		tn.Command = &c
	}
}

// Claimed reports whether a tenant is in use. A tenant is in use if it is live, or if it was not
// ended and its agent is alive. No other agent can claim a tenant that is in use.
func (m *Mux) Claimed(name string) bool {
	tn := m.tenants[name]
	return tn != nil && (tn.live() || !tn.Ended && tn.Agent != "" && m.AgentAlive != nil && m.AgentAlive(tn.Agent))
}

// agentName returns the name of the tenant's agent, or the tenant's own name if it has no
// agent.
func (tn *tenant) agentName() string { return cmp.Or(tn.Agent, tn.Name) }

// ExtraTab is any tab of a live tenant except the tenant's first tab. The broker limits the number
// of extra tabs.
type ExtraTab struct {
	Agent, Tenant string
	Target        string // target id; empty while the tab is being created
	Number        int
	Opened        time.Time
}

// ExtraTabs returns the extra tabs of all live tenants, the oldest first. It includes tabs that are
// being created. It omits tabs that are being closed to make room for others.
func (m *Mux) ExtraTabs() []ExtraTab {
	creating := map[*tenant]int{}
	for _, tn := range m.creates {
		creating[tn]++
	}
	var all []ExtraTab
	for _, tn := range m.sortedTenants() {
		if !tn.live() {
			continue
		}
		var own []ExtraTab
		for _, tab := range tn.sortedTabs() {
			if !m.evicting[tab.Target] {
				own = append(own, ExtraTab{tn.agentName(), tn.Name, tab.Target, tab.Number, tab.Opened})
			}
		}
		for range creating[tn] {
			own = append(own, ExtraTab{Agent: tn.agentName(), Tenant: tn.Name, Number: tn.NextTab, Opened: m.Clock()})
		}
		if len(own) > 1 {
			all = append(all, own[1:]...)
		}
	}
	slices.SortStableFunc(all, func(x, y ExtraTab) int { return cmp.Or(x.Opened.Compare(y.Opened), cmp.Compare(x.Number, y.Number)) })
	return all
}

// HasNoTab reports whether a tenant has no tab and no tab is being created for it. If so, the
// tenant's next tab is not an [ExtraTab].
func (m *Mux) HasNoTab(name string) bool {
	tn := m.tenants[name]
	if tn == nil {
		return true
	}
	for _, of := range m.creates {
		if of == tn {
			return false
		}
	}
	return len(tn.tabs) == 0
}

// AgentOf returns the agent of the named tenant. If the tenant has no agent or does not
// exist, AgentOf returns the tenant's name.
func (m *Mux) AgentOf(name string) string {
	if tn := m.tenants[name]; tn != nil {
		return tn.agentName()
	}
	return name
}

// reserveTab asks [Options.Admit] for one more tab. If Admit allows the tab, reserveTab returns the
// function settle. The caller has to call settle(true) after the new tab was created, or
// settle(false) if the creation failed. settle(true) closes the tab that Admit chose to close for
// the new one, if any.
func (m *Mux) reserveTab(tn *tenant) (settle func(made bool), refusal *cdp.Error) {
	noEviction := func(bool) {}
	if m.Admit == nil {
		return noEviction, nil
	}
	evict, err := m.Admit(tn.Name)
	switch {
	case err != nil:
		return nil, &cdp.Error{Code: -32000, Message: err.Error()}
	case evict == "":
		return noEviction, nil
	}
	m.evicting[evict] = true
	return func(made bool) {
		if !made {
			delete(m.evicting, evict)
			return
		}
		m.call("Target.closeTarget", encode(targetParam{evict}), "", nil)
	}, nil
}

// Evict closes an extra tab. From the call of Evict on, [Mux.ExtraTabs] omits the tab, although the
// tab is still open. Evict calls done() when the tab is gone or limit has passed.
func (m *Mux) Evict(target string, limit time.Duration, done func()) {
	m.evicting[target] = true
	m.closeAll([]string{target}, limit, func(int) { done() })
}

// AgentEnd is the result of [Mux.EndAgent].
type AgentEnd struct {
	Tenants      []string
	Disconnected []string // the names of those that had no client when they were ended
	Closed       int      // number of extra tabs that were closed
}

// EndAgent ends all tenants of an agent with [Mux.End], and closes the extra tabs of the live ones.
// The agent's other tabs stay open, except those in browser contexts that End disposes. EndAgent
// calls done() when the tabs to be closed are gone or limit has passed.
func (m *Mux) EndAgent(agent string, limit time.Duration, done func(AgentEnd)) {
	var ids []string
	var p AgentEnd
	for _, e := range m.ExtraTabs() {
		if e.Agent == agent && e.Target != "" {
			ids = append(ids, e.Target)
		}
	}
	for _, tn := range m.sortedTenants() {
		if tn.Agent != agent || tn.Ended {
			continue
		}
		p.Tenants = append(p.Tenants, tn.Name)
		if len(tn.clients) == 0 {
			p.Disconnected = append(p.Disconnected, tn.Name)
		}
	}
	waiting := 1 + len(p.Tenants)
	ended := func() {
		if waiting--; waiting == 0 {
			done(p)
		}
	}
	m.closeAll(ids, limit, func(closed int) { p.Closed = closed; ended() })
	for _, name := range p.Tenants {
		m.End(name, false, limit, func(EndResult) { ended() })
	}
}
