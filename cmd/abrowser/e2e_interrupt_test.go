//go:build linux

package main_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/wire"
)

// A command whose caller goes away is over for good: the element that it waited
// for appears afterwards and is not clicked, and the daemon goes on.
func TestInterruptedClickNeverHappens(t *testing.T) {
	s := site.Start(t)
	h := newHome(t)
	ways := []struct {
		name   string
		signal syscall.Signal
		status int
	}{
		{"interrupted", syscall.SIGINT, wire.ExitInterrupted},
		{"terminated", syscall.SIGTERM, wire.ExitInterrupted},
		{"killed", syscall.SIGKILL, -1},
	}
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			h.text(t, "task", "open", s.URL("/late?gate="+way.name))
			daemon, shown, clicked := h.daemon("task"), s.Count("late-shown"), s.Count("late-click")
			click := h.begin(t, "task", "click", "#late", "--timeout", "60000")
			if !await(20*time.Second, func() bool {
				status, err := tryAsk[wire.StatusOut](h, "task", "status")
				return err == nil && status.Command == "click"
			}) {
				t.Fatal("the click never ran")
			}
			if err := syscall.Kill(click.pid, way.signal); err != nil {
				t.Fatal(err)
			}
			if r := <-click.ended; r.status != way.status {
				t.Errorf("%s\nwant exit %d", r, way.status)
			}
			s.Open(way.name)
			if !await(20*time.Second, func() bool { return s.Count("late-shown") == shown+1 }) {
				t.Fatal("the element never appeared")
			}
			// Waiting is done in slices of 250 ms; four of them and more pass here.
			h.text(t, "task", "wait", "1500")
			if n := h.text(t, "task", "get", "text", "#clicks"); n != "0" || s.Count("late-click") != clicked {
				t.Errorf("the element was clicked %s times after the command had ended", n)
			}
			if now := h.daemon("task"); now.pid != daemon.pid {
				t.Errorf("the daemon was %v and is %v", daemon, now)
			}
			h.text(t, "task", "click", "#late")
			if n := h.text(t, "task", "get", "text", "#clicks"); n != "1" {
				t.Errorf("a click that was not interrupted made the count %s", n)
			}
		})
	}
}

// A command that waits behind the interrupted one in the queue, and one that
// never started, end the same way.
func TestInterruptedInTheQueue(t *testing.T) {
	s := site.Start(t)
	h := newHome(t)
	h.text(t, "task", "open", s.URL("/"))
	first := h.begin(t, "task", "wait", "4000")
	behind := func(waiting int) func() bool {
		return func() bool {
			status, err := tryAsk[wire.StatusOut](h, "task", "status")
			return err == nil && status.Command == "wait" && status.Waiting == waiting
		}
	}
	if !await(20*time.Second, behind(0)) {
		t.Fatal("the wait never ran")
	}
	second := h.begin(t, "task", "click", "#button")
	if !await(20*time.Second, behind(1)) {
		t.Fatal("the click never waited behind it")
	}
	if err := syscall.Kill(second.pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if r := <-second.ended; r.status != wire.ExitInterrupted {
		t.Errorf("%s\nwant exit %d", r, wire.ExitInterrupted)
	}
	if r := <-first.ended; r.status != wire.ExitDone {
		t.Errorf("%s", r)
	}
	if out := h.text(t, "task", "get", "text", "#out"); out != "" {
		t.Errorf("the button was pressed: %q", out)
	}
}

// A relative path is the caller's, whoever started the daemon and where.
func TestRelativePaths(t *testing.T) {
	s := site.Start(t)
	h := newHome(t)
	h.text(t, "task", "open", s.URL("/"))
	for _, name := range []string{"here", "there"} {
		h.cwd = filepath.Join(h.outer, name)
		if err := os.Mkdir(h.cwd, 0o700); err != nil {
			t.Fatal(err)
		}
		want := filepath.Join(h.cwd, "page.png")
		if got := h.text(t, "task", "screenshot", "page.png"); got != want {
			t.Errorf("screenshot page.png in %s wrote %s, want %s", name, got, want)
		}
		if content, err := os.ReadFile(want); err != nil || !strings.HasPrefix(string(content), "\x89PNG") {
			t.Errorf("%s is no picture: %v", want, err)
		}
	}
}

// The shell gets the answer as soon as it is there, although the command has
// started a daemon, a driver and a browser that live on.
func TestCommandSubstitutionReturns(t *testing.T) {
	s := site.Start(t)
	h := newHome(t)
	ctx, cancel := context.WithTimeout(t.Context(), commandDeadline)
	defer cancel()
	script := fmt.Sprintf(`x=$(%s open %s 2>&1) && printf '[%%s]' "$x"`, h.binary, s.URL("/page/shell"))
	cmd := h.prepared(ctx, "task")
	cmd.Path, cmd.Args, cmd.WaitDelay = "/bin/sh", []string{"sh", "-c", script}, 0
	cold := finish(cmd, cmd.Args)
	if want := fmt.Sprintf("[shell\n%s]", s.URL("/page/shell")); cold.stdout != want || cold.status != 0 {
		t.Fatalf("the shell got %q, want %q: %s", cold.stdout, want, cold)
	}
	if h.daemon("task").pid == 0 {
		t.Error("the daemon did not outlive the shell")
	}
}
