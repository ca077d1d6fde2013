package daemon_test

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// A command whose connection is lost is run again if it has changed nothing, and only then.
func TestCommandIsRunAgain(t *testing.T) {
	for _, tt := range []struct {
		name  string
		fail  func(*session, *daemon.Call) error
		reads bool
		runs  int
		code  wire.Code
	}{
		{"before it has done anything", func(s *session, _ *daemon.Call) error { s.lose(); return daemon.ConnectionLostError() }, false, 2, ""},
		{"with an unknown result", func(s *session, _ *daemon.Call) error {
			s.lose()
			return wire.Errorf(wire.CodeResultUnknown, "not confirmed")
		}, false, 1, wire.CodeResultUnknown},
		{"with the driver", func(s *session, _ *daemon.Call) error { s.die(); return daemon.ConnectionLostError() }, false, 1, wire.CodeResultUnknown},
		{"with the driver, before it has done anything", func(s *session, c *daemon.Call) error {
			c.Undone = true
			s.die()
			return daemon.ConnectionLostError()
		}, false, 2, ""},
		{"with the driver, while it reads", func(s *session, _ *daemon.Call) error { s.die(); return daemon.ConnectionLostError() }, true, 2, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := start(t)
			eval(t, s, "connects")
			s.script(func(_ context.Context, c *daemon.Call, script string) error {
				if s.runs(script) > 1 {
					return nil
				}
				return tt.fail(s, c)
			})
			err := runScript(t, s, tt.reads)
			if n := s.runs("a"); n != tt.runs || (tt.code == "") != (err == nil) || tt.code != "" && !errors.Is(err, tt.code) {
				t.Errorf("the command was run %d times and ended with %v; want %d, %q", n, err, tt.runs, tt.code)
			}
		})
	}
}

// runScript runs the script "a". The parameter reads says whether the command only reads.
func runScript(t *testing.T, s *session, reads bool) error {
	t.Helper()
	var err error
	if reads {
		_, _, err = ask(t, s, verbs.GetText, verbs.GetIn{Element: verbs.Element{Selector: "a"}})
	} else {
		_, _, err = ask(t, s, verbs.Eval, verbs.EvalIn{Script: "a"})
	}
	return err
}

// die ends the backend's driver, and the connection with it.
func (s *session) die() {
	s.memory.mu.Lock()
	s.dead = true
	s.memory.mu.Unlock()
	s.lose()
}

// A command is not run again in another browser. Its error says that the browser was restarted,
// and that the command was not done.
func TestBrowserWasReplaced(t *testing.T) {
	s := start(t)
	eval(t, s, "connects")
	s.script(func(_ context.Context, _ *daemon.Call, script string) error {
		if s.runs(script) > 1 {
			return nil
		}
		s.broker.set(func() {
			s.broker.news = verbs.NoticesOut{Browser: "second", At: 1, Reopened: []verbs.Reopened{{TabID: "t1", URL: "http://a.test/"}}}
		})
		s.lose()
		return daemon.ConnectionLostError()
	})
	err := fails(t, s, verbs.Eval, verbs.EvalIn{Script: "a"}, wire.CodeBrowserRestart)
	if err.Details["mayBeDone"] != false || s.runs("a") != 1 {
		t.Errorf("the command was run %d times, and fails with %+v", s.runs("a"), err)
	}
}

// A command that fails while the driver is being replaced is run again after the replacement in
// two cases: if it only reads, or if it has done nothing yet and its call is overdue. In all other
// cases it is not run again. If nothing is being replaced, no command is run again.
func TestTimeIsOverDuringAReplacement(t *testing.T) {
	timeout, wedged := wire.Errorf(wire.CodeTimeout, "no response"), wire.Errorf(wire.CodeWedged, "overdue")
	for _, tt := range []struct {
		name       string
		recovering bool
		reads      bool
		undone     bool
		err        *wire.Error
		runs       int
	}{
		{"it reads", true, true, false, timeout, 2},
		{"it reads and the page seems not to answer", true, true, false, wedged, 2},
		{"it has done nothing", true, false, true, wedged, 2},
		{"it has done nothing and timed out", true, false, true, timeout, 1},
		{"it may have done something", true, false, false, wedged, 1},
		{"it reads and nothing is being replaced", false, true, false, timeout, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := start(t)
			eval(t, s, "connects")
			s.script(func(_ context.Context, c *daemon.Call, script string) error {
				if s.runs(script) > 1 {
					return nil
				}
				c.Undone = tt.undone
				s.memory.mu.Lock()
				conn := s.conn
				s.memory.mu.Unlock()
				conn.recovering.Store(tt.recovering)
				time.AfterFunc(100*time.Millisecond, conn.Drop) // ends the replacement
				return tt.err
			})
			err := runScript(t, s, tt.reads)
			if n := s.runs("a"); n != tt.runs || (n == 1) != errors.Is(err, tt.err.Code) {
				t.Errorf("the command was run %d times and ended with %v; want %d times", n, err, tt.runs)
			}
		})
	}
}

