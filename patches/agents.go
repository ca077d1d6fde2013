package patches

import (
	"cmp"
	"slices"
	"time"

	"github.com/abrowser/abrowser/patches/cdp"
)

// Whoever drives an owner's targets, several owners may be one agent's. The Board
// keeps whose an owner is, and knows of an agent nothing but its name.

// Claim gives an owner to an agent if it is nobody's: new, ended, or without a
// connection for long, unless its agent lives. It returns whose the owner is then, and
// whether it was ended since anybody used it. Only looking, an agent gets nothing; an
// agent without a name only asks.
func (m *Mux) Claim(name, agent string, looks bool) (holder string, ended bool) {
	tn := m.tenants[name]
	if tn == nil {
		if agent == "" || looks {
			return "", false
		}
		tn = m.tenantFor(name)
		tn.Released = tn.Created // until its first connection
	}
	ended = tn.Ended
	switch {
	case agent == "" || tn.Agent != "" && m.Claimed(name):
		return tn.Agent, ended
	case looks:
		tn.Agent = ""
	default:
		tn.Agent = agent
	}
	tn.Ended = false
	m.save()
	return tn.Agent, ended
}

// Held reports whether an owner is somebody's, who may not be passed over: it is at
// work, or rests while its agent lives.
func (m *Mux) Claimed(name string) bool {
	tn := m.tenants[name]
	return tn != nil && (tn.live() || !tn.Ended && tn.Agent != "" && m.AgentAlive != nil && m.AgentAlive(tn.Agent))
}

// holder is the agent that an owner is of.
func (tn *tenant) agentName() string { return cmp.Or(tn.Agent, tn.Name) }

// Extra is a tab of an owner at work, beyond its first.
type ExtraTab struct {
	Agent, Tenant string
	Target        string // empty for one that is being made
	Number        int
	Opened        time.Time
}

// Extras lists the extra tabs of all owners at work, the oldest first, with those
// that are being made and without those that are about to be closed.
func (m *Mux) ExtraTabs() []ExtraTab {
	making := map[*tenant]int{}
	for _, tn := range m.creates {
		making[tn]++
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
		for range making[tn] {
			own = append(own, ExtraTab{Agent: tn.agentName(), Tenant: tn.Name, Number: tn.NextTab, Opened: m.Clock()})
		}
		if len(own) > 1 {
			all = append(all, own[1:]...)
		}
	}
	slices.SortStableFunc(all, func(x, y ExtraTab) int { return cmp.Or(x.Opened.Compare(y.Opened), cmp.Compare(x.Number, y.Number)) })
	return all
}

// First reports whether the next tab of an owner is not an extra one: it has none.
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

// HolderOf is the agent that an owner is of.
func (m *Mux) AgentOf(name string) string {
	if tn := m.tenants[name]; tn != nil {
		return tn.agentName()
	}
	return name
}

// makeRoom asks whether an owner may have one more tab. The function that it returns
// is called when there is one, or will not be.
func (m *Mux) reserveTab(tn *tenant) (settle func(made bool), refusal *cdp.Error) {
	nothing := func(bool) {}
	if m.Admit == nil {
		return nothing, nil
	}
	evict, err := m.Admit(tn.Name)
	switch {
	case err != nil:
		return nil, &cdp.Error{Code: -32000, Message: err.Error()}
	case evict == "":
		return nothing, nil
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

// Evict closes an extra tab, which is no extra tab from now on. done is called when it
// is gone or limit has passed.
func (m *Mux) Evict(target string, limit time.Duration, done func()) {
	m.evicting[target] = true
	m.closeAll([]string{target}, limit, func(int) { done() })
}

// Parting is what an agent's end was the end of.
type AgentEnd struct {
	Tenants      []string
	Disconnected []string // of these, those that had no client to hear of it
	Closed       int      // tabs
}

// Goodbye ends what an agent has: of its owners at work the extra tabs are closed and
// the others left, as by [Board.Release]; so are all tabs of those that rest. done is
// called when the tabs are gone or limit has passed.
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
	told := func() {
		if waiting--; waiting == 0 {
			done(p)
		}
	}
	m.closeAll(ids, limit, func(closed int) { p.Closed = closed; told() })
	for _, name := range p.Tenants {
		m.End(name, false, limit, func(EndResult) { told() })
	}
}
