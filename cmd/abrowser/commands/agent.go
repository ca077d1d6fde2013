package commands

import (
	"cmp"
	"context"
	"os"

	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// isMCPAgent reports whether the agent of an MCP client acts, whose id is secret.
func (x *run) isMCPAgent() bool { return wire.KeyOf(x.agent).IsSecret() }

// agentIn returns the agent that acts in a session, empty if that is the session itself. In its
// home session an MCP client's agent is the task in whose environment it was started, like the
// task's commands.
func (x *run) agentIn(session string) string {
	agent := cmp.Or(x.agent, x.session)
	if session == x.home || session == agent {
		return ""
	}
	return agent
}

// actorIn is [run.agentIn] as the key that ownership is compared by.
func (x *run) actorIn(session string) wire.AgentKey {
	if agent := x.agentIn(session); agent != "" {
		return wire.KeyOf(agent)
	}
	return wire.AgentKey(session)
}

// isPerson reports whether neither a task nor an agent gave the command: a task has a session
// set in its environment, an agent an id.
func (x *run) isPerson() bool { return x.identity.Person && !x.isMCPAgent() }

// checkPerson refuses flags that only a person may give.
func (x *run) checkPerson(c call) error {
	for _, f := range c.verb.Fields() {
		if f.Person && c.on(f.Name) && !x.isPerson() {
			return wire.Errorf(wire.CodeBadInput, "--%s is for a person, and a session is set in the environment", f.Flag).
				WithHint("env -u ABROWSER_SESSION -u AGENT_BROWSER_SESSION abrowser %s", c.spec.Name)
		}
	}
	return nil
}

// ownSession makes our process the owner of the home session's daemon that it has just
// started, so that the session ends with the MCP client. A session that the task's own commands
// began goes on.
func (x *run) ownSession() {
	if x.home == "" || x.session != x.home || x.owner != "" {
		return
	}
	if p, err := sockets.FindProcess(os.Getpid()); err == nil {
		x.owner = p.String()
	}
}

// mayEnd refuses to end a session that another agent owns, or owned last. It is stricter than
// [run.mayRelease], since the caller has not named the session.
func (x *run) mayEnd(ctx context.Context, session string) error {
	all, err := askBrowsers(ctx, x, verbs.BrokerClaim, verbs.ClaimIn{Session: session, QueryOnly: true})
	if err != nil {
		return err
	}
	holder, tab := wire.AgentKey(session), "t1"
	for _, out := range all {
		if !out.Unknown {
			holder, tab = cmp.Or(out.Owner, holder), cmp.Or(out.Tab, tab)
		}
	}
	if x.actorIn(session).MayControl(session, holder) {
		return nil
	}
	return wire.OwnershipError("close", session+"/"+tab, holder)
}

// mayRelease refuses to end a session that another agent owns which runs a command or is alive.
func (x *run) mayRelease(ctx context.Context, session string) error {
	all, err := askBrowsers(ctx, x, verbs.BrokerClaim, verbs.ClaimIn{Session: session, QueryOnly: true})
	if err != nil {
		return err
	}
	for _, out := range all {
		if out.Reserved && !x.actorIn(session).MayControl(session, out.Owner) {
			return wire.OwnershipError("close", session+"/"+out.Tab, out.Owner)
		}
	}
	return nil
}
