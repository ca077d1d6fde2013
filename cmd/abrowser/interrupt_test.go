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
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// A click waits for its element. If a signal ends the process of the command during this wait, the
// click is cancelled: the element is not clicked when it appears later. The daemon keeps running.
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
				status, err := e2e.TryAsk[verbs.StatusOut](h, "task", "status")
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
			// An action that was not cancelled would be performed within this time.
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

// If a command gets a signal while it performs its action, it still prints the outcome: success if
// the action completes soon, or result_unknown if the action takes long. A second signal ends the
// process at once.
func TestInterruptedWhileItActs(t *testing.T) {
	s := site.Start(t)
	h := e2e.NewHome(t)
	const page = `document.body.innerHTML = "<button id=go>go</button>"; window.clicks = 0; go.onclick = () => clicks++;
		go.onpointerdown = () => fetch("/count/%s", {method: "POST"});
		go.onmousedown = () => { for (const end = Date.now() + %d; Date.now() < end;); }; 0`
	tests := []struct {
		name    string
		signals []syscall.Signal
		takes   int // how long the action takes, in milliseconds
		status  int
	}{
		{"interrupted", []syscall.Signal{syscall.SIGINT}, 800, wire.ExitDone},
		{"terminated", []syscall.Signal{syscall.SIGTERM}, 800, wire.ExitDone},
		{"longer", []syscall.Signal{syscall.SIGINT}, 6000, wire.ExitFailed},
		{"twice", []syscall.Signal{syscall.SIGINT, syscall.SIGINT}, 4000, -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h.Text(t, "task", "open", s.URL("/form"))
			h.Text(t, "task", "eval", fmt.Sprintf(page, tt.name, tt.takes))
			clicking := h.Begin(t, "task", "click", "#go", "--json")
			awaitCount(t, s, tt.name)
			for i, signal := range tt.signals {
				if i > 0 {
					// The test cannot observe when the process has received the first signal. Until
					// then, the kernel would discard a second signal of the same kind.
					time.Sleep(300 * time.Millisecond)
				}
				if err := syscall.Kill(clicking.PID, signal); err != nil {
					t.Fatal(err)
				}
			}
			r := <-clicking.Ended
			if r.Status != tt.status || tt.status == wire.ExitFailed && r.Envelope(t).Code != wire.CodeResultUnknown {
				t.Errorf("%s\nwant exit %d", r, tt.status)
			}
			if got := h.Text(t, "task", "eval", "clicks"); got != "1" {
				t.Errorf("it was clicked %s times", got)
			}
		})
	}
}

// If the command `type` is interrupted, it stops between two keys and fails with result_unknown.
func TestInterruptedWhileItTypes(t *testing.T) {
	s := site.Start(t)
	h := e2e.NewHome(t)
	h.Text(t, "task", "open", s.URL("/form"))
	h.Text(t, "task", "eval", `document.querySelector("#notes").addEventListener("input", () => fetch("/count/typed", {method: "POST"}), {once: true}), 0`)
	typing := h.Begin(t, "task", "type", "#notes", strings.Repeat("x", 240), "--delay", "50", "--json")
	awaitCount(t, s, "typed")
	if err := syscall.Kill(typing.PID, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	r := <-typing.Ended
	if r.Status != wire.ExitFailed || r.Envelope(t).Code != wire.CodeResultUnknown {
		t.Errorf("%s\nwant %s", r, wire.CodeResultUnknown)
	}
	then := h.Text(t, "task", "get", "value", "#notes")
	time.Sleep(300 * time.Millisecond) // more keys would be typed in this time
	if now := h.Text(t, "task", "get", "value", "#notes"); now != then || len(now) >= 240 {
		t.Errorf("%d keys were typed, and %d a moment later", len(then), len(now))
	}
}

// awaitCount waits until a page has sent the request that the site counts under the given name.
func awaitCount(t *testing.T, s *site.Site, name string) {
	t.Helper()
	if !e2e.Await(20*time.Second, func() bool { return s.Count(name) == 1 }) {
		t.Fatal("the command does not begin")
	}
}

// A command that is interrupted while it waits in the queue does not run. The command before it in
// the queue completes.
func TestInterruptedInTheQueue(t *testing.T) {
	s := site.Start(t)
	h := e2e.NewHome(t)
	h.Text(t, "task", "open", s.URL("/"))
	first := h.Begin(t, "task", "wait", "4000")
	behind := func(waiting int) func() bool {
		return func() bool {
			status, err := e2e.TryAsk[verbs.StatusOut](h, "task", "status")
			return err == nil && status.Command == "wait" && status.Waiting == waiting
		}
	}
	if !e2e.Await(20*time.Second, behind(0)) {
		t.Fatal("the wait never ran")
	}
	second := h.Begin(t, "task", "click", "#button")
	if !e2e.Await(20*time.Second, behind(1)) {
		t.Fatal("the click was not queued after the wait")
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

// A relative path is relative to the working directory of the command, not to the directory in
// which the daemon was started.
func TestRelativePaths(t *testing.T) {
	t.Parallel()
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
			t.Errorf("%s is not a PNG file: %v", want, err)
		}
	}
}

// A command substitution in a shell returns when the command ends, although the command has
// started a daemon, a driver and a browser that keep running.
func TestCommandSubstitutionReturns(t *testing.T) {
	t.Parallel()
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
