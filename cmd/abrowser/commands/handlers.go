package commands

import (
	"bytes"
	"context"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// handler answers a verb in this process, in place of the verb's server (a daemon or a broker).
type handler func(ctx context.Context, x *run, body []byte) (any, error)

// handlers are the handlers of one verb. The verb's declaration decides which of them it needs.
type handlers struct {
	verb   string
	local  handler // answers a [wire.ByCommand] verb, or a verb with a flag that is Local
	idle   handler // answers a NoStart verb if no server runs
	silent handler // answers if the session's daemon runs but does not respond; nil means an error
}

// table lists the verbs that have handlers. The arguments of bind after the verb are the handlers
// local, idle and silent, in this order.
func table() []handlers {
	states := func(x *run) savedStates { return savedStates{x} }
	logins := func(x *run) savedLogins { return savedLogins{x} }
	return []handlers{
		bind(verbs.Close, (*run).closeAll, (*run).closeIdle, (*run).closeSilent),
		bind(verbs.SessionClose, (*run).closeSome, nil, nil),
		bind(verbs.Kill, (*run).kill, nil, nil),
		bind(verbs.Status, nil, (*run).statusIdle, (*run).statusSilent),
		bind(verbs.Session, (*run).nameSession, nil, nil),
		bind(verbs.SessionList, (*run).listSessions, nil, nil),
		bind(verbs.SessionInfo, (*run).sessionInfo, nil, nil),
		bind(verbs.SessionDone, (*run).sessionDone, nil, nil),
		bind(verbs.SessionLog, (*run).sessionLog, nil, nil),
		bind(verbs.SessionExport, (*run).exportSession, nil, nil),
		bind(verbs.Events, (*run).followEvents, nil, nil),
		bind(verbs.Tabs, (*run).tabTable, nil, nil),
		bind(verbs.AskPerson, (*run).askPerson, nil, nil),
		bind(verbs.Questions, (*run).listQuestions, nil, nil),
		bind(verbs.AnswerPerson, (*run).answerPerson, nil, nil),
		bind(verbs.Review, (*run).serveReview, nil, nil),
		bind(verbs.Login, (*run).login, nil, nil),
		bind(verbs.TabShow, (*run).showTab, nil, nil),
		bind(verbs.TabKeep, (*run).keepTab, nil, nil),
		constant(verbs.TakeOver, verbs.TakeOverOut{}),
		bind(verbs.HandBack, nil, (*run).handBackIdle, nil),
		bind(verbs.REPL, (*run).refuseREPL, nil, nil),
		bind(verbs.SessionID, (*run).sessionID, nil, nil),
		bind(verbs.Man, (*run).man, nil, nil),
		bind(verbs.Profiles, (*run).listProfiles, nil, nil),
		bind(verbs.Upgrade, (*run).upgrade, nil, nil),
		bind(verbs.SkillsList, (*run).listSkills, nil, nil),
		bind(verbs.SkillsGet, (*run).getSkill, nil, nil),
		bind(verbs.SkillsInstall, (*run).installSkills, nil, nil),
		bind(verbs.StateList, by(states, savedStates.list), nil, nil),
		bind(verbs.StateShow, by(states, savedStates.show), nil, nil),
		bind(verbs.StateClear, by(states, savedStates.clear), nil, nil),
		bind(verbs.StateClean, by(states, savedStates.clean), nil, nil),
		bind(verbs.StateRename, by(states, savedStates.rename), nil, nil),
		bind(verbs.AuthSave, by(logins, savedLogins.save), nil, nil),
		bind(verbs.AuthList, by(logins, savedLogins.list), nil, nil),
		bind(verbs.AuthShow, by(logins, savedLogins.show), nil, nil),
		bind(verbs.AuthDelete, by(logins, savedLogins.remove), nil, nil),
		bind(verbs.TabList, (*run).allTabs, (*run).tabsIdle, (*run).tabsSilent),
		bind(verbs.Install, (*run).install, nil, nil),
		bind(verbs.Doctor, (*run).doctor, nil, nil),
		bind(verbs.MCP, (*run).serveMCP, nil, nil),
		bind(verbs.MCPInstall, (*run).installMCP, nil, nil),
		bind(verbs.CDP, (*run).serveCDP, nil, nil),
		bind(verbs.Inspect, (*run).inspectPage, nil, nil),
		bind(verbs.Connect, (*run).connect, nil, nil),

		constant(verbs.BrowserStatus, verbs.BrowserStatusOut{}),
		constant(verbs.DialogStatus, verbs.DialogStatusOut{}),
		constant(verbs.PoolRequest, verbs.PoolRequestOut{TabPool: "0", TabHeavyAgents: []verbs.PoolShare{}, Message: "no agent has to wait: no browser runs"}),
		constant(verbs.PoolGrant, verbs.PoolGrantOut{TabPool: "0", Message: "No agents waiting for tab space. Your tabs are safe."}),
		constant(verbs.PoolRequests, verbs.PoolRequestsOut{PendingRequests: []verbs.PoolWait{}, ActiveReservations: []verbs.PoolReservation{}, TabPool: "0", Owners: []verbs.PoolShare{}}),
		constant(verbs.TabPrune, verbs.TabPruneOut{Pruned: []verbs.Tab{}}),
		bind(verbs.Confirm, nil, (*run).confirmIdle, nil),
		bind(verbs.Deny, nil, (*run).denyIdle, nil),
		bind(verbs.BrowserStop, (*run).stopAll, (*run).stopIdle, nil),
	}
}

// method is a handler with the verb's types.
type method[In, Out any] func(*run, context.Context, In) (*Out, error)

// bind returns the handlers of a verb. The compiler checks that their types are those of the verb.
func bind[In, Out any](v wire.Verb[In, Out], local, idle, silent method[In, Out]) handlers {
	untyped := func(serve method[In, Out]) handler {
		if serve == nil {
			return nil
		}
		return func(ctx context.Context, x *run, body []byte) (any, error) {
			in, err := wire.DecodeIn[In](bytes.NewReader(body))
			if err != nil {
				return nil, err
			}
			out, err := serve(x, ctx, in)
			if err != nil {
				return nil, err // an untyped nil, in place of a nil *Out
			}
			return out, nil
		}
	}
	return handlers{v.Name, untyped(local), untyped(idle), untyped(silent)}
}

// by returns a handler that calls a method of a type that embeds the run.
func by[T, In, Out any](embed func(*run) T, serve func(T, context.Context, In) (*Out, error)) method[In, Out] {
	return func(x *run, ctx context.Context, in In) (*Out, error) { return serve(embed(x), ctx, in) }
}

// constant returns the handlers of a verb that only has an idle handler, which always returns the
// given output.
func constant[In, Out any](v wire.Verb[In, Out], out Out) handlers {
	return bind(v, nil, func(*run, context.Context, In) (*Out, error) { return &out, nil }, nil)
}

// handlersOf returns a verb's handlers. A verb that only its server answers has no handlers.
func handlersOf(spec wire.Spec) handlers {
	for _, h := range table() {
		if h.verb == spec.Name {
			return h
		}
	}
	return handlers{}
}

// isLocal reports whether this process answers the command itself. It does so for a
// [wire.ByCommand] verb, and for any other verb if a flag that is declared as Local is on.
func (c call) isLocal() bool {
	if c.spec.By == wire.ByCommand {
		return true
	}
	for _, f := range c.verb.Fields() {
		if f.Local && c.on(f.Name) {
			return true
		}
	}
	return false
}
