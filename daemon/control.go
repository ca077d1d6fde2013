package daemon

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"time"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// close ends the session. It cancels the commands that run or wait, and ends the daemon after the
// reply. The tabs are closed if the request or the session's state says so, and stay open
// otherwise.
func (s *Session) close(ctx context.Context, call *wire.Call, in verbs.CloseIn) (verbs.CloseOut, error) {
	if err := s.mayClose(ctx, call); err != nil {
		return verbs.CloseOut{}, err
	}
	s.queue.awaitDeferred() // the last click may have started a navigation, which must not be cut off
	return s.closeExcept(ctx, nil, call, in)
}

// closeExcept ends the session for a caller that may do so. It cancels the commands that run or
// wait, except the running command whose ticket is spared. A close in a batch passes the ticket of
// its batch as spared. Other callers pass nil.
func (s *Session) closeExcept(ctx context.Context, spared *Ticket, call *wire.Call, in verbs.CloseIn) (verbs.CloseOut, error) {
	if in.All || in.Force {
		return verbs.CloseOut{}, wire.Errorf(wire.CodeBadInput, "a daemon closes its own session only").WithHint("abrowser close --all")
	}
	// From here on the session ends, even if the caller disconnects.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), TimeLeft(ctx, maxTime))
	defer cancel()
	s.queue.stop(spared, wire.Errorf(wire.CodeInterrupted, "the session was closed"))
	// Wait, because a connection that is made after the release would use the session's tabs again.
	s.awaitConnecting(ctx)
	har, err := s.backend.FinishRecording()
	if err != nil {
		s.Log.Error("ending the recording", "error", err)
		call.Warn("%v", err)
	}
	if text := s.Notices.takeLosses(); text != "" {
		call.Warn("%s", text)
	}
	s.State.end()
	in.Page = in.Page || s.State.Get().ClosesTabs
	// After the connection is closed, a cancelled command cannot take effect any more.
	if c := s.current(); c != nil {
		s.keepRecord(ctx)
		if !c.isLost() && !in.Page {
			c.Restore()
		}
		c.Close()
	}
	s.depart(ctx) // before the release: the broker then refuses a connection that this daemon still makes
	released, err := s.Broker.release(ctx, call.Agent, in.Page)
	s.leave()
	if err != nil {
		return verbs.CloseOut{}, err
	}
	return verbs.CloseOut{Closed: true, Kept: released.Kept, Discarded: released.Discarded, HAR: har}, s.Root.Forget(s.Name)
}

const statusTime = time.Second

// status describes the session. It never waits for a page.
func (s *Session) status(ctx context.Context, _ *wire.Call, _ verbs.Empty) (verbs.StatusOut, error) {
	ctx, cancel := context.WithTimeout(ctx, statusTime)
	defer cancel()
	st := s.queue.state()
	if st.aside && !st.overdue {
		st.verb = "" // its end is not reported, so lists would go on showing it
	}
	out := verbs.StatusOut{
		SessionID: s.Name, Running: true, State: verbs.StateReady, Mode: s.settings.SessionMode(), PID: os.Getpid(), Build: s.build, Command: st.verb, Waiting: st.waiting,
		LastActivityAt: s.idle.last(), Questions: s.backend.Questions(),
	}
	if e := s.State.Get().Emulation; e.Width > 0 {
		out.Device, out.Viewport = e.Device, fmt.Sprintf("%dx%d", e.Width, e.Height)
	}
	unresponsive := s.unresponsive()
	s.mu.Lock()
	starting := s.starting
	s.mu.Unlock()
	switch {
	case unresponsive != nil:
		out.State, out.Wedged, out.Reason, out.Hint = verbs.StateWedged, true, unresponsive.problem, unresponsive.hint
	case st.overdue:
		out.State, out.Wedged, out.Reason = verbs.StateWedged, true, "the page does not answer; "+st.verb+" is overdue"
		out.Hint = "abrowser close --page gives the session a fresh page"
	case starting && !st.aside:
		out.State = verbs.StateStarting
	case s.hold.isHeld():
		out.State = verbs.StateTaken
	case st.verb != "":
		out.State = verbs.StateBusy
	}
	active := s.Tabs.Active()
	if tabs, err := s.Tabs.List(ctx); err == nil {
		out.Pages = len(tabs)
		active = s.Tabs.Active()
		for _, tab := range tabs {
			if active.TargetID == "" && tab.Active {
				active = tab
			}
		}
	} else if !isNotRunning(err) {
		out.Hint = cmp.Or(out.Hint, "abrowser browser status")
	}
	out.URL, out.Title, out.Driver = active.URL, active.Title, s.backend.State(ctx)
	return out, nil
}
