//go:build linux

package main_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
)

// managed is the process of a running task manager. Orders are written to its input. The events
// that it prints arrive in the channel events.
type managed struct {
	t      *testing.T
	cmd    *exec.Cmd
	orders io.WriteCloser
	events chan managerEvent
}

// startManager starts a task manager in an environment that names no session.
func startManager(t *testing.T, h *e2e.Home) *managed {
	t.Helper()
	m := &managed{t: t, cmd: exec.CommandContext(t.Context(), os.Args[0]), events: make(chan managerEvent, 100)}
	m.cmd.Env = append(h.Environ(""), envManager+"=1", "AB="+h.Binary)
	m.cmd.Stderr = os.Stderr
	var err error
	if m.orders, err = m.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := m.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := m.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { // ends when the manager's output ends
		defer close(m.events)
		for read := json.NewDecoder(out); ; {
			var e managerEvent
			if read.Decode(&e) != nil {
				return
			}
			m.events <- e
		}
	}()
	return m
}

func (m *managed) order(do, id, script string) {
	m.t.Helper()
	if err := json.NewEncoder(m.orders).Encode(managerOrder{do, id, script}); err != nil {
		m.t.Fatal(err)
	}
}

// next waits for the next event and returns it.
func (m *managed) next() managerEvent {
	m.t.Helper()
	select {
	case e := <-m.events:
		return e
	case <-time.After(e2e.CommandDeadline):
		m.t.Fatal("the manager wrote no event")
		return managerEvent{}
	}
}

// end closes the manager's input and waits until its tasks and the manager have ended.
func (m *managed) end() {
	m.t.Helper()
	if err := errors.Join(m.orders.Close(), m.cmd.Wait()); err != nil {
		m.t.Errorf("the manager: %v", err)
	}
}

