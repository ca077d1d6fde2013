package daemon

import (
	"context"
	"strings"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// caller describes the sender of a command, as far as it matters for the ownership of the session.
type caller struct {
	agent string // the agent that the request names; "" is the one with the session's name
	reads bool   // any agent may run the command, since it only reads
}

// bindCaller sets the fields of c that depend on the verb and its input. It also records the
// caller in the session, because the caller may become the session's owner when the command
// connects.
func (c *Call) bindCaller(verb wire.Spec, in any) {
	tabbed, reads := in.(verbs.TabNamer)
	c.Verb, c.reads, c.Tab, c.closes = verb.Name, reads, "", ""
	// The verb wait is not marked as repeatable. A second run of a repeatable command may get
	// the whole time again, but a second run of wait must get only the time that is left.
	c.repeatable = verb.ReadOnly && verb.Name != verbs.Wait.Name
	if reads {
		c.Tab = tabbed.TabName()
	}
	c.request.Aside = isAside(in)
	switch in := in.(type) {
	case verbs.TabCloseIn:
		c.closes = in.Tab
	case verbs.TabRefIn:
		c.closes = in.Tab
	}
	c.mu.Lock()
	c.caller = &caller{c.request.Agent, reads}
	c.mu.Unlock()
}

// isAside reports whether a person reads beside the session's task.
func isAside(in any) bool {
	a, ok := in.(verbs.Asider)
	return ok && a.IsAside()
}

// claim returns the agent that owns the session. If no agent owns it, the caller of the running
// command becomes the owner, unless the command only reads. mayAct stores the owner in the
// connection, where it stays until the connection is closed.
func (s *Session) claim(ctx context.Context) (verbs.ClaimOut, error) {
	s.mu.Lock()
	by := s.caller
	s.mu.Unlock()
	out, err := s.Broker.claim(ctx, by)
	if err == nil {
		err = s.applyClaim(out, by)
	}
	return out, err
}

// applyClaim records the session's owner, which the broker has returned: see [Broker.claim]. It
// returns an error if the broker has ended the session, unless a running command uses the session
// again. claimant is the caller of the running command, or nil if no command runs.
func (s *Session) applyClaim(out verbs.ClaimOut, claimant *caller) error {
	if out.Ended && claimant == nil { // the broker ends a session when its agent ends
		s.Log.Info("the session was ended")
		s.expire()
		return wire.Errorf(wire.CodeInterrupted, "the session was ended")
	}
	return s.changeAgent(out.Owner)
}

// changeAgent records the agent that owns the session from now on. If the settings were made by
// another agent and do not apply to the new owner (see [State.appliesTo]), changeAgent ends the
// recording, writes it to its file, and drops the settings.
func (s *Session) changeAgent(to wire.AgentKey) error {
	if to == "" {
		return nil
	}
	s.State.setAgent(to)
	if s.State.Get().appliesTo(s.Name, to) {
		return nil
	}
	s.Log.Info("the session is another agent's now")
	if _, err := s.backend.FinishRecording(); err != nil {
		s.Log.Error("ending the recording", "error", err)
	}
	return s.State.Change(func(st *State) { *st = State{} })
}

// expire ends the daemon of a session that the broker has ended. Like close, it writes the
// recording to its file, drops the settings, and closes the tabs if the settings say so.
func (s *Session) expire() {
	if har, err := s.backend.FinishRecording(); err != nil {
		s.Log.Error("ending the recording", "error", err)
	} else if har != "" {
		s.Log.Info("the HAR is written")
	}
	s.State.end()
	if s.State.Get().ClosesTabs {
		ctx, cancel := context.WithTimeout(context.Background(), connectTime)
		defer cancel()
		if _, err := s.Broker.release(ctx, "", true); err != nil {
			s.Log.Error("closing the tabs", "error", err)
		}
	}
	if err := s.Root.Forget(s.Name); err != nil {
		s.Log.Error("forgetting the session", "error", err)
	}
	s.end()
}

// mayAct returns an ownership error if another agent owns the session. If no agent owns it, the
// caller becomes the owner. A command that only reads gets no error, and its caller does not
// become the owner. If the pages have settings that do not apply to the new owner, mayAct closes
// the connection and returns [ConnectionLostError].
func (c *Call) mayAct(ctx context.Context, conn *connection) error {
	holder := conn.owner()
	if holder == "" && !c.reads {
		before := c.State.Get()
		out, err := c.claim(ctx)
		if err != nil {
			return err
		}
		if !before.appliesTo(c.Name, out.Owner) {
			closeConnection(conn) // this also removes the settings from the pages
			return ConnectionLostError()
		}
		holder = out.Owner
		conn.mu.Lock()
		conn.holder = holder
		conn.mu.Unlock()
	}
	mine := holder == "" || c.request.Actor().MayControl(c.Name, holder)
	c.foreign = !mine
	if c.reads || mine {
		return nil
	}
	tab := c.Tabs.activeName(c.Name)
	if number, ok := strings.CutPrefix(c.closes, "t"); ok && IsNumber(number) {
		tab = c.Name + "/" + c.closes
	}
	return wire.OwnershipError(verbPhrase(c.Verb), tab, holder)
}

// IsNumber reports whether text consists of digits.
func IsNumber(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// takeFor makes the caller the owner of the session. It is called for a caller that is about to
// use the browser directly, without this daemon. It returns an ownership error if another agent
// owns the session.
func (s *Session) takeFor(ctx context.Context, call *wire.Call, verb string) error {
	out, err := s.Broker.claim(ctx, &caller{agent: call.Agent})
	if err != nil {
		return err
	}
	if err := s.refuse(call, verb, out.Owner); err != nil {
		return err
	}
	return s.changeAgent(out.Owner)
}

// verbPhrase returns what a verb does to a tab, for an error message.
func verbPhrase(verb string) string {
	switch verb {
	case verbs.Open.Name, verbs.Back.Name, verbs.Forward.Name, verbs.Reload.Name:
		return "navigate"
	case verbs.Close.Name, verbs.TabClose.Name:
		return "close"
	case verbs.Eval.Name:
		return "evaluate in"
	case verbs.Screenshot.Name:
		return "screenshot"
	case verbs.GetCDPURL.Name:
		return "connect to"
	case verbs.TabSwitch.Name:
		return "switch to"
	case verbs.TabNew.Name:
		return "open a tab beside"
	}
	switch group, _, _ := strings.Cut(verb, " "); group {
	case "policy":
		return "set the policies of"
	case "set":
		return "set the looks of"
	case "dialog":
		return "answer the dialogs of"
	case "network":
		return "record the requests of"
	}
	return strings.ReplaceAll(verb, "-", " ") + " in"
}

// mayClose returns an ownership error if the caller may not act in the session. If no command has
// used the session yet, it counts as owned by the agent with the session's name, because that
// agent's first command may be on its way.
func (s *Session) mayClose(ctx context.Context, call *wire.Call) error {
	holder := s.holder(ctx)
	if holder == "" && !s.isUsed() {
		holder = wire.AgentKey(s.Name)
	}
	return s.refuse(call, verbs.Close.Name, holder)
}

// isUsed reports whether an agent has used the session since this daemon started.
func (s *Session) isUsed() bool {
	if s.State.lastAgent() != "" {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.connection != nil || s.caller != nil
}

// refuse returns an ownership error if the caller may not act in the session. The parameter holder
// is the agent that owns the session. If no agent does, holder is "" and refuse returns nil.
func (s *Session) refuse(call *wire.Call, verb string, holder wire.AgentKey) error {
	if holder == "" || call.Actor().MayControl(s.Name, holder) {
		return nil
	}
	return wire.OwnershipError(verbPhrase(verb), s.Tabs.activeName(s.Name), holder)
}

// holder returns the agent that owns the session, or "" if no agent does. If the daemon has a
// connection, the result is the connection's owner. Otherwise holder asks the broker, which has
// statusTime to respond, and takes the first of these cases that applies:
//
//  1. The broker reserves the session for an agent. That agent is the owner.
//  2. The session has belonged to an agent since this daemon started. The last such agent is the
//     owner. But if the broker reports that the session has ended, no agent owns it.
//  3. The running command, or the last one, changes something. The agent that sent it is the owner,
//     because the command may be making the first connection.
func (s *Session) holder(ctx context.Context) wire.AgentKey {
	if c := s.live(); c != nil {
		return c.owner()
	}
	ctx, cancel := context.WithTimeout(ctx, statusTime)
	defer cancel()
	out, err := s.Broker.claim(ctx, nil)
	if err == nil && out.Reserved {
		return out.Owner
	}
	s.mu.Lock()
	by := s.caller
	s.mu.Unlock()
	switch last := s.State.lastAgent(); {
	case last != "" && err == nil && out.Ended: // the session has ended with its agent
		return ""
	case last != "":
		return last
	case by == nil || by.reads:
		return ""
	case by.agent != "":
		return wire.KeyOf(by.agent)
	}
	return wire.AgentKey(s.Name)
}

// maySet returns an ownership error if the caller may not act in the session. If no agent owns
// the session, maySet records that the caller makes the settings and recordings from now on.
// Settings that do not apply to the caller (see [State.appliesTo]) are dropped.
func (s *Session) maySet(ctx context.Context, call *wire.Call, verb string) error {
	if err := s.refuse(call, verb, s.holder(ctx)); err != nil {
		return err
	}
	c := s.live()
	if c != nil && c.owner() != "" {
		return nil
	}
	before := s.State.Get()
	if c != nil && !before.appliesTo(s.Name, call.Actor()) {
		closeConnection(c) // this also removes the settings from the pages
	}
	return s.changeAgent(call.Actor())
}

// requireOwner is for verbs that change something and do not wait in the queue. For such a verb it
// returns a handler that first calls [Session.maySet]. It returns other handlers unchanged. A
// queued verb needs no such handler, because it checks the caller when it connects.
func (s *Session) requireOwner(h Handler) Handler {
	spec := h.Verb.Describe()
	if !spec.Unqueued || spec.ReadOnly || spec.Name == verbs.Close.Name { // close checks by itself
		return h
	}
	serve := h.Serve
	h.Serve = func(ctx context.Context, call *wire.Call, body []byte) (any, error) {
		// A person takes over the session of any agent. The requests of tasks name an agent.
		person := call.Agent == "" && (spec.Name == verbs.TakeOver.Name || spec.Name == verbs.HandBack.Name)
		if err := s.maySet(ctx, call, spec.Name); err != nil && !person {
			return nil, err
		}
		return serve(ctx, call, body)
	}
	if h.inBatch != nil {
		h.inBatch = func(ctx context.Context, c *Call, body []byte) (any, error) { return h.Serve(ctx, c.request, body) }
	}
	return h
}

// applyCallerSettings applies the idle timeout and the owner process of a request. If the agent
// may only read, nothing is applied, because the agent means these settings for its own session.
func (s *Session) applyCallerSettings(ctx context.Context, call *wire.Call) error {
	if call.Settings.IdleTimeout == "" && call.OwnerProcess == "" {
		return nil
	}
	if holder := s.holder(ctx); holder != "" && !call.Actor().MayControl(s.Name, holder) {
		return nil
	}
	if err := s.idle.set(call.Settings.IdleTimeout); err != nil {
		return err
	}
	return s.owner.set(call.OwnerProcess)
}