// If the connection is lost between two commands, a new one is made before the next command.
func TestReconnect(t *testing.T) {
	s := start(t)
	eval(t, s, "a")
	s.lose()
	awaitStatus(t, s, func(verbs.StatusOut) bool {
		s.memory.mu.Lock()
		defer s.memory.mu.Unlock()
		return s.made == 2
	})
	eval(t, s, "b")
	if s.made != 2 {
		t.Errorf("%d connections were made", s.made)
	}
}

// A session is not busy while its daemon reconnects without a command.
func TestReconnectingIsNotBusy(t *testing.T) {
	s := start(t)
	eval(t, s, "a")
	begun, release := make(chan struct{}), make(chan struct{})
	announce := sync.OnceFunc(func() { close(begun) })
	s.memory.mu.Lock()
	s.prepare = func(context.Context) error {
		announce()
		<-release
		return nil
	}
	s.memory.mu.Unlock()
	s.lose()
	<-begun
	if st := do(t, s, verbs.Status, verbs.Empty{}); st.State != verbs.StateReady || st.Command != "" {
		t.Errorf("the state is %s and the command %q, want %s and none", st.State, st.Command, verbs.StateReady)
	}
	close(release)
	eval(t, s, "b")
}

// If three commands in a row miss their deadlines, the error of the third one says what does not
// respond, if the backend can find that out.
func TestUnresponsivePage(t *testing.T) {
	for _, problem := range []string{"", "the page does not answer"} {
		s := start(t)
		eval(t, s, "a")
		s.problem = problem
		s.script(func(ctx context.Context, _ *daemon.Call, _ string) error {
			<-ctx.Done()
			return daemon.ContextError(ctx)
		})
		for i := range 4 {
			want := wire.CodeTimeout
			if problem != "" && i >= 2 {
				want = wire.CodeWedged
			}
			fails(t, s, verbs.Eval, verbs.EvalIn{Script: "late", TimeoutIn: verbs.TimeoutIn{Timeout: 20}}, want)
		}
		if got := do(t, s, verbs.Status, verbs.Empty{}); got.Wedged != (problem != "") || got.Reason != problem {
			t.Errorf("status = %+v", got)
		}
		s.script(nil)
		eval(t, s, "responds")
		if got := do(t, s, verbs.Status, verbs.Empty{}); got.Wedged || got.State != "ready" {
			t.Errorf("after a command that succeeds the status is %+v", got)
		}
	}
}

// If a browser ends before a command uses it, for example because it was idle, the command gets the
// next browser. This holds even if the next browser also ends early.
func TestBrowserEndsBeforeItIsUsed(t *testing.T) {
	starts := 0
	s := start(t, func(o *daemon.Options, _ *memory) {
		started := o.Browser
		o.Browser = func(ctx context.Context) (home.Endpoint, error) {
			at, err := started(ctx)
			starts++
			// A browser that is being stopped removes its socket.
			switch starts {
			case 1:
				err = errors.Join(err, os.Rename(at.Socket, at.Socket+".gone"))
			case 3:
				err = errors.Join(err, os.Rename(at.Socket+".gone", at.Socket))
			}
			return at, err
		}
	})
	eval(t, s, "a")
	if starts != 3 || s.runs("a") != 1 {
		t.Errorf("the browser was started %d times, and the command was run %d times; want 3, 1", starts, s.runs("a"))
	}
}

// A session announces itself to the browser's broker before the backend is prepared, which takes
// seconds on a busy machine. The broker then does not stop the browser as idle.
func TestSessionIsAnnouncedFirst(t *testing.T) {
	var s *session
	s = start(t, func(_ *daemon.Options, m *memory) {
		m.prepare = func(ctx context.Context) error {
			for announced := false; !announced; {
				s.broker.set(func() { announced = s.broker.holder != "" })
				if !announced && !daemon.Sleep(ctx, 10*time.Millisecond) {
					return errors.New("the broker does not know the session")
				}
			}
			return nil
		}
	})
	eval(t, s, "a")
}
