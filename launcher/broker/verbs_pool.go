package broker

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/abrowser/abrowser/launcher/broker/pool"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// manyTabs is how many extra tabs an agent must have to be asked to give one up.
const manyTabs = 5

// shares returns how many extra tabs each agent has, the largest number first. It leaves out the
// agents that have fewer extra tabs than the parameter least.
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

// shareOf returns how many extra tabs an agent has.
func shareOf(agent string, tabs []pool.Tab) (n int) {
	for _, t := range tabs {
		if t.Agent == agent {
			n++
		}
	}
	return n
}

func (b *broker) servePoolRequest(ctx context.Context, call *wire.Call, _ verbs.Empty) (verbs.PoolRequestOut, error) {
	var out verbs.PoolRequestOut
	err := b.do(ctx, func() {
		agent, tabs := string(call.Actor()), b.extraTabs()
		b.touch(call)
		out.Position = b.pool.Request(agent, tabs)
		b.save()
		out.Queued, out.YouHaveReservation, out.ReservationExpires = out.Position > 0, b.pool.ReservedFor(agent), b.pool.Left(agent).Milliseconds()
		out.TabPool, out.TabHeavyAgents, out.PendingRequestCount = b.pool.Usage(tabs), shares(tabs, manyTabs), len(b.pool.Queue)
		switch {
		case out.YouHaveReservation:
			out.Message = fmt.Sprintf("a slot is reserved for you for %d s: open the tab now", (out.ReservationExpires+999)/1000)
		case out.Queued:
			out.Message = fmt.Sprintf("you are number %d in the queue; abrowser pool requests shows when a slot is reserved for you", out.Position)
		default:
			out.Message = "the number of tabs is not limited: open the tab now"
		}
	})
	return out, err
}

func (b *broker) servePoolGrant(ctx context.Context, call *wire.Call, _ verbs.Empty) (verbs.PoolGrantOut, error) {
	var out verbs.PoolGrantOut
	var refusal error
	closed := make(chan struct{}) // closed when the tab is closed
	err := b.do(ctx, func() {
		agent, tabs := string(call.Actor()), b.extraTabs()
		b.touch(call)
		evict, to, why := b.pool.Grant(agent, tabs)
		switch why {
		case pool.NoRequest:
			out.Message = "No agents waiting for tab space. Your tabs are safe."
		case pool.AlreadyReserved:
			out.Message = fmt.Sprintf("a slot is already reserved for %s. Your tabs are safe.", wire.AgentKey(b.pool.Reserved.Agent))
		case pool.NoTab:
			refusal = wire.Errorf(wire.CodeNotFound, "you have no extra tabs to give up").WithHint("abrowser pool requests")
			return
		case pool.Granted:
			for _, e := range b.mux.ExtraTabs() {
				if e.Target == evict {
					out.ClosedTab = e.Tenant + "/" + tabID(e.Number)
				}
			}
			b.mux.Evict(evict, closeTime, func() { close(closed) })
			tabs = b.extraTabs()
			out.Granted, out.GrantedTo = true, wire.AgentKey(to).String()
			out.Message = fmt.Sprintf("closed %s; the slot is reserved for %s", out.ClosedTab, out.GrantedTo)
			b.save()
		}
		out.TabCount, out.PendingRequests, out.TabPool = shareOf(agent, tabs), len(b.pool.Queue), b.pool.Usage(tabs)
	})
	err = cmp.Or(err, refusal)
	if out.Granted && err == nil {
		select {
		case <-closed:
		case <-b.done:
		case <-ctx.Done():
		}
	}
	return out, err
}

func (b *broker) servePoolRequests(ctx context.Context, call *wire.Call, _ verbs.Empty) (verbs.PoolRequestsOut, error) {
	out := verbs.PoolRequestsOut{PendingRequests: []verbs.PoolWait{}, ActiveReservations: []verbs.PoolReservation{}}
	err := b.do(ctx, func() {
		agent, tabs := string(call.Actor()), b.extraTabs()
		if b.pool.Update(tabs) {
			b.save()
		}
		othersWait := false
		for _, r := range b.pool.Queue {
			othersWait = othersWait || r.Agent != agent
			out.PendingRequests = append(out.PendingRequests, verbs.PoolWait{
				AgentID: wire.AgentKey(r.Agent).String(), WaitingMS: time.Since(r.Since).Milliseconds(),
			})
		}
		if r := b.pool.Reserved; r != nil {
			out.ActiveReservations = append(out.ActiveReservations, verbs.PoolReservation{
				AgentID: wire.AgentKey(r.Agent).String(), ExpiresMS: b.pool.Left(r.Agent).Milliseconds(),
			})
		}
		out.YourTabCount, out.YourPosition = shareOf(agent, tabs), b.pool.Position(agent)
		out.YouHaveReservation, out.ReservationExpires = b.pool.ReservedFor(agent), b.pool.Left(agent).Milliseconds()
		out.TabPool, out.Owners = b.pool.Usage(tabs), shares(tabs, 1)
		out.ShouldGrant = othersWait && b.pool.Reserved == nil && out.YourTabCount >= manyTabs
		switch {
		case out.YouHaveReservation:
			out.Hint = "open the tab now: abrowser tab new"
		case out.ShouldGrant:
			out.Hint = "another agent waits and you have many tabs: abrowser pool grant closes your oldest extra one"
		}
	})
	return out, err
}
