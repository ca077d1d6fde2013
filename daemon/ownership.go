package daemon

import (
	"context"
	"strings"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// caller is the caller of the command that runs.
type caller struct {
	agent string // as the caller names itself; "" is the session itself
	reads bool   // any agent may run the command, since it only reads
}

// bindCaller makes the caller of a command the one for whom a connection is made.
func (c *Call) bindCaller(verb wire.Spec, in any) {
	tabbed, reads := in.(verbs.TabNamer)
	c.Verb, c.reads, c.Tab, c.closes = verb.Name, reads, "", ""
	c.repeatable = verb.ReadOnly && verb.Name != verbs.Wait.Name // part of its time is over
	if reads {
		c.Tab = tabbed.TabName()
	}
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

// claim makes the session the caller's if it belongs to no agent, and returns whose it is.
// The connection keeps the answer: a session changes its agent only with its connection.
func (s *Session) claim(ctx context.Context) (verbs.ClaimOut, error) {
	s.mu.Lock()
	by := s.caller
	s.mu.Unlock()
	out, err := s.Broker.claim(ctx, by)
	if err == nil && out.Ended && by == nil {
		// It was ended in the browser when its agent ended, and no command has come since.
		s.Log.Info("the session was ended")
		s.expire()
		err = wire.Errorf(wire.CodeInterrupted, "the session was ended")
	}
	if err == nil {
		err = s.changeAgent(out.Owner)
	}
	return out, err
}

// changeAgent makes the session an agent's. Settings of another agent are dropped, and what
// that one has recorded is written.
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

// expire ends a session that was ended in the browser: like close, it writes what was
// recorded and drops the settings.
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

// mayAct refuses a caller to whom the session does not belong, unless the command only reads.
// A session that belongs to no agent becomes the caller's.
func (c *Call) mayAct(ctx context.Context, conn *connection) error {
	holder := conn.owner()
	if holder == "" && !c.reads {
		before := c.State.Get()
		out, err := c.claim(ctx)
		if err != nil {
			return err
		}
		if !before.appliesTo(c.Name, out.Owner) {
			closeConnection(conn) // with it go the settings of the pages
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

// takeFor makes the session a caller's for what the caller does without this daemon.
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

// mayClose refuses to end the session for a caller that does not own it. A session that no
// command has reached yet belongs to itself: its first command is on its way.
func (s *Session) mayClose(ctx context.Context, call *wire.Call) error {
	holder := s.holder(ctx)
	if holder == "" && !s.isUsed() {
		holder = wire.AgentKey(s.Name)
	}
	return s.refuse(call, verbs.Close.Name, holder)
}

// isUsed reports whether an agent has used the session since this daemon began.
func (s *Session) isUsed() bool {
	if s.State.lastAgent() != "" {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.connection != nil || s.caller != nil
}

// refuse refuses a verb to a caller that may not act in the holder's session.
func (s *Session) refuse(call *wire.Call, verb string, holder wire.AgentKey) error {
	if holder == "" || call.Actor().MayControl(s.Name, holder) {
		return nil
	}
	return wire.OwnershipError(verbPhrase(verb), s.Tabs.activeName(s.Name), holder)
}

// holder returns the agent that the session belongs to, or "" if it belongs to none. Without
// a connection the broker knows; one that does not respond at once is not waited for. While a
// connection is being made, the session belongs to the agent whose command needs it.
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
	case last != "" && err == nil && out.Ended: // with its agent
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

// maySet refuses a caller that may not act in the session, and otherwise makes the settings
// and recordings from now on the caller's.
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
		closeConnection(c) // with it go the settings of the pages
	}
	return s.changeAgent(call.Actor())
}

// requireOwner lets only the session's own agents change something by a verb that waits for no
// page. The other verbs are checked when they connect.
func (s *Session) requireOwner(h Handler) Handler {
	spec := h.Verb.Describe()
	if !spec.Unqueued || spec.ReadOnly || spec.Name == verbs.Close.Name { // close checks by itself
		return h
	}
	serve := h.Serve
	h.Serve = func(ctx context.Context, call *wire.Call, body []byte) (any, error) {
		if err := s.maySet(ctx, call, spec.Name); err != nil {
			return nil, err
		}
		return serve(ctx, call, body)
	}
	if h.inBatch != nil {
		h.inBatch = func(ctx context.Context, c *Call, body []byte) (any, error) { return h.Serve(ctx, c.request, body) }
	}
	return h
}

// applyCallerSettings applies what a caller asks for that lasts beyond its command. A caller
// that may only read means its own session by it.
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
