package cli

import (
	"context"

	"github.com/abrowser/abrowser/sockets/wire"
)

// secret reports whether an MCP client's agent acts, whose id is nobody else's.
func (a *app) secret() bool { return wire.KeyOf(a.agent).Secret() }

// agentIn is who acts in a session, empty where that is the session itself. At home
// an MCP client's agent is the task in whose environment it was started, as the
// task's commands are.
func (a *app) agentIn(session string) string {
	if a.home != "" && session == a.home {
		return ""
	}
	return a.agent
}

// actorIn is who acts in a session.
func (a *app) actorIn(session string) wire.AgentKey {
	switch agent := a.agentIn(session); {
	case agent != "":
		return wire.KeyOf(agent)
	case a.home != "":
		return wire.AgentKey(session)
	}
	return wire.AgentKey(a.session)
}

// mayRelease refuses to end a session that is another agent's, who is at work or lives.
func (a *app) mayRelease(ctx context.Context, session string) error {
	all, err := askBrowsers(ctx, a, wire.BrokerClaim, wire.ClaimIn{Session: session, Asks: true})
	if err != nil {
		return err
	}
	for _, out := range all {
		if out.Held && !a.actorIn(session).Drives(session, out.Holder) {
			return wire.OwnershipError("close", session+"/"+out.Tab, out.Holder)
		}
	}
	return nil
}
