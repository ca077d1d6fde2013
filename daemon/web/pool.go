package web

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// poolError converts the broker's error that the pool of extra tabs is full to an error with a
// code, which also lists how many extra tabs each agent has. It returns any other error as it is.
// Extra tabs are all tabs of a session but its first; the pool is the limit that the agents of a
// browser share.
func (c *call) poolError(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	at := strings.Index(err.Error(), "POOL_FULL: ")
	if at < 0 {
		return err
	}
	full := wire.Errorf(wire.CodePoolFull, "%s", firstLine(err.Error()[at:])).
		WithHint("abrowser pool request queues for a slot; abrowser pool requests says when one is kept for you")
	state, asked := c.Broker.Pool(ctx, c.Agent())
	if asked != nil {
		c.Log.Warn("asking for the pool", "error", asked)
		return full
	}
	var owners []string
	for _, share := range state.Owners {
		owners = append(owners, fmt.Sprintf("%s: %d", share.AgentID, share.TabCount))
	}
	full.Message += " Owners: " + strings.Join(owners, ", ")
	return full.With("tabPool", state.TabPool).With("ownerBreakdown", state.Owners).With("activeReservations", state.ActiveReservations)
}

// tabsBefore lists the session's tabs before another one is opened, for warnOfEvicted. If the
// session has no extra tab, the broker cannot close one to make room, and tabsBefore returns nil.
func (c *call) tabsBefore(ctx context.Context) ([]verbs.Tab, error) {
	if len(c.Tabs.Known()) <= 1 {
		return nil, nil
	}
	return c.Tabs.List(ctx)
}

// warnOfEvicted is called after a tab was opened. The parameter before lists the tabs that the
// session had until then. If one of them is not open any more, the broker has closed it to make
// room for the new tab, and warnOfEvicted warns of this.
func (c *call) warnOfEvicted(before []verbs.Tab) {
	now := c.Tabs.Known()
	for _, tab := range before {
		if !slices.ContainsFunc(now, func(left verbs.Tab) bool { return left.TargetID == tab.TargetID }) {
			c.Warn("the pool of extra tabs is full: your oldest, %s at %.200s, was closed for the new one", tab.TabID, tab.URL)
		}
	}
}
