//go:build linux

package survival_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/wire"
)

// spare waits for a daemon that waits for its session, and returns it.
func spare(t *testing.T, h *e2e.Home) e2e.Process {
	t.Helper()
	var found []e2e.Process
	if !e2e.Await(20*time.Second, func() bool {
		found = h.Of(e2e.KindSpare)
		_, err := os.Stat(filepath.Join(h.Dir, "run", "b", "default.spare"))
		return err == nil && len(found) == 1
	}) {
		t.Fatalf("the daemons that wait for a session: %v", found)
	}
	return found[0]
}

// A new session's daemon is the one that was started ahead; from then on it is as any
// other. A session never depends on there being one.
func TestSpareDaemon(t *testing.T) {
	s := site.Start(t)
	h := e2e.NewHome(t)
	h.Env = append(h.Env, "ABROWSER_SPARE_PAGES=1")
	open := func(session string, args ...string) e2e.Process {
		t.Helper()
		h.Text(t, session, append(args, "open", s.URL("/page/"+session))...)
		if got := h.Text(t, session, "get", "text", "#name"); got != session {
			t.Errorf("the page of %s shows %q", session, got)
		}
		return h.Daemon(session)
	}
	open("first")
	if waiting, next := spare(t, h), open("next"); next.PID != waiting.PID {
		t.Errorf("the next session's daemon is %s, want %s", next, waiting)
	}
	waiting := spare(t, h)
	if quiet := open("quiet", "--mode", "incognito"); quiet.PID != waiting.PID {
		t.Errorf("an incognito session's daemon is %s, want %s", quiet, waiting)
	}
	if out := e2e.Ask[wire.StatusOut](t, h, "quiet", "status"); out.Mode != wire.ModeIncognito || out.PID != waiting.PID {
		t.Errorf("it is %+v", out)
	}
	h.Env = append(h.Env, "ABROWSER_DRIVER=own")
	spare(t, h)
	if own := open("own"); h.Driver("own").Parent() != own.PID {
		t.Errorf("a session that wants a driver of its own has %s", h.Driver("own"))
	}
	h.Env = h.Env[:len(h.Env)-1]

	for name, hurt := range map[string]func(e2e.Process) error{
		"killed":     e2e.Kill,
		"stopped":    func(p e2e.Process) error { e2e.Stop(t, p); return nil },
		"driverless": func(e2e.Process) error { return e2e.Kill(h.Of(e2e.KindDriver)[0]) },
	} {
		waiting := spare(t, h)
		if err := hurt(waiting); err != nil {
			t.Fatal(err)
		}
		if got := open(name); got.PID == 0 || got.PID == waiting.PID && name != "driverless" {
			t.Errorf("the daemon of %s is %s, the spare one was %s", name, got, waiting)
		}
		_ = syscall.Kill(waiting.PID, syscall.SIGCONT) // where it is gone, so much the better
		if !e2e.Await(10*time.Second, func() bool { return len(h.Of(e2e.KindSpare)) <= 1 }) {
			t.Errorf("after %s there wait %v", name, h.Of(e2e.KindSpare))
		}
	}

	waiting, next := spare(t, h), h.Daemon("next")
	document := func() string { return h.Text(t, "next", "eval", "performance.timeOrigin") }
	before := document()
	if err := e2e.Kill(h.Of(e2e.KindBroker)[0]); err != nil {
		t.Fatal(err)
	}
	if !e2e.Await(10*time.Second, func() bool { return !waiting.Alive() }) {
		t.Errorf("%s still waits, after the broker's end", waiting)
	}
	if after := document(); after != before || h.Daemon("next").PID != next.PID {
		t.Errorf("the session came back to the document of %s by %s, want %s by %s", after, h.Daemon("next"), before, next)
	}
	open("last")
	waiting = spare(t, h)
	h.Text(t, "", "browser", "stop")
	if !e2e.Await(10*time.Second, func() bool { return !waiting.Alive() }) {
		t.Errorf("%s still waits, after the browser's end", waiting)
	}
}
