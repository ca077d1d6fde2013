package broker

import (
	"context"
	"fmt"
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
	goodbyeTime  = 1500 * time.Millisecond // for tabs to close, of the 2 s that an agent's end may take
)

// newPool makes the pool of extra tabs, by the variables of the command that started
// the browser; lookup is os.LookupEnv.
func (b *broker) newPool(lookup func(string) (string, bool)) error {
	o := pool.Options{Max: defaultTabs}
	b.sweep = defaultSweep
	value := func(name string) string {
		for _, full := range []string{"ABROWSER_" + name, "AGENT_BROWSER_" + name} {
			if text, ok := lookup(full); ok && text != "" {
				return text
			}
		}
		return ""
	}
	if text := value("MAX_TABS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return wire.Errorf(wire.CodeBadInput, "ABROWSER_MAX_TABS is %q; it takes a number of tabs, 0 for no limit", text).WithHint("ABROWSER_MAX_TABS=12")
		}
		o.Max = n
	}
	for name, into := range map[string]*time.Duration{
		"RESERVATION_TIMEOUT": &o.Patience, "ORPHAN_TIMEOUT": &o.Silence, "ORPHAN_SWEEP": &b.sweep,
	} {
		var err error
		if text := value(name); text != "" {
			if *into, err = wire.ParseDuration("ABROWSER_"+name, text); err != nil {
				return err
			}
		}
	}
	b.pool, b.swept = pool.New(o, b.table.agents), time.Now()
	return nil
}

// extras are the extra tabs as the pool wants them.
func (b *broker) extras() []pool.Tab {
	var all []pool.Tab
	for _, e := range b.mux.ExtraTabs() {
		all = append(all, pool.Tab{Agent: e.Agent, Target: e.Target})
	}
	return all
}

// admit is [patches.Options].Admit: it reports whether a session may have one more tab.
// A session's first tab does not count in the pool.
func (b *broker) admit(session string) (evict string, err error) {
	if b.mux.HasNoTab(session) {
		return "", nil
	}
	tabs := b.extras()
	evict, ok := b.pool.Admit(b.mux.AgentOf(session), tabs)
	if !ok {
		return "", fmt.Errorf("POOL_FULL: Tab pool is full and you have no tabs to evict. Tab pool: %s", b.fullness(tabs))
	}
	return evict, nil
}

// fullness is how many slots of the pool are taken: 8/12.
func (b *broker) fullness(tabs []pool.Tab) string {
	if b.pool.Max == 0 {
		return fmt.Sprintf("%d/unlimited", len(tabs))
	}
	return fmt.Sprintf("%d/%d", len(tabs), b.pool.Max)
}

// keep puts on disk what the pool knows.
func (b *broker) keep() { b.Save(b.mux.State()) }

// tend gives free slots to who waits for them, and ends agents that are gone.
func (b *broker) tend() {
	if b.pool.Settle(b.extras()) {
		b.keep()
	}
	if time.Since(b.swept) < b.sweep {
		return
	}
	b.swept = time.Now()
	for _, agent := range b.pool.Orphans(b.lives) {
		b.log.Info("an agent is gone", "agent", wire.AgentKey(agent).String())
		b.goodbye(agent, func(verbs.EndAgentOut) {})
	}
}

// lives reports whether an agent lives that says nothing: one with a process of its
// own while that runs, a session of the command line while it is at work. Of one whose
// process cannot be seen from here, what it has is the sign: being idle is not being
// dead.
func (b *broker) lives(agent string, a pool.Agent) bool {
	if a.Process != "" {
		p, err := sockets.ParseProcess(a.Process)
		return err == nil && p.IsAlive()
	}
	for _, o := range b.mux.Tenants() {
		if o.Live && (o.Name == agent || o.Agent == agent) {
			return true
		}
	}
	return false
}

// knownToLive is lives for an agent that has a process of its own, which is seen to run.
func (b *broker) knownToLive(agent string) bool {
	a := b.pool.Agents[agent]
	return a.Process != "" && b.lives(agent, a)
}

