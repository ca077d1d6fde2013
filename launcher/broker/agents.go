package broker

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/abrowser/abrowser/launcher/broker/pool"
	"github.com/abrowser/abrowser/patches"
	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	defaultTabs  = 12
	defaultSweep = 60 * time.Second
	closeTime    = 1500 * time.Millisecond // how long tabs may take to close; the end of an agent may take 2 s in all
	finalizeTime = 20 * time.Second        // for FinalizeSession and closing the session's tabs
)

// newPool creates the pool, which limits the number of extra tabs (see package pool). Its options
// come from the environment of the command that started the browser. The parameter lookup is
// os.LookupEnv.
func (b *broker) newPool(lookup func(string) (string, bool), s pool.State) error {
	o := pool.Options{Max: defaultTabs}
	if name, text := wire.LookupVariable(lookup, wire.Variables("MAX_TABS")); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return wire.Errorf(wire.CodeBadInput, "%s is %q, and has to be a number of tabs, 0 for no limit", name, text).WithHint("%s=12", name)
		}
		o.Max = n
	}
	b.sweepEvery = defaultSweep
	for name, into := range map[string]*time.Duration{
		"RESERVATION_TIMEOUT": &o.Reservation, "ORPHAN_TIMEOUT": &o.Silence, "ORPHAN_SWEEP": &b.sweepEvery,
	} {
		name, text := wire.LookupVariable(lookup, wire.Variables(name))
		if text == "" {
			continue
		}
		var err error
		if *into, err = wire.ParseDuration(name, text); err != nil {
			return err
		}
	}
	b.pool, b.lastSweep = pool.New(o, s), time.Now()
	return nil
}

// extraTabs returns the tabs that count in the pool. These are the tabs of the connected sessions,
// without the first tab of each session and without tabs that are being closed to make room.
func (b *broker) extraTabs() []pool.Tab {
	var all []pool.Tab
	for _, e := range b.mux.ExtraTabs() {
		all = append(all, pool.Tab{Agent: e.Agent, Target: e.Target})
	}
	return all
}

// admit decides whether a session may open another tab, and returns an error if it may not. evict
// is the tab that must be closed to make room, or empty. A session's first tab does not count in
// the pool, so it is always admitted. admit implements [patches.Options].Admit.
func (b *broker) admit(session string) (evict string, err error) {
	if b.mux.HasNoTab(session) {
		return "", nil
	}
	tabs := b.extraTabs()
	evict, ok := b.pool.Admit(b.mux.AgentOf(session), tabs)
	if !ok {
		return "", errors.New("POOL_FULL: Tab pool is full and you have no tabs to evict. Tab pool: " + b.pool.Usage(tabs))
	}
	return evict, nil
}

// tick reserves free slots for waiting agents, and ends agents that are gone.
func (b *broker) tick() {
	if b.pool.Update(b.extraTabs()) {
		b.save()
	}
	if time.Since(b.lastSweep) < b.sweepEvery {
		return
	}
	b.lastSweep = time.Now()
	for _, agent := range b.pool.Orphans(b.isAlive) {
		b.log.Info("an agent is gone", "agent", wire.AgentKey(agent).String())
		b.endAgent(agent, func(verbs.EndAgentOut) {})
	}
}

// isAlive reports whether an agent that sends nothing is alive. An agent is alive while its
// process runs. If its process is not known, it is alive while one of its sessions is connected.
func (b *broker) isAlive(agent string, a pool.Agent) bool {
	if a.Process != "" {
		p, err := sockets.ParseProcess(a.Process)
		return err == nil && p.IsAlive()
	}
	return slices.ContainsFunc(b.mux.Tenants(), func(t patches.TenantInfo) bool {
		return t.Live && (t.Name == agent || t.Agent == agent)
	})
}

// isKnownAlive reports whether an agent's process is known and runs.
func (b *broker) isKnownAlive(agent string) bool {
	a := b.pool.Agents[agent]
	return a.Process != "" && b.isAlive(agent, a)
}

// endAgent ends an agent and its sessions. A session of the command line is an agent too, but
// endAgent does not end it or close its tabs: it only drops the agent's request for a tab and its
// reservation.
func (b *broker) endAgent(agent string, done func(verbs.EndAgentOut)) {
	b.pool.Forget(agent)
	if !wire.AgentKey(agent).IsSecret() {
		b.save()
		done(verbs.EndAgentOut{})
		return
	}
	b.mux.EndAgent(agent, closeTime, func(end patches.AgentEnd) {
		b.pool.Update(b.extraTabs())
		b.save()
		if b.FinalizeSession != nil {
			for _, session := range end.Disconnected {
				b.finalizing.Go(func() { b.finalize(session) })
			}
		}
		done(verbs.EndAgentOut{Sessions: end.Tenants, Closed: end.Closed})
	})
}

// finalize calls FinalizeSession for a session whose daemon was not connected when the session
// ended. It closes the session's tabs if FinalizeSession asks for that.
func (b *broker) finalize(session string) {
	ctx, cancel := context.WithTimeout(context.Background(), finalizeTime)
	defer cancel()
	closeTabs, err := b.FinalizeSession(ctx, session)
	if err != nil {
		b.log.Warn("ending a session without its daemon", "error", err)
	}
	if !closeTabs {
		return
	}
	err = b.do(ctx, func() {
		// If a client has connected in the meantime, the tabs belong to that client, and stay open.
		if of := b.mux.TenantNamed(session); len(of) == 1 && of[0].Ended && !of[0].Live {
			b.mux.End(session, true, closeTime, func(patches.EndResult) {})
		}
	})
	if err != nil {
		b.log.Warn("closing the tabs of a session without its daemon", "error", err)
	}
}

// touch records that the calling agent has just sent a request, so that it does not count as
// gone. It also records the agent's process, if that is not known yet.
func (b *broker) touch(call *wire.Call) {
	agent, process := string(call.Actor()), ""
	if pid := wire.AgentPID(call.Agent); pid != 0 && b.pool.Agents[agent].Process == "" {
		if p, err := sockets.FindProcess(pid); err == nil {
			process = p.String()
		}
	}
	if b.pool.Touch(agent, process) {
		b.save()
	}
}
