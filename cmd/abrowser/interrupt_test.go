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

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/wire"
)

// A command whose caller goes away is over for good: the element that it waited
// for appears afterwards and is not clicked, and the daemon goes on.
func TestInterruptedClickNeverHappens(t *testing.T) {
	s := site.Start(t)
	h := e2e.NewHome(t)
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
			h.Text(t, "task", "open", s.URL("/late?gate="+way.name))
			daemon, shown, clicked := h.Daemon("task"), s.Count("late-shown"), s.Count("late-click")
			click := h.Begin(t, "task", "click", "#late", "--timeout", "60000")
			if !e2e.Await(20*time.Second, func() bool {
				status, err := e2e.TryAsk[wire.StatusOut](h, "task", "status")
				return err == nil && status.Command == "click"
			}) {
				t.Fatal("the click never ran")
			}
			if err := syscall.Kill(click.PID, way.signal); err != nil {
				t.Fatal(err)
			}
			if r := <-click.Ended; r.Status != way.status {
				t.Errorf("%s\nwant exit %d", r, way.status)
			}
			s.Open(way.name)
			if !e2e.Await(20*time.Second, func() bool { return s.Count("late-shown") == shown+1 }) {
				t.Fatal("the element never appeared")
			}
			// Waiting is done in slices of 250 ms; four of them and more pass here.
			h.Text(t, "task", "wait", "1500")
			if n := h.Text(t, "task", "get", "text", "#clicks"); n != "0" || s.Count("late-click") != clicked {
				t.Errorf("the element was clicked %s times after the command had ended", n)
			}
			if now := h.Daemon("task"); now.PID != daemon.PID {
				t.Errorf("the daemon was %v and is %v", daemon, now)
			}
			h.Text(t, "task", "click", "#late")
			if n := h.Text(t, "task", "get", "text", "#clicks"); n != "1" {
				t.Errorf("a click that was not interrupted made the count %s", n)
			}
		})
	}
}

// A command that waits behind the interrupted one in the queue, and one that
// never started, end the same way.
func TestInterruptedInTheQueue(t *testing.T) {
	s := site.Start(t)
	h := e2e.NewHome(t)
	h.Text(t, "task", "open", s.URL("/"))
	first := h.Begin(t, "task", "wait", "4000")
	behind := func(waiting int) func() bool {
		return func() bool {
			status, err := e2e.TryAsk[wire.StatusOut](h, "task", "status")
			return err == nil && status.Command == "wait" && status.Waiting == waiting
		}
	}
	if !e2e.Await(20*time.Second, behind(0)) {
		t.Fatal("the wait never ran")
	}
	second := h.Begin(t, "task", "click", "#button")
	if !e2e.Await(20*time.Second, behind(1)) {
		t.Fatal("the click never waited behind it")
	}
	if err := syscall.Kill(second.PID, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if r := <-second.Ended; r.Status != wire.ExitInterrupted {
		t.Errorf("%s\nwant exit %d", r, wire.ExitInterrupted)
	}
	if r := <-first.Ended; r.Status != wire.ExitDone {
		t.Errorf("%s", r)
	}
	if out := h.Text(t, "task", "get", "text", "#out"); out != "" {
		t.Errorf("the button was pressed: %q", out)
	}
}

// A relative path is the caller's, whoever started the daemon and where.
func TestRelativePaths(t *testing.T) {
	s := site.Start(t)
	h := e2e.NewHome(t)
	h.Text(t, "task", "open", s.URL("/"))
	for _, name := range []string{"here", "there"} {
		h.Cwd = filepath.Join(h.Outer, name)
		if err := os.Mkdir(h.Cwd, 0o700); err != nil {
			t.Fatal(err)
		}
		want := filepath.Join(h.Cwd, "page.png")
		if got := h.Text(t, "task", "screenshot", "page.png"); got != want {
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
	h := e2e.NewHome(t)
	ctx, cancel := context.WithTimeout(t.Context(), e2e.CommandDeadline)
	defer cancel()
	script := fmt.Sprintf(`x=$(%s open %s 2>&1) && printf '[%%s]' "$x"`, h.Binary, s.URL("/page/shell"))
	cmd := h.Prepared(ctx, "task")
	cmd.Path, cmd.Args, cmd.WaitDelay = "/bin/sh", []string{"sh", "-c", script}, 0
	cold := e2e.Finish(cmd, cmd.Args)
	if want := fmt.Sprintf("[shell\n%s]", s.URL("/page/shell")); cold.Stdout != want || cold.Status != 0 {
		t.Fatalf("the shell got %q, want %q: %s", cold.Stdout, want, cold)
	}
	if h.Daemon("task").PID == 0 {
		t.Error("the daemon did not outlive the shell")
	}
}
