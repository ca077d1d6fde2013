package web_test

import (
	"encoding/json"
	"sync"
	"testing"

	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

func step(t testing.TB, verb string, in any) verbs.Step {
	t.Helper()
	raw, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	return verbs.Step{Command: []string{verb}, Verb: verb, In: raw}
}

func TestBatch(t *testing.T) {
	s, web := home.Start(t), site.Start(t)
	steps := []verbs.Step{
		step(t, "open", verbs.OpenIn{URL: web.URL("/page/one")}),
		step(t, "get text", verbs.GetIn{Element: element("#zz")}),
		step(t, "get title", verbs.Empty{}),
		step(t, "tab list", verbs.TabListIn{}),
	}
	out := do(t, s, verbs.Batch, verbs.BatchIn{Steps: steps})
	if len(out.Results) != 4 || !out.Results[0].Success || out.Results[1].Success || string(out.Results[2].Result) != `{"title":"one"}` || !out.Results[3].Success {
		t.Errorf("batch = %+v", out)
	}
	if miss := out.Results[1]; miss.Code != wire.CodeNotFound || miss.Error == nil || miss.Hint == "" || string(miss.Result) != "null" {
		t.Errorf("the step that failed = %+v", miss)
	}
	out = do(t, s, verbs.Batch, verbs.BatchIn{Steps: steps, Bail: true, OmitCommand: true})
	if len(out.Results) != 2 || out.Results[1].Index == nil || *out.Results[1].Index != 1 || out.Results[1].Command != nil {
		t.Errorf("batch --bail --omit-command = %+v", out)
	}
	if out := do(t, s, verbs.Batch, verbs.BatchIn{}); len(out.Results) != 0 {
		t.Errorf("an empty batch = %+v", out)
	}
}

func TestBatchIsCheckedWhole(t *testing.T) {
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/page/one"))
	first := step(t, "open", verbs.OpenIn{URL: web.URL("/page/two")})
	for _, bad := range []verbs.Step{
		{Verb: "no such verb"},
		{Verb: "click", In: json.RawMessage(`{"slector":"a"}`)},
		{Verb: "click", In: json.RawMessage(`{}`)},
		{Verb: "batch", In: json.RawMessage(`{}`)},
		{Verb: "session list"},
	} {
		fails(t, s, verbs.Batch, verbs.BatchIn{Steps: []verbs.Step{first, bad}}, wire.CodeBadInput)
	}
	if got := do(t, s, verbs.GetURL, verbs.TabIn{}).URL; got != web.URL("/page/one") {
		t.Errorf("a part of a refused batch was done: the page is at %s", got)
	}
}

func TestBatchIsAtomic(t *testing.T) {
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/page/one"))
	eval(t, s, "window.log = [], 0")
	var all sync.WaitGroup
	for _, who := range []string{"a", "b", "c"} {
		all.Go(func() {
			var steps []verbs.Step
			for range 3 {
				steps = append(steps, step(t, "eval", verbs.EvalIn{Script: "log.push('" + who + "'), 0"}))
			}
			if _, _, err := ask(t, s, verbs.Batch, verbs.BatchIn{Steps: steps}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	got := eval(t, s, "log.join('')")
	for i := 1; i < len(got)-3; i += 3 {
		if got[i] != got[i+1] || got[i] != got[i+2] {
			t.Fatalf("the batches were mixed: %s", got)
		}
	}
}

func TestCloseInABatch(t *testing.T) {
	s, web := home.Start(t), site.Start(t)
	out := do(t, s, verbs.Batch, verbs.BatchIn{Steps: []verbs.Step{
		step(t, "open", verbs.OpenIn{URL: web.URL("/page/one")}), step(t, "close", verbs.CloseIn{Page: true}),
	}})
	if len(out.Results) != 2 || !out.Results[1].Success {
		t.Errorf("batch = %+v", out)
	}
	awaitEnd(t, s)
}
