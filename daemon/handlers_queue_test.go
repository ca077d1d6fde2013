package daemon_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

func TestInOrderOfArrival(t *testing.T) {
	s := start(t)
	release := make(chan struct{})
	s.script(func(context.Context, *daemon.Call, string) error { <-release; return nil })
	results := make(chan error, 5)
	want := []string{"0", "1", "2", "3", "4"}
	for i, script := range want {
		go func() {
			_, _, err := ask(t, s, verbs.Eval, verbs.EvalIn{Script: script})
			results <- err
		}()
		awaitStatus(t, s, func(st verbs.StatusOut) bool { return st.State == "busy" && st.Waiting == i })
	}
	close(release)
	for range want {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	if !slices.Equal(s.log, want) {
		t.Errorf("the commands ran in the order %s", s.log)
	}
}

// A session is not busy while a person reads its console beside the task. The end of such a command
// is not reported, so a list that had seen the session busy would go on showing it as busy.
func TestReadingAsideIsNotBusy(t *testing.T) {
	s := start(t)
	begun, release := make(chan struct{}, 2), make(chan struct{})
	s.script(func(context.Context, *daemon.Call, string) error {
		begun <- struct{}{}
		<-release
		return nil
	})
	for _, tt := range []struct {
		aside          bool
		state, command string
	}{{true, verbs.StateReady, ""}, {false, verbs.StateBusy, "console"}} {
		read := make(chan error, 1)
		go func() {
			_, _, err := ask(t, s, verbs.Console, verbs.ConsoleIn{AsideIn: verbs.AsideIn{Aside: tt.aside}})
			read <- err
		}()
		<-begun
		if st := do(t, s, verbs.Status, verbs.Empty{}); st.State != tt.state || st.Command != tt.command {
			t.Errorf("with aside %v, the state is %s and the command %q, want %s and %q", tt.aside, st.State, st.Command, tt.state, tt.command)
		}
		release <- struct{}{}
		if err := <-read; err != nil {
			t.Error(err)
		}
	}
}

// Verbs that need no page do not wait for the running command. The verb close cancels the running
// command.
func TestUnqueuedVerbsDoNotWait(t *testing.T) {
	s := start(t)
	s.script(func(ctx context.Context, _ *daemon.Call, _ string) error {
		<-ctx.Done()
		return daemon.ContextError(ctx)
	})
	busy := make(chan error, 1)
	go func() {
		_, _, err := ask(t, s, verbs.Eval, verbs.EvalIn{Script: "a"})
		busy <- err
	}()
	if st := awaitStatus(t, s, isBusy); st.Command != "eval" {
		t.Errorf("status = %+v", st)
	}
	began := time.Now()
	do(t, s, verbs.TabList, verbs.TabListIn{})
	do(t, s, verbs.PolicyDialog, verbs.DialogPolicyIn{Mode: "accept"})
	if out := do(t, s, verbs.Close, verbs.CloseIn{}); out.Closed != true {
		t.Errorf("close = %+v", out)
	}
	if took := time.Since(began); took > patience/2 {
		t.Errorf("the verbs took %v", took)
	}
	if err := <-busy; !errors.Is(err, wire.CodeInterrupted) {
		t.Errorf("the command that ran = %v, want %s", err, wire.CodeInterrupted)
	}
	s.awaitEnd(t)
}

// A command whose caller disconnects is cancelled. If [daemon.Call].Begun was set by then, the
// result of the command is unknown.
func TestCallerDisconnects(t *testing.T) {
	for _, begun := range []bool{false, true} {
		s := start(t)
		running := make(chan struct{})
		s.script(func(ctx context.Context, c *daemon.Call, _ string) error {
			c.Begun = begun
			close(running)
			<-ctx.Done()
			return daemon.ContextError(ctx)
		})
		ctx, disconnect := context.WithCancel(t.Context())
		go func() { <-running; disconnect() }()
		want := wire.CodeInterrupted
		if begun {
			want = wire.CodeResultUnknown
		}
		if _, _, err := client.Do(ctx, s.Client, verbs.Eval, verbs.EvalIn{Script: "a"}); !errors.Is(err, want) {
			t.Errorf("begun %t: the command ended with %v, want %s", begun, err, want)
		}
	}
}

// If no active tab is known, get url waits for its turn, even longer than briefTime.
func TestQueuedBriefly(t *testing.T) {
	s := start(t)
	s.broker.set(func() { s.broker.tabs.Tabs = []verbs.Tab{{TabID: "t1", TargetID: "A", SessionID: "s"}} })
	release := make(chan struct{})
	s.script(func(ctx context.Context, c *daemon.Call, script string) error {
		if script == "a" {
			_, err := c.Tabs.List(ctx)
			<-release
			return err
		}
		return nil
	})
	if got := do(t, s, verbs.GetURL, verbs.TabIn{}).URL; got != "http://asked.test/" {
		t.Errorf("when no command runs the URL is %s", got)
	}
	busy := make(chan error, 1)
	go func() {
		_, _, err := ask(t, s, verbs.Eval, verbs.EvalIn{Script: "a"})
		busy <- err
	}()
	awaitStatus(t, s, isBusy)
	waits := make(chan string, 1)
	go func() {
		out, _, _ := ask(t, s, verbs.GetURL, verbs.TabIn{})
		waits <- out.URL
	}()
	select {
	case got := <-waits:
		t.Errorf("without a known tab the URL is %s", got)
	case <-time.After(1500 * time.Millisecond):
	}
	close(release)
	if got := <-waits; got != "http://asked.test/" {
		t.Errorf("after the command the URL is %s", got)
	}
	if err := <-busy; err != nil {
		t.Error(err)
	}
}

func isBusy(st verbs.StatusOut) bool { return st.State == "busy" }
