package cli

import (
	"cmp"
	"context"
	"strings"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// secret reports whether an MCP client's agent acts, whose id is nobody else's.
func (a *app) secret() bool { return wire.KeyOf(a.agent).IsSecret() }

// agentIn returns the agent that acts in a session, empty where that is the session
// itself. At home an MCP client's agent is the task in whose environment it was started,
// as the task's commands are.
func (a *app) agentIn(session string) string {
	agent := cmp.Or(a.agent, a.session)
	if session == a.home || session == agent {
		return ""
	}
	return agent
}

// actorIn is [app.agentIn] as the key that ownership is compared by.
func (a *app) actorIn(session string) wire.AgentKey {
	if agent := a.agentIn(session); agent != "" {
		return wire.KeyOf(agent)
	}
	return wire.AgentKey(session)
}

// isPerson reports whether the command was not given to a task or an agent, which have a
// session set in their environment or an id.
func (a *app) isPerson() bool {
	_, ours := a.layers.lookup("ABROWSER_SESSION")
	_, theirs := a.layers.lookup("AGENT_BROWSER_SESSION")
	return !a.secret() && !ours && !theirs
}

// checkPerson refuses flags that only a person may give.
func (a *app) checkPerson(l line) error {
	for _, f := range l.verb.Fields() {
		if f.Person && l.on(f.Name) && !a.isPerson() {
			return wire.Errorf(wire.CodeBadInput, "--%s is for a person, and a session is set in the environment", f.Flag).
				WithHint("env -u ABROWSER_SESSION -u AGENT_BROWSER_SESSION abrowser %s", strings.Join(l.words, " "))
		}
	}
	return nil
}

// mayEnd refuses to end a session that another agent has, or had last. It is stricter
// than [app.mayRelease], since the session is not named but is one of several.
func (a *app) mayEnd(ctx context.Context, session string) error {
	all, err := askBrowsers(ctx, a, verbs.BrokerClaim, verbs.ClaimIn{Session: session, QueryOnly: true})
	if err != nil {
		return err
	}
	holder, tab := wire.AgentKey(session), "t1"
	for _, out := range all {
		if !out.Unknown {
			holder, tab = cmp.Or(out.Owner, holder), cmp.Or(out.Tab, tab)
		}
	}
	if a.actorIn(session).MayControl(session, holder) {
		return nil
	}
	return wire.OwnershipError("close", session+"/"+tab, holder)
}

// mayRelease refuses to end a session that is another agent's, who is at work or lives.
func (a *app) mayRelease(ctx context.Context, session string) error {
	all, err := askBrowsers(ctx, a, verbs.BrokerClaim, verbs.ClaimIn{Session: session, QueryOnly: true})
	if err != nil {
		return err
	}
	for _, out := range all {
		if out.Reserved && !a.actorIn(session).MayControl(session, out.Owner) {
			return wire.OwnershipError("close", session+"/"+out.Tab, out.Owner)
		}
	}
	return nil
}
