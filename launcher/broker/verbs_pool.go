package broker

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/abrowser/abrowser/launcher/broker/pool"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// heavy is with how many extra tabs an agent is asked to give one up.
const heavy = 5

// shares are how many extra tabs each agent has, those with the most first.
func shares(tabs []pool.Tab, least int) []verbs.PoolShare {
	count := map[string]int{}
	for _, t := range tabs {
		count[t.Agent]++
	}
	all := []verbs.PoolShare{}
	for _, agent := range slices.Sorted(maps.Keys(count)) {
		if count[agent] >= least {
			all = append(all, verbs.PoolShare{AgentID: wire.AgentKey(agent).String(), TabCount: count[agent]})
		}
	}
	slices.SortStableFunc(all, func(x, y verbs.PoolShare) int { return y.TabCount - x.TabCount })
	return all
}

func ownShare(agent string, tabs []pool.Tab) (n int) {
	for _, t := range tabs {
		if t.Agent == agent {
			n++
		}
	}
	return n
}

// left is how long the slot of an agent is still kept, 0 where none is.
func (b *broker) left(agent string) int64 {
	if !b.pool.KeptFor(agent) {
		return 0
	}
	return max(1, time.Until(b.pool.Kept.Until).Milliseconds())
}

func (b *broker) servePoolRequest(ctx context.Context, call *wire.Call, _ verbs.Empty) (verbs.PoolRequestOut, error) {
	var out verbs.PoolRequestOut
	err := b.do(ctx, func() {
		agent, tabs := string(call.Actor()), b.extras()
		b.saw(call)
		out.Position = b.pool.Request(agent, tabs)
		b.keep()
		out.Queued, out.YouHaveReservation, out.ReservationExpires = out.Position > 0, b.pool.KeptFor(agent), b.left(agent)
		out.TabPool, out.TabHeavyAgents, out.PendingRequestCount = b.fullness(tabs), shares(tabs, heavy), len(b.pool.Queue)
		switch {
		case out.YouHaveReservation:
			out.Message = fmt.Sprintf("a slot is kept for you for %d s: open the tab now", (out.ReservationExpires+999)/1000)
		case out.Queued:
			out.Message = fmt.Sprintf("you are number %d in the queue; abrowser pool requests says when a slot is kept for you", out.Position)
		default:
			out.Message = "nobody has to wait: there is no limit"
		}
	})
	return out, err
}

func (b *broker) servePoolGrant(ctx context.Context, call *wire.Call, _ verbs.Empty) (verbs.PoolGrantOut, error) {
	var out verbs.PoolGrantOut
	var refusal error
	closed := make(chan struct{}) // by then it is, whatever becomes of the broker
	err := b.do(ctx, func() {
		agent, tabs := string(call.Actor()), b.extras()
		b.saw(call)
		evict, to, why := b.pool.Grant(agent, tabs)
		switch why {
		case pool.Nobody:
			out.Message = "No agents waiting for tab space. Your tabs are safe."
		case pool.OneIsKept:
			out.Message = fmt.Sprintf("a slot is kept for %s already. Your tabs are safe.", wire.AgentKey(b.pool.Kept.Agent))
		case pool.NothingOwn:
			refusal = wire.Errorf(wire.CodeNotFound, "you have no extra tabs to give").WithHint("abrowser pool requests")
			return
		case pool.Granted:
			for _, e := range b.mux.ExtraTabs() {
				if e.Target == evict {
					out.ClosedTab = e.Tenant + "/" + tabID(e.Number)
				}
			}
			b.mux.Evict(evict, goodbyeTime, func() { close(closed) })
			tabs = b.extras()
			out.Granted, out.GrantedTo = true, wire.AgentKey(to).String()
			out.Message = fmt.Sprintf("closed %s; the slot is kept for %s", out.ClosedTab, out.GrantedTo)
			b.keep()
		}
		out.TabCount, out.PendingRequests, out.TabPool = ownShare(agent, tabs), len(b.pool.Queue), b.fullness(tabs)
	})
	if err == nil {
		err = refusal
	}
	if out.Granted && err == nil {
		select {
		case <-closed:
		case <-b.over:
		case <-ctx.Done():
		}
	}
	return out, err
}

func (b *broker) servePoolRequests(ctx context.Context, call *wire.Call, _ verbs.Empty) (verbs.PoolRequestsOut, error) {
	out := verbs.PoolRequestsOut{PendingRequests: []verbs.PoolWait{}, ActiveReservations: []verbs.PoolReservation{}}
	err := b.do(ctx, func() {
		agent, tabs := string(call.Actor()), b.extras()
		if b.pool.Settle(tabs) {
			b.keep()
		}
		for _, r := range b.pool.Queue {
			out.PendingRequests = append(out.PendingRequests, verbs.PoolWait{
				AgentID: wire.AgentKey(r.Agent).String(), WaitingMS: time.Since(r.Since).Milliseconds(),
			})
		}
		if b.pool.Kept != nil {
			out.ActiveReservations = append(out.ActiveReservations, verbs.PoolReservation{
				AgentID: wire.AgentKey(b.pool.Kept.Agent).String(), ExpiresMS: b.left(b.pool.Kept.Agent),
			})
		}
		out.YourTabCount, out.YourPosition = ownShare(agent, tabs), b.pool.Place(agent)
		out.YouHaveReservation, out.ReservationExpires = b.pool.KeptFor(agent), b.left(agent)
		out.TabPool, out.Owners = b.fullness(tabs), shares(tabs, 1)
		waits := slices.ContainsFunc(b.pool.Queue, func(r pool.Request) bool { return r.Agent != agent })
		out.ShouldGrant = waits && b.pool.Kept == nil && out.YourTabCount >= heavy
		switch {
		case out.YouHaveReservation:
			out.Hint = "open the tab now: abrowser tab new"
		case out.ShouldGrant:
			out.Hint = "somebody waits and you have many tabs: abrowser pool grant closes your oldest extra one"
		}
	})
	return out, err
}
