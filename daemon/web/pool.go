package daemon

import (
	"context"
	"strings"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// poolFull is the error for a tab that the pool of extra tabs has no room for, with
// who has how many; any other error is returned as it is.
func (t *turn) poolFull(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	at := strings.Index(err.Error(), "POOL_FULL: ")
	if at < 0 {
		return err
	}
	full := wire.Errorf(wire.CodePoolFull, "%s", firstLine(err.Error()[at:])).
		WithHint("abrowser pool request queues for a slot; abrowser pool requests says when one is kept for you")
	state, asked := t.broker.as(t.call.Agent).pool(ctx)
	if asked != nil {
		t.log.Warn("asking for the pool", "error", asked)
		return full
	}
	var owners []string
	for _, share := range state.Owners {
		owners = append(owners, share.AgentID+": "+itoa(share.TabCount))
	}
	full.Message += " Owners: " + strings.Join(owners, ", ")
	return full.With("tabPool", state.TabPool).With("ownerBreakdown", state.Owners).With("activeReservations", state.ActiveReservations)
}

func (b *broker) pool(ctx context.Context) (verbs.PoolRequestsOut, error) {
	var out verbs.PoolRequestsOut
	return out, b.ask(ctx, verbs.PoolRequests.Spec, verbs.Nothing{}, &out)
}

// roomFor lists the session's tabs before there is one more, where one of them may
// have to go for it.
func (t *turn) roomFor(ctx context.Context) ([]verbs.Tab, error) {
	t.mu.Lock()
	several := len(t.tabs) > 1
	t.mu.Unlock()
	if !several {
		return nil, nil
	}
	return t.listTabs(ctx)
}

// tellEvicted warns of the tabs that went since.
func (t *turn) tellEvicted(before []verbs.Tab) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, tab := range before {
		gone := true
		for _, left := range t.tabs {
			gone = gone && left.TargetID != tab.TargetID
		}
		if gone {
			t.call.Warn("the pool of extra tabs is full: your oldest, %s at %.200s, was closed for the new one", tab.TabID, tab.URL)
		}
	}
}
