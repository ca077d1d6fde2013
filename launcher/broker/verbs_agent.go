package broker

import (
	"cmp"
	"context"
	"slices"

	"github.com/abrowser/abrowser/patches"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

func (b *broker) serveGoodbye(ctx context.Context, call *wire.Call, _ verbs.Empty) (verbs.EndAgentOut, error) {
	return await(ctx, b, func(done func(verbs.EndAgentOut)) { b.endAgent(string(call.Actor()), done) })
}

// serveClaim makes the caller the owner of a session if the session is free (see
// [patches.Mux.Claim]) and the caller has set neither QueryOnly nor ReadOnly. It returns which
// agent owns the session after that.
func (b *broker) serveClaim(ctx context.Context, call *wire.Call, in verbs.ClaimIn) (verbs.ClaimOut, error) {
	var out verbs.ClaimOut
	err := b.do(ctx, func() {
		actor := call.Actor()
		if actor.IsSecret() && !in.QueryOnly {
			b.touch(call)
		}
		if in.QueryOnly {
			actor = ""
		}
		known := slices.ContainsFunc(b.mux.Tenants(), func(t patches.TenantInfo) bool { return t.Name == in.Session })
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

// activeOf returns the id of a session's active tab, and whether a client is connected.
func (b *broker) activeOf(session string) (tab string, isLive bool) {
	for _, tenant := range b.mux.TenantNamed(session) {
		for _, t := range tenant.Pages {
			if t.Target == tenant.Active {
				tab = tabID(t.Number)
			}
		}
		isLive = tenant.Live
	}
	return tab, isLive
}

// mayClose returns an error if the session is in use (see [patches.Mux.Claimed]) and belongs to
// another agent than the caller.
func (b *broker) mayClose(ctx context.Context, call *wire.Call, session string) error {
	var refusal error
	err := b.do(ctx, func() {
		holder := wire.AgentKey(b.mux.AgentOf(session))
		if b.mux.Claimed(session) && !call.Actor().MayControl(session, holder) {
			tab, _ := b.activeOf(session)
			refusal = wire.OwnershipError("close", session+"/"+tab, holder)
		}
	})
	return cmp.Or(err, refusal)
}
