package daemon

import (
	"context"
	"strings"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// actor is who has the lane, and what for.
type actor struct {
	agent string // as the caller named itself; empty for the session itself
	looks bool   // it only reads, which any agent may
}

// actorOf is who asks for a verb with this input.
func actorOf(call *wire.Call, in any) actor {
	_, looks := in.(verbs.TabNamer)
	return actor{call.Agent, looks}
}

// enters makes a turn's caller the one whom a connection is made for.
func (t *turn) enters(verb wire.Spec, in any) {
	a := actorOf(t.call, in)
	t.verb, t.looks, t.tab = verb.Name, a.looks, ""
	t.reads = verb.ReadOnly && verb.Name != verbs.Wait.Name // which has waited already
	if tabbed, ok := in.(verbs.TabNamer); ok {
		t.tab = tabbed.TabName()
	}
	switch in := in.(type) {
	case verbs.TabCloseIn:
		t.aims = in.Tab
	case verbs.TabRefIn:
		t.aims = in.Tab
	default:
		t.aims = ""
	}
	t.mu.Lock()
	t.actor = &a
	t.mu.Unlock()
}

// claim makes the session the caller's where it is nobody's, and keeps whose it is for
// as long as the connection lasts: only with it the session changes hands.
func (s *Session) claim(ctx context.Context) (verbs.ClaimOut, error) {
	s.mu.Lock()
	a := s.actor
	s.mu.Unlock()
	out, err := s.broker.claim(ctx, a)
	if err == nil && out.Ended && a == nil {
		// With the agent that it was of, on the browser's side. Nobody wants it since.
		s.log.Info("the session was ended")
		s.expire()
		err = wire.Errorf(wire.CodeInterrupted, "the session was ended")
	}
	if err == nil {
		err = s.handOver(out.Owner)
	}
	return out, err
}

// handOver has the session be an agent's. What another agent had set for it, who had it
// before, is forgotten, and what that one had recorded is written.
func (s *Session) handOver(to wire.AgentKey) error {
	if to == "" {
		return nil
	}
	s.kept.setBy(to)
	before := s.kept.get()
	if before.passes(s.name, to) {
		return nil
	}
	s.log.Info("the session is another agent's now")
	if _, err := s.finishRecording(); err != nil {
		s.log.Error("ending the recording", "error", err)
	}
	return s.kept.change(func(k *kept) { *k = kept{} })
}

// expire ends a session that was ended on the browser's side: what was recorded is
// written, what was set for it is forgotten, as by close.
func (s *Session) expire() {
	if har, err := s.finishRecording(); err != nil {
		s.log.Error("ending the recording", "error", err)
	} else if har != "" {
		s.log.Info("the HAR is written")
	}
	s.kept.end()
	if s.kept.get().Closes {
		ctx, cancel := context.WithTimeout(context.Background(), connectTime)
		defer cancel()
		if _, err := s.broker.release(ctx, "", true); err != nil {
			s.log.Error("closing the tabs", "error", err)
		}
	}
	if err := s.root.Forget(s.name); err != nil {
		s.log.Error("forgetting the session", "error", err)
	}
	s.end()
}

// mayAct refuses a caller whose the session is not, unless it only reads. A session
// that is nobody's becomes the caller's.
func (t *turn) mayAct(ctx context.Context, l *link) error {
	who := t.call.Actor()
	l.mu.Lock()
	holder := l.holder
	l.mu.Unlock()
	if holder == "" && !t.looks {
		before := t.kept.get()
		out, err := t.claim(ctx)
		if err != nil {
			return err
		}
		if !before.passes(t.name, out.Owner) {
			t.unlink(l) // with it goes what was set on the pages
			return goneError()
		}
		holder = out.Owner
		l.mu.Lock()
		l.holder = holder
		l.mu.Unlock()
	}
	mine := holder == "" || who.MayControl(t.name, holder)
	t.foreign = !mine
	if t.looks || mine {
		return nil
	}
	tab := t.tabName()
	if number, ok := strings.CutPrefix(t.aims, "t"); ok && isNumber(number) {
		tab = t.name + "/" + t.aims
	}
	return wire.OwnershipError(actOf(t.verb), tab, holder)
}

// takeFor makes the session a caller's for what it does past this daemon.
func (s *Session) takeFor(ctx context.Context, call *wire.Call) error {
	out, err := s.broker.claim(ctx, &actor{agent: call.Agent})
	if err != nil {
		return err
	}
	if err := s.refuse(call, verbs.GetCDPURL.Name, out.Owner); err != nil {
		return err
	}
	return s.handOver(out.Owner)
}

// tabName is the session's active tab as others name it.
func (s *Session) tabName() string {
	if tab, _ := s.known(); tab.TabID != "" {
		return s.name + "/" + tab.TabID
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	name := s.name + "/t1"
	for _, tab := range s.tabs {
		if tab.Active {
			name = s.name + "/" + tab.TabID
		}
	}
	return name
}

// actOf is what a verb does to a tab, as an error says it.
func actOf(verb string) string {
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

// mayClose refuses to end the session for a caller that does not own it. A session that
// no command has reached yet belongs to itself: its first command is on the way.
func (s *Session) mayClose(ctx context.Context, call *wire.Call) error {
	holder := s.holder(ctx)
	if holder == "" && !s.isUsed() {
		holder = wire.AgentKey(s.name)
	}
	return s.refuse(call, verbs.Close.Name, holder)
}

// isUsed reports whether an agent has used the session since this daemon began.
func (s *Session) isUsed() bool {
	if s.kept.holder() != "" {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.link != nil || s.actor != nil
}

// mayDrive refuses a caller whose the session is not. Where there is no connection, the
// broker knows; one that does not answer at once holds nobody up.
func (s *Session) mayDrive(ctx context.Context, call *wire.Call, verb string) error {
	return s.refuse(call, verb, s.holder(ctx))
}

// refuse refuses a verb to a caller that may not act in the holder's session.
func (s *Session) refuse(call *wire.Call, verb string, holder wire.AgentKey) error {
	if holder == "" || call.Actor().MayControl(s.name, holder) {
		return nil
	}
	return wire.OwnershipError(actOf(verb), s.tabName(), holder)
}

// holder returns the agent that the session belongs to, empty where it belongs to nobody.
// While a connection to the browser is being made, that is the agent whose command needs
// it.
func (s *Session) holder(ctx context.Context) wire.AgentKey {
	if l, holder := s.linkHolder(); l != nil {
		return holder
	}
	ctx, cancel := context.WithTimeout(ctx, statusTime)
	defer cancel()
	out, err := s.broker.claim(ctx, nil)
	if err == nil && out.Reserved {
		return out.Owner
	}
	s.mu.Lock()
	a := s.actor
	s.mu.Unlock()
	switch last := s.kept.holder(); {
	case last != "" && err == nil && out.Ended: // with its agent
		return ""
	case last != "":
		return last
	case a == nil || a.looks:
		return ""
	case a.agent != "":
		return wire.KeyOf(a.agent)
	}
	return wire.AgentKey(s.name)
}

// linkHolder is the connection, nil where there is none, and whose the session is as
// far as that is known with it.
func (s *Session) linkHolder() (*link, wire.AgentKey) {
	_, l := s.known()
	if l == nil || l.isGone() {
		return nil, ""
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l, l.holder
}

// maySet is [Session.mayDrive] for what is set or recorded from now on: that is the
// caller's, then.
func (s *Session) maySet(ctx context.Context, call *wire.Call, verb string) error {
	if err := s.mayDrive(ctx, call, verb); err != nil {
		return err
	}
	l, holder := s.linkHolder()
	if holder != "" {
		return nil
	}
	before := s.kept.get()
	if l != nil && !before.passes(s.name, call.Actor()) {
		s.unlink(l) // with it goes what was set on the pages
	}
	return s.handOver(call.Actor())
}

// owned lets a verb that waits for no page change something for the session's own
// agents alone.
func (s *Session) owned(h served) served {
	doc := h.Verb.Describe()
	if !doc.Unqueued || doc.ReadOnly || doc.Name == verbs.Close.Name { // which guards itself
		return h
	}
	serve := h.Serve
	h.Serve = func(ctx context.Context, call *wire.Call, body []byte) (any, error) {
		if err := s.maySet(ctx, call, doc.Name); err != nil {
			return nil, err
		}
		return serve(ctx, call, body)
	}
	if h.inTurn != nil {
		h.inTurn = func(ctx context.Context, t *turn, body []byte) (any, error) { return h.Serve(ctx, t.call, body) }
	}
	return h
}
