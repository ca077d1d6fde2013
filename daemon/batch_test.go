package daemon_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

func step(t testing.TB, verb string, in any) verbs.Step {
	t.Helper()
	raw, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	return verbs.Step{Command: strings.Fields(verb), Verb: verb, In: raw}
}

func TestBatch(t *testing.T) {
	s := start(t)
	s.script(func(_ context.Context, c *daemon.Call, script string) error {
		if script == "#none" {
			return wire.Errorf(wire.CodeNotFound, "element not found").WithHint("abrowser snapshot")
		}
		c.Warn("ran %s", script)
		return nil
	})
	steps := []verbs.Step{
		step(t, "eval", verbs.EvalIn{Script: "a"}), step(t, "get text", verbs.GetIn{Element: verbs.Element{Selector: "#none"}}), step(t, "tab list", verbs.TabListIn{}),
	}
	out := do(t, s, verbs.Batch, verbs.BatchIn{Steps: steps})
	if len(out.Results) != 3 || !out.Results[0].Success || out.Results[0].Warning != "ran a" || out.Results[1].Success || !out.Results[2].Success {
		t.Errorf("batch = %+v", out)
	}
	if failed := out.Results[1]; failed.Code != wire.CodeNotFound || failed.Error == nil || failed.Hint == "" || string(failed.Result) != "null" {
		t.Errorf("the step that failed = %+v", failed)
	}
	out = do(t, s, verbs.Batch, verbs.BatchIn{Steps: steps, Bail: true, OmitCommand: true})
	if len(out.Results) != 2 || out.Results[1].Index == nil || *out.Results[1].Index != 1 || out.Results[1].Command != nil {
		t.Errorf("batch --bail --omit-command = %+v", out)
	}
	if out := do(t, s, verbs.Batch, verbs.BatchIn{}); len(out.Results) != 0 {
		t.Errorf("an empty batch = %+v", out)
	}
}

func TestBatchIsCheckedFirst(t *testing.T) {
	s := start(t)
	first := step(t, "eval", verbs.EvalIn{Script: "a"})
	for _, bad := range []verbs.Step{
		{Verb: "no such verb"},
		{Verb: "eval", In: json.RawMessage(`{"scrpt":"a"}`)},
		{Verb: "get text", In: json.RawMessage(`{}`)},
		{Verb: "batch", In: json.RawMessage(`{}`)},
		{Verb: "session list"},
	} {
		fails(t, s, verbs.Batch, verbs.BatchIn{Steps: []verbs.Step{first, bad}}, wire.CodeBadInput)
	}
	if n := s.runs("a"); n != 0 {
		t.Errorf("the first command of a refused batch was run %d times", n)
	}
}

// No other queued command runs between two commands of a batch.
func TestBatchIsAtomic(t *testing.T) {
	s := start(t)
	var all sync.WaitGroup
	for _, who := range []string{"a", "b", "c"} {
		all.Go(func() {
			one := step(t, "eval", verbs.EvalIn{Script: who})
			if _, _, err := ask(t, s, verbs.Batch, verbs.BatchIn{Steps: []verbs.Step{one, one, one}}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for i := 0; i < 9; i += 3 {
		if s.log[i] != s.log[i+1] || s.log[i] != s.log[i+2] {
			t.Fatalf("the batches were mixed: %s", s.log)
		}
	}
}

func TestCloseInABatch(t *testing.T) {
	s := start(t)
	out := do(t, s, verbs.Batch, verbs.BatchIn{Steps: []verbs.Step{step(t, "eval", verbs.EvalIn{Script: "a"}), step(t, "close", verbs.CloseIn{Page: true})}})
	if len(out.Results) != 2 || !out.Results[1].Success {
		t.Errorf("batch = %+v", out)
	}
	s.awaitEnd(t)
}

// The reply to a batch whose caller disconnects says what was done.
func TestBatchWhoseCallerDisconnects(t *testing.T) {
	s := start(t)
	running := make(chan struct{})
	s.script(func(ctx context.Context, c *daemon.Call, script string) error {
		if script != "waits" {
			return nil
		}
		close(running)
		<-ctx.Done()
		return daemon.ContextError(ctx)
	})
	ctx, disconnect := context.WithCancel(t.Context())
	go func() { <-running; disconnect() }()
	out, _, err := client.Do(ctx, s.Client, verbs.Batch, verbs.BatchIn{Steps: []verbs.Step{
		step(t, "eval", verbs.EvalIn{Script: "a"}), step(t, "eval", verbs.EvalIn{Script: "waits"}), step(t, "eval", verbs.EvalIn{Script: "b"}),
	}})
	if err != nil || len(out.Results) != 3 || !out.Results[0].Success || out.Results[1].Code != wire.CodeInterrupted || out.Results[2].Code != wire.CodeInterrupted || s.runs("b") != 0 {
		t.Errorf("batch = %+v, %v", out, err)
	}
}