// goodbye ends an agent. A session of the command line keeps what it has, which is
// its own and ends with it: only what it waits for is forgotten.
func (b *broker) goodbye(agent string, done func(verbs.EndAgentOut)) {
	b.pool.Forget(agent)
	if !wire.AgentKey(agent).IsSecret() {
		b.keep()
		done(verbs.EndAgentOut{})
		return
	}
	b.mux.EndAgent(agent, goodbyeTime, func(p patches.AgentEnd) {
		b.pool.Settle(b.extras())
		b.keep()
		if b.Bury != nil {
			for _, session := range p.Disconnected {
				b.burials.Go(func() { b.bury(session) })
			}
		}
		done(verbs.EndAgentOut{Sessions: p.Tenants, Closed: p.Closed})
	})
}

// buryTime is how long it may take to end a session without its daemon.
const buryTime = 20 * time.Second

// bury ends what is left of a session whose daemon has not heard that it ended.
func (b *broker) bury(session string) {
	ctx, cancel := context.WithTimeout(context.Background(), buryTime)
	defer cancel()
	closes, err := b.Bury(ctx, session)
	if err != nil {
		b.log.Warn("ending a session without its daemon", "error", err)
	}
	if !closes {
		return
	}
	err = b.do(ctx, func() {
		// Not where somebody has come since, whose the tabs are now.
		if of := b.mux.TenantNamed(session); len(of) == 1 && of[0].Ended && !of[0].Live {
			b.mux.End(session, true, goodbyeTime, func(patches.EndResult) {})
		}
	})
	if err != nil {
		b.log.Warn("closing the tabs of a session without its daemon", "error", err)
	}
}

func (b *broker) serveGoodbye(ctx context.Context, call *wire.Call, _ verbs.Empty) (verbs.EndAgentOut, error) {
	return await(ctx, b, func(done func(verbs.EndAgentOut)) { b.goodbye(string(call.Actor()), done) })
}

// saw notes a sign of life of who asks.
func (b *broker) saw(call *wire.Call) {
	agent, process := string(call.Actor()), ""
	if pid := wire.AgentPID(call.Agent); pid != 0 && b.pool.Agents[agent].Process == "" {
		if p, err := sockets.FindProcess(pid); err == nil {
			process = p.String()
		}
	}
	if b.pool.Saw(agent, process) {
		b.keep()
	}
}

// serveClaim says whose a session is, and gives it to who asks where it is nobody's.
func (b *broker) serveClaim(ctx context.Context, call *wire.Call, in verbs.ClaimIn) (verbs.ClaimOut, error) {
	var out verbs.ClaimOut
	err := b.do(ctx, func() {
		actor := call.Actor()
		if actor.IsSecret() && !in.QueryOnly {
			b.saw(call)
		}
		if in.QueryOnly {
			actor = ""
		}
		known := slices.ContainsFunc(b.mux.Tenants(), func(o patches.TenantInfo) bool { return o.Name == in.Session })
		holder, ended := b.mux.Claim(in.Session, string(actor), in.ReadOnly)
		out = verbs.ClaimOut{Owner: wire.AgentKey(holder), Ended: ended, Unknown: !known}
		out.Tab, out.Live = b.activeOf(in.Session)
		out.Reserved = b.mux.Claimed(in.Session)
		if !in.QueryOnly && !out.Live {
			b.idle.expect()
		}
	})
	return out, err
}

// activeOf is the active tab of a session, and whether the session is at work.
func (b *broker) activeOf(session string) (tab string, isLive bool) {
	for _, o := range b.mux.Tenants() {
		if o.Name != session {
			continue
		}
		for _, t := range o.Pages {
			if t.Target == o.Active {
				tab = tabID(t.Number)
			}
		}
		return tab, o.Live
	}
	return "", false
}

// mayClose refuses to end a session that is another agent's, who is at work or lives.
func (b *broker) mayClose(ctx context.Context, call *wire.Call, session string) error {
	var refusal error
	err := b.do(ctx, func() {
		holder := wire.AgentKey(b.mux.AgentOf(session))
		if b.mux.Claimed(session) && !call.Actor().MayControl(session, holder) {
			tab, _ := b.activeOf(session)
			refusal = wire.OwnershipError("close", session+"/"+tab, holder)
		}
	})
	if err == nil {
		err = refusal
	}
	return err
}
