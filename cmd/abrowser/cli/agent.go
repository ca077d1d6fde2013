package cli

import (
	"context"

	"github.com/abrowser/abrowser/sockets/wire"
)

// secret reports whether an MCP client's agent acts, whose id is nobody else's.
func (a *app) secret() bool { return wire.KeyOf(a.agent).Secret() }

// actor is who acts.
func (a *app) actor() wire.AgentKey {
	if a.agent != "" {
		return wire.KeyOf(a.agent)
	}
	return wire.AgentKey(a.session)
}

// mayRelease refuses to end a session that is at work for another agent.
func (a *app) mayRelease(ctx context.Context, session string) error {
	all, err := askBrowsers(ctx, a, wire.BrokerClaim, wire.ClaimIn{Session: session, Asks: true})
	if err != nil {
		return err
	}
	for _, out := range all {
		if out.Live && !a.actor().Drives(session, out.Holder) {
			return wire.OwnershipError("close", session+"/"+out.Tab, out.Holder)
		}
	}
	return nil
}