// A task manager gets twelve tasks and runs at most ten at a time. Each task runs in its own
// shell, and only one environment variable identifies the task to abrowser. The manager cancels a
// task and interrupts another one. Then the manager is killed, and a new manager runs two of the
// tasks again under their old ids. Every task sees only its own page.
func TestTaskManager(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	m := startManager(t, h)
	work := fmt.Sprintf(`set -e
$AB open "%s"
$AB fill '#kept' "of $AGENT_BROWSER_SESSION"
$AB wait --timeout 600000 --fn "fetch('/opened/all/$AGENT_BROWSER_SESSION').then((r) => r.ok || new Promise((done) => setTimeout(done, 200)))"
$AB get value '#kept'`, s.URL("/secret?of=$AGENT_BROWSER_SESSION"))
	// The tasks start one after the other. If ten sessions start and load their pages at the same
	// time, a slow machine takes longer for it than the commands' default timeouts.
	for i := range mostTasks {
		id := fmt.Sprintf("task_%d", i)
		m.order("start", id, work)
		if e := m.next(); e.Event != "started" {
			t.Fatalf("with ten tasks to start: %+v", e)
		}
		waits := func() bool { return s.Requests("/opened/all/"+id) > 0 }
		if !e2e.Await(e2e.CommandDeadline, func() bool { return waits() || len(m.events) > 0 }) {
			t.Fatalf("%s does not wait for the gate", id)
		}
		if !waits() {
			t.Fatalf("%s has not waited for the gate: %+v", id, m.next())
		}
	}
	for i := range 2 {
		m.order("start", fmt.Sprintf("task_%d", mostTasks+i), work)
	}
	list := e2e.Ask[verbs.SessionListOut](t, h, "", "session", "list").Sessions
	if len(list) != mostTasks {
		t.Errorf("%d sessions while ten tasks run: %+v", len(list), list)
	}
	for _, one := range list {
		if !strings.HasSuffix(one.URL, "/secret?of="+one.ID) {
			t.Errorf("while %s waits, its URL is %s", one.ID, one.URL)
		}
	}
	s.Open("all") // for each of the ten tasks the command wait is running
	ended := map[string]managerEvent{}
	for len(ended) < mostTasks+2 {
		if e := m.next(); e.Event == "ended" {
			ended[e.ID] = e
		}
	}
	for id, e := range ended {
		if e.Status != 0 || !strings.HasSuffix(strings.TrimSpace(e.Output), "of "+id) {
			t.Errorf("%s ended with %d and said %q", id, e.Status, e.Output)
		}
	}
	want := e2e.MarkOf(t, h, "task_3")

	t.Run("cancelled and interrupted", func(t *testing.T) {
		m.t = t
		clicked := s.Count("late-click")
		for _, do := range []string{"cancel", "interrupt"} {
			m.order("start", do, fmt.Sprintf("$AB open '%s'; $AB click '#late' --timeout 60000 && echo clicked", s.URL("/late?gate="+do)))
			if e := m.next(); e.Event != "started" {
				t.Fatalf("%+v", e)
			}
			if !e2e.Await(e2e.CommandDeadline, func() bool {
				status, err := e2e.TryAsk[verbs.StatusOut](h, do, "status")
				return err == nil && status.Command == "click"
			}) {
				t.Fatal("the click never ran")
			}
			m.order(do, do, "")
			if e := m.next(); e.Event != "ended" || e.Status == 0 || strings.Contains(e.Output, "clicked") {
				t.Errorf("%s: %+v", do, e)
			}
			// The shell of the task has ended. Its abrowser command gets the same signal, but may
			// end a moment later.
			if !e2e.Await(e2e.CommandDeadline, func() bool { return len(h.Of(e2e.KindCommand)) == 0 }) {
				t.Errorf("after %s the command is still running", do)
			}
			s.Open(do)
			h.Text(t, do, "wait", "#late")
			if got := h.Text(t, do, "get", "text", "#clicks"); got != "0" {
				t.Errorf("after %s the element was clicked %s times", do, got)
			}
		}
		if now := s.Count("late-click"); now != clicked {
			t.Errorf("%d clicks came after all", now-clicked)
		}
	})

	t.Run("the manager is killed", func(t *testing.T) {
		m.t = t
		m.order("start", "long", fmt.Sprintf("$AB open '%s' && $AB wait '#never' --timeout 60000", s.URL("/secret")))
		m.next()
		if !e2e.Await(e2e.CommandDeadline, func() bool {
			status, err := e2e.TryAsk[verbs.StatusOut](h, "long", "status")
			return err == nil && status.Command == "wait"
		}) {
			t.Fatal("the task never ran")
		}
		long := targetOf(t, h, "long")
		if err := m.cmd.Process.Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		_ = m.cmd.Wait() // the error is that the process was killed
		// When the manager is killed, the terminals of its tasks are closed. This ends the waiting
		// command.
		if !e2e.Await(e2e.CommandDeadline, func() bool {
			status, err := e2e.TryAsk[verbs.StatusOut](h, "long", "status")
			return err == nil && status.Command == ""
		}) {
			t.Error("the command of a task whose terminal is closed continues")
		}
		again := startManager(t, h)
		again.order("start", "task_3", "$AB get value '#kept'; $AB eval 'reveal()'")
		again.order("start", "long", "$AB get url")
		for range 4 {
			switch e := again.next(); {
			case e.Event == "ended" && e.ID == "task_3" && !strings.Contains(e.Output, "of task_3"), e.Status != 0:
				t.Errorf("the follow-up: %+v", e)
			}
		}
		again.end()
		if got := targetOf(t, h, "long"); got != long {
			t.Errorf("the page of the task that ran was %s and is %s", long, got)
		}
	})
	if got := e2e.MarkOf(t, h, "task_3"); got != want {
		t.Errorf("the follow-up found %v, want %v", got, want)
	}
}

// targetOf returns the target id of the session's only tab.
func targetOf(t *testing.T, h *e2e.Home, session string) string {
	t.Helper()
	tabs := e2e.Ask[verbs.TabsOut](t, h, session, "tab", "list").Tabs
	if len(tabs) != 1 {
		t.Fatalf("%s has the tabs %+v", session, tabs)
	}
	return tabs[0].TargetID
}
