package daemon

import (
	"context"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// actor is who has the lane, and what for.
type actor struct {
	agent string // as the caller named itself; empty for the session itself
	looks bool   // it only reads, which any agent may
}

// actorOf is who asks for a verb with this input.
func actorOf(call *wire.Call, in any) actor {
	_, looks := in.(wire.Tabbed)
	return actor{call.Agent, looks}
}

// enters makes a turn's caller the one whom a connection is made for.
func (t *turn) enters(verb string, in any) {
	a := actorOf(t.call, in)
	t.verb, t.looks, t.tab = verb, a.looks, ""
	if tabbed, ok := in.(wire.Tabbed); ok {
		t.tab = tabbed.TabName()
	}
	switch in := in.(type) {
	case wire.TabCloseIn:
		t.aims = in.Tab
	case wire.TabRefIn:
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
func (s *Session) claim(ctx context.Context) (wire.ClaimOut, error) {
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
	return out, err
}

// expire ends a session that was ended on the browser's side: what was recorded is
// written, what was set for it is forgotten, as by close.
func (s *Session) expire() {
	if har, err := s.recorder.finish(); err != nil {
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
		out, err := t.claim(ctx)
		if err != nil {
			return err
		}
		holder = out.Holder
		l.mu.Lock()
		l.holder = holder
		l.mu.Unlock()
	}
	mine := holder == "" || who.Drives(t.name, holder)
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
	if err != nil || call.Actor().Drives(s.name, out.Holder) {
		return err
	}
	return wire.OwnershipError(actOf(wire.GetCDPURL.Name), s.tabName(), out.Holder)
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
	case wire.Open.Name, wire.Back.Name, wire.Forward.Name, wire.Reload.Name:
		return "navigate"
	case wire.Close.Name, wire.TabClose.Name:
		return "close"
	case wire.Eval.Name:
		return "evaluate in"
	case wire.Screenshot.Name:
		return "screenshot"
	case wire.GetCDPURL.Name:
		return "connect to"
	case wire.TabSwitch.Name:
		return "switch to"
	case wire.TabNew.Name:
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

// mayClose refuses to end the session for a caller whose it is not.
func (s *Session) mayClose(call *wire.Call) error { return s.mayDrive(call, wire.Close.Name) }

// mayDrive refuses a caller whose the session is not, as far as is known here: where
// there is no connection, the broker knows.
func (s *Session) mayDrive(call *wire.Call, verb string) error {
	_, l := s.known()
	if l == nil || l.isGone() {
		return nil
	}
	l.mu.Lock()
	holder := l.holder
	l.mu.Unlock()
	if holder == "" || call.Actor().Drives(s.name, holder) {
		return nil
	}
	return wire.OwnershipError(actOf(verb), s.tabName(), holder)
}

// owned lets a verb that waits for no page change something for the session's own
// agents alone.
func (s *Session) owned(h served) served {
	doc := h.Verb.Describe()
	if !doc.Control || doc.Reads || doc.Name == wire.Close.Name { // which guards itself
		return h
	}
	serve := h.Serve
	h.Serve = func(ctx context.Context, call *wire.Call, body []byte) (any, error) {
		if err := s.mayDrive(call, doc.Name); err != nil {
			return nil, err
		}
		return serve(ctx, call, body)
	}
	if h.inTurn != nil {
		h.inTurn = func(ctx context.Context, t *turn, body []byte) (any, error) { return h.Serve(ctx, t.call, body) }
	}
	return h
}
