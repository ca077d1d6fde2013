package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// close ends the session: what runs is given up, the tabs stay or are closed, and
// the daemon ends once this is answered.
func (s *Session) close(ctx context.Context, call *wire.Call, in verbs.CloseIn) (verbs.CloseOut, error) {
	if err := s.mayClose(ctx, call); err != nil {
		return verbs.CloseOut{}, err
	}
	s.lane.rested() // what a page is about to do after a click, it does
	return s.closeBut(ctx, nil, call, in)
}

// closeBut is close from inside a batch, whose own slot is not cancelled.
func (s *Session) closeBut(ctx context.Context, keep *slot, call *wire.Call, in verbs.CloseIn) (verbs.CloseOut, error) {
	if in.All || in.Force {
		return verbs.CloseOut{}, wire.Errorf(wire.CodeBadInput, "a daemon closes its own session only").WithHint("abrowser close --all")
	}
	// From here on the session ends, also if the caller leaves.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), slice(ctx, maxTime))
	defer cancel()
	s.lane.stop(keep, wire.Errorf(wire.CodeInterrupted, "the session was closed"))
	har, err := s.finishRecording()
	if err != nil {
		s.log.Error("ending the recording", "error", err)
		call.Warn("%v", err)
	}
	if text := s.recorder.journal.Losses(); text != "" {
		call.Warn("%s", text)
	}
	s.kept.end()
	in.Page = in.Page || s.kept.get().Closes
	// What is given up is given up for good once the connection is closed.
	if _, l := s.known(); l != nil {
		if !l.isGone() && !in.Page {
			l.restore()
		}
		l.close()
	}
	released, err := s.broker.release(ctx, call.Agent, in.Page)
	s.unbind() // when it is answered, nobody finds us any more
	s.end()
	if err != nil {
		return verbs.CloseOut{}, err
	}
	return verbs.CloseOut{Closed: true, Kept: released.Kept, Discarded: released.Discarded, HAR: har}, s.root.Forget(s.name)
}

const statusTime = time.Second

// status never waits for a page.
func (s *Session) status(ctx context.Context, _ *wire.Call, _ verbs.Empty) (verbs.StatusOut, error) {
	ctx, cancel := context.WithTimeout(ctx, statusTime)
	defer cancel()
	st := s.lane.state()
	out := verbs.StatusOut{
		SessionID: s.name, Running: true, State: verbs.StateReady, Mode: s.settings.SessionMode(), PID: os.Getpid(), Build: s.build, Command: st.verb, Waiting: st.waiting,
		LastActivityAt: s.idle.last(),
	}
	if e := s.kept.get().Emulation; e.Width > 0 {
		out.Device, out.Viewport = e.Device, fmt.Sprintf("%dx%d", e.Width, e.Height)
	}
	ailing := s.ailing()
	active, _ := s.known()
	s.mu.Lock()
	starting := s.starting
	s.mu.Unlock()
	switch {
	case ailing != nil:
		out.State, out.Wedged, out.Reason, out.Hint = verbs.StateWedged, true, ailing.why, ailing.hint
	case st.overdue:
		out.State, out.Wedged, out.Reason = verbs.StateWedged, true, "the page does not answer; "+st.verb+" is overdue"
		out.Hint = "abrowser close --page gives the session a fresh page"
	case starting:
		out.State = verbs.StateStarting
	case st.verb != "":
		out.State = verbs.StateBusy
	}
	if tabs, err := s.listTabs(ctx); err == nil {
		out.Pages = len(tabs)
		active, _ = s.known()
		for _, tab := range tabs {
			if active.TargetID == "" && tab.Active {
				active = tab
			}
		}
	} else if !errors.Is(err, wire.CodeNotRunning) {
		out.Hint = cmp.Or(out.Hint, "abrowser browser status")
	}
	out.URL, out.Title, out.Driver = active.URL, active.Title, s.engine.status(ctx)
	return out, nil
}

// dialogStatus never waits for a page.
func (s *Session) dialogStatus(context.Context, *wire.Call, verbs.Empty) (verbs.DialogStatusOut, error) {
	d, open := s.dialogs.current()
	if !open {
		return verbs.DialogStatusOut{}, nil
	}
	return verbs.DialogStatusOut{HasDialog: true, Type: d.Type, Message: d.Message, DefaultPrompt: d.DefaultPrompt}, nil
}
