package broker

import (
	"cmp"
	"context"
	"slices"
	"time"

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

// outcomeOf returns the outcome that the session's task has reported, or nil.
func outcomeOf(t patches.TenantInfo) *verbs.Outcome {
	if t.Outcome == nil {
		return nil
	}
	return &verbs.Outcome{Status: t.Outcome.Status, Note: t.Outcome.Note, At: t.Outcome.At}
}

// serveDone records the outcome that the session's task reports.
func (b *broker) serveDone(ctx context.Context, call *wire.Call, in verbs.SessionDoneIn) (verbs.SessionDoneOut, error) {
	out := verbs.SessionDoneOut{Session: call.Session, Outcome: verbs.Outcome{Status: cmp.Or(in.Status, verbs.OutcomeOK), Note: in.Note, At: time.Now()}}
	if err := b.mayControl(ctx, call, call.Session, "end the task of"); err != nil {
		return out, err
	}
	known := false
	err := b.do(ctx, func() {
		known = b.mux.SetOutcome(call.Session, patches.Outcome{Status: out.Outcome.Status, Note: out.Outcome.Note, At: out.Outcome.At})
	})
	if err == nil && !known {
		err = wire.Errorf(wire.CodeNotFound, "session %s has no tab, so there is nothing to review", call.Session).WithHint("abrowser session list")
	}
	if err == nil {
		b.events.Add(verbs.Event{Kind: verbs.EventDone, Session: call.Session, Outcome: &out.Outcome})
	}
	return out, err
}

// mayControl returns an error if the session is in use (see [patches.Mux.Claimed]) and belongs to
// another agent than the caller. The error's message contains the parameter action, such as "close".
func (b *broker) mayControl(ctx context.Context, call *wire.Call, session, action string) error {
	var refusal error
	err := b.do(ctx, func() {
		holder := wire.AgentKey(b.mux.AgentOf(session))
		if b.mux.Claimed(session) && !call.Actor().MayControl(session, holder) {
			tab, _ := b.activeOf(session)
			refusal = wire.OwnershipError(action, session+"/"+tab, holder)
		}
	})
	return cmp.Or(err, refusal)
}
