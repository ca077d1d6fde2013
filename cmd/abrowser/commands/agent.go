package commands

import (
	"cmp"
	"context"
	"os"

	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// isMCPAgent reports whether the command acts for an MCP client, which is an agent with a secret
// id.
func (x *run) isMCPAgent() bool { return wire.KeyOf(x.agent).IsSecret() }

// agentIn returns the agent for which the command acts in the given session, or "" if it acts for
// the session itself. An MCP client acts for the session itself only in its home session, which
// is the session of the task that has started the MCP server.
func (x *run) agentIn(session string) string {
	agent := cmp.Or(x.agent, x.session)
	if session == x.home || session == agent {
		return ""
	}
	return agent
}

// actorIn returns the key of the agent for which the command acts in the given session, or the
// session's own key if the command acts for the session itself. The owner of a session is
// compared with this key.
func (x *run) actorIn(session string) wire.AgentKey {
	if agent := x.agentIn(session); agent != "" {
		return wire.KeyOf(agent)
	}
	return wire.AgentKey(session)
}

// isPerson reports whether a person gave the command, not a task or an MCP client. A task has a
// session set in its environment, and an MCP client has an agent with a secret id.
func (x *run) isPerson() bool { return x.identity.Person && !x.isMCPAgent() }

// checkPerson returns an error if the verb, or a flag, is for a person only and the caller is not a
// person.
func (x *run) checkPerson(c call) error {
	if c.spec.Person && !x.isPerson() {
		return wire.Errorf(wire.CodeOwnership, "%s is for a person, and this is a task, since the environment names a session", c.spec.Name).
			WithHint("env -u ABROWSER_SESSION -u AGENT_BROWSER_SESSION abrowser --session %s %s", x.session, c.spec.Name)
	}
	for _, f := range c.verb.Fields() {
		if f.Person && c.on(f.Name) && !x.isPerson() {
			return wire.Errorf(wire.CodeBadInput, "--%s is for a person, and a session is set in the environment", f.Flag).
				WithHint("env -u ABROWSER_SESSION -u AGENT_BROWSER_SESSION abrowser %s", c.spec.Name)
		}
	}
	return nil
}

// ownSession is called when the command has just started the daemon of its session. If the session
// is the home session of an MCP client, ownSession makes this process, the MCP server, the owner
// of the session. The session then ends with the MCP server. If a command of the task has started
// the daemon instead, the home session does not end with the MCP server.
func (x *run) ownSession() {
	if x.home == "" || x.session != x.home || x.owner != "" {
		return
	}
	if p, err := sockets.FindProcess(os.Getpid()); err == nil {
		x.owner = p.String()
	}
}

// mayEnd returns an error if another agent owns the session or was the last to own it. It is for
// a session that the caller has not named, and is therefore stricter than [run.mayRelease].
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

// mayRelease returns an error if another agent owns the session and the session is in use. It is
// in use if its daemon is connected to a broker or its owner is alive.
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
