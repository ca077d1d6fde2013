package launcher

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/abrowser/abrowser/launcher/spare"
	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/wire"
)

// fakeSpare waits for a session and is its fake daemon then. ABROWSER_TEST_MODE of the
// session says how it misbehaves.
func fakeSpare() int {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // whatever the test forgets
	defer cancel()
	ready, err := Inherited(os.LookupEnv)
	if err != nil {
		return 1
	}
	hold, err := Hold()
	if err != nil {
		Ready(ready, err)
		return 1
	}
	go func() {
		_, _ = hold.Read(make([]byte, 1))
		cancel()
	}()
	root, err := sockets.Locate(os.LookupEnv)
	if err != nil {
		Ready(ready, err)
		return 1
	}
	place, err := root.Browser("default")
	if err != nil {
		Ready(ready, err)
		return 1
	}
	build, err := (&Launcher{}).Build()
	if err != nil {
		Ready(ready, err)
		return 1
	}
	o, err := spare.Wait(ctx, place.Spare(), build, func(err error) { Ready(ready, err) })
	if err == nil {
		err = o.Become()
	}
	if err != nil {
		return 1
	}
	fmt.Printf("taken by %s pid %d\n", o.Name, os.Getpid())
	switch mode := os.Getenv("ABROWSER_TEST_MODE"); mode {
	case "die":
		return 1
	case "refuse":
		o.Ready(wire.Errorf(wire.CodeNoBrowser, "no browser here").WithHint("abrowser install"))
		return 1
	case "hang":
		time.Sleep(20 * time.Second)
		return 1
	default:
		err = serveFake([]string{"daemon", o.Name}, func() { o.Ready(nil) }, mode)
	}
	o.Ready(err)
	return 0
}

// withSpare is a launcher where a spare daemon waits, and its process. end is what a
// broker's end is to it.
func withSpare(t *testing.T) (l *Launcher, pid int, end func()) {
	t.Helper()
	l = testLauncher(newRoot(t))
	if err := l.Root.Make(); err != nil {
		t.Fatal(err)
	}
	hold, held, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { hold.Close(); held.Close() })
	if err := l.Spare(t.Context(), wire.Settings{}, hold); err != nil {
		t.Fatal(err)
	}
	return l, sparePID(t, l), func() { closed(t, held) }
}

// sparePID is the daemon that waits, 0 where none does.
func sparePID(t *testing.T, l *Launcher) int {
	t.Helper()
	place, err := l.Root.Browser("default")
	if err != nil {
		t.Fatal(err)
	}
	conn, err := sockets.Dial(t.Context(), place.Spare())
	if err != nil {
		return 0
	}
	defer conn.Close()
	pid, err := sockets.PeerPID(conn)
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

func TestSpareServesTheNextSession(t *testing.T) {
	l, pid, _ := withSpare(t)
	l.Environ = append(os.Environ(), "LC_TEST=the session's")
	settings := wire.Settings{IdleTimeout: "1h"}
	place, hello, err := l.Session(t.Context(), "a", settings)
	if err != nil {
		t.Fatal(err)
	}
	if hello.PID != pid || hello.Name != "a" || hello.Settings.IdleTimeout != "1h" {
		t.Errorf("the session's daemon is %+v, want process %d with %+v", hello, pid, settings)
	}
	if log := logOf(t, place); !strings.Contains(log, "taken by a pid") {
		t.Errorf("its log is %q", log)
	}
	if now := sparePID(t, l); now != 0 {
		t.Errorf("process %d waits", now)
	}
	if _, again, err := l.Session(t.Context(), "a", settings); err != nil || again.PID != pid {
		t.Errorf("the next command finds %d, %v", again.PID, err)
	}
	if _, other, err := l.Session(t.Context(), "b", settings); err != nil || other.PID == pid {
		t.Errorf("another session's daemon is %d, %v", other.PID, err)
	}
}

// One that is there does for the next time that one is wanted, and one that has a session
// does not end with what held it.
func TestSpareIsOneAndEndsWithItsHolder(t *testing.T) {
	l, pid, end := withSpare(t)
	if err := l.Spare(t.Context(), wire.Settings{}, nil); err != nil || sparePID(t, l) != pid {
		t.Errorf("Spare where one waits = %v, and %d waits; before it was %d", err, sparePID(t, l), pid)
	}
	end()
	gone(t, pid)

	l, pid, end = withSpare(t)
	if _, _, err := l.Session(t.Context(), "a", wire.Settings{}); err != nil {
		t.Fatal(err)
	}
	end()
	if _, hello, err := l.Session(t.Context(), "a", wire.Settings{}); err != nil || hello.PID != pid {
		t.Errorf("after the holder's end the session's daemon is %d, %v, want %d", hello.PID, err, pid)
	}
}

// gone waits until a process that the launcher started is gone.
func gone(t *testing.T, pid int) {
	t.Helper()
	for range 500 {
		if syscall.Kill(pid, 0) != nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %d is still there", pid)
}

// Whatever becomes of the spare one, the session gets a daemon.
func TestSpareThatFails(t *testing.T) {
	for name, hurt := range map[string]func(l *Launcher, pid int) error{
		"it was killed": func(_ *Launcher, pid int) error { return syscall.Kill(pid, syscall.SIGKILL) },
		"it is stopped": func(_ *Launcher, pid int) error { return syscall.Kill(pid, syscall.SIGSTOP) },
		"it dies":       func(l *Launcher, _ int) error { l.Environ = append(os.Environ(), "ABROWSER_TEST_MODE=die"); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			l, pid, _ := withSpare(t)
			if err := hurt(l, pid); err != nil {
				t.Fatal(err)
			}
			place, err := l.Root.Session("a")
			if err != nil {
				t.Fatal(err)
			}
			_, hello, err := l.Session(t.Context(), "a", wire.Settings{})
			if err != nil || hello.PID == pid {
				t.Fatalf("Session = process %d, %v; the spare one was %d", hello.PID, err, pid)
			}
			if log := logOf(t, place); !strings.Contains(log, "started daemon a pid") {
				t.Errorf("the session's log is %q", log)
			}
			_ = syscall.Kill(pid, syscall.SIGCONT) // where it is gone, so much the better
			if _, again, err := l.Session(t.Context(), "a", wire.Settings{}); err != nil || again.PID != hello.PID {
				t.Errorf("then the session's daemon is %d, %v, before it was %d", again.PID, err, hello.PID)
			}
			kill(t, pid)
		})
	}
}

func TestSpareDoesNotServe(t *testing.T) {
	l, pid, _ := withSpare(t)
	l.Environ = append(os.Environ(), "ABROWSER_TEST_MODE=refuse")
	_, _, err := l.Session(t.Context(), "a", wire.Settings{})
	place, _ := l.Root.Session("a")
	if got := wire.AsError(err); got == nil || got.Code != wire.CodeNoBrowser || got.Hint != "abrowser install" || got.Details["log"] != place.Log {
		t.Errorf("Session = %+v", got)
	}
	gone(t, pid)

	l, pid, _ = withSpare(t)
	l.Environ = append(os.Environ(), "ABROWSER_TEST_MODE=hang")
	l.within = &limits{hello: time.Second, start: 500 * time.Millisecond, leave: time.Second}
	_, _, err = l.Session(t.Context(), "a", wire.Settings{})
	if !errors.Is(err, wire.CodeStart) || !strings.Contains(err.Error(), "in time: taken by a pid") {
		t.Errorf("Session = %v", err)
	}
	gone(t, pid)
}
