package web_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/daemon/daemontest"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// disconnectAfter runs a verb, disconnects its caller after the given time, and checks the code of
// the error.
func disconnectAfter[In, Out any](t testing.TB, s *daemontest.Session, v wire.Verb[In, Out], in In, after time.Duration, want wire.Code) {
	t.Helper()
	if out, err := leave(t, s, v, in, func() { time.Sleep(after) }); !errors.Is(err, want) {
		t.Fatalf("%s, whose caller left, answered %+v, %v (%v), want %s", v.Name, out, err, wire.AsError(err), want)
	}
}

// leave runs a verb, and disconnects its caller as soon as moment() returns.
func leave[In, Out any](t testing.TB, s *daemontest.Session, v wire.Verb[In, Out], in In, moment func()) (Out, error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { moment(); cancel() }()
	out, _, err := client.Do(ctx, s.Client, v, in)
	return out, err
}

// counts returns a function that waits until a page has reported the given name to the site.
func counts(t testing.TB, web *site.Site, name string) func() {
	return func() {
		for began := time.Now(); web.Count(name) == 0; time.Sleep(5 * time.Millisecond) {
			if time.Since(began) > patience {
				t.Errorf("no page counts %s", name)
				return
			}
		}
	}
}

func TestDisconnectCancelsForGood(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	late := verbs.Element{Selector: "#late"}
	for _, tt := range []struct {
		name string
		act  func(t *testing.T)
	}{
		{"click", func(t *testing.T) {
			disconnectAfter(t, s, verbs.Click, verbs.ClickIn{Element: late}, 700*time.Millisecond, wire.CodeInterrupted)
		}},
		{"dblclick", func(t *testing.T) {
			disconnectAfter(t, s, verbs.Dblclick, verbs.ElementIn{Element: late}, 700*time.Millisecond, wire.CodeInterrupted)
		}},
		{"click in a batch", func(t *testing.T) {
			disconnectAfter(t, s, verbs.Batch, verbs.BatchIn{Steps: []verbs.Step{{Verb: "click", In: []byte(`{"selector":"#late"}`)}}}, 700*time.Millisecond, wire.CodeInterrupted)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			gate := strings.ReplaceAll(tt.name, " ", "-")
			open(t, s, web.URL("/late?gate="+gate))
			tt.act(t)
			web.Open(gate)
			do(t, s, verbs.Wait, verbs.WaitIn{What: "#late"}) // the next command works
			time.Sleep(time.Second)
			if got := text(t, s, "#clicks"); got != "0" {
				t.Errorf("the element was clicked %s times after its command was given up", got)
			}
			do(t, s, verbs.Click, verbs.ClickIn{Element: late})
			if got := text(t, s, "#clicks"); got != "1" {
				t.Errorf("the next click clicked %s times", got)
			}
		})
	}
}

func TestDisconnectWhileCovered(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/states"))
	disconnectAfter(t, s, verbs.Click, verbs.ClickIn{Element: element("#covered")}, 2*time.Second, wire.CodeInterrupted)
	do(t, s, verbs.Status, verbs.Empty{})
	eval(t, s, "document.querySelector('#cover').remove(), 0")
	time.Sleep(1500 * time.Millisecond)
	if got := text(t, s, "#out"); got != "" {
		t.Errorf("it was clicked after its command was given up: %q", got)
	}
}

// When a caller disconnects, the wait for its element ends at once, so the next command does not
// wait long.
func TestDisconnectIsNoticedWhileWaiting(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/states"))
	for _, selector := range []string{"#covered", "#moving", "#hidden", "#nothing"} {
		in := verbs.ClickIn{Element: element(selector), TimeoutIn: timed(30_000)}
		disconnectAfter(t, s, verbs.Click, in, 700*time.Millisecond, wire.CodeInterrupted)
		left := time.Now()
		text(t, s, "h1")
		if took := time.Since(left); took > 8*time.Second {
			t.Errorf("the command after a click on %s whose caller left took %v", selector, took)
		}
	}
}

func TestDisconnectStopsNavigation(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/page/before"))
	disconnectAfter(t, s, verbs.Open, verbs.OpenIn{URL: web.URL("/slow?ms=2000&name=late")}, 700*time.Millisecond, wire.CodeInterrupted)
	time.Sleep(2500 * time.Millisecond)
	if got := do(t, s, verbs.GetURL, verbs.TabIn{}).URL; got != web.URL("/page/before") {
		t.Errorf("the navigation happened after its command was given up: the page is at %s", got)
	}
}

func TestDisconnectStopsScript(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/page/one"))
	begun := func(name string) string {
		return fmt.Sprintf("const r = new XMLHttpRequest(); r.open('POST', '/count/%s', false); r.send(); ", name)
	}
	for name, script := range map[string]string{"spins": "while (true) {}", "waits": "new Promise(() => {})"} {
		_, err := leave(t, s, verbs.Eval, verbs.EvalIn{Script: begun(name) + script}, counts(t, web, name))
		if !errors.Is(err, wire.CodeResultUnknown) {
			t.Errorf("eval of a script that %s, whose caller left, = %v (%v), want %s", name, err, wire.AsError(err), wire.CodeResultUnknown)
		}
		if got := eval(t, s, "1 + 1"); got != "2" {
			t.Errorf("the script after one that %s = %s", name, got)
		}
	}
	fails(t, s, verbs.Eval, verbs.EvalIn{Script: "while (true) {}", TimeoutIn: verbs.TimeoutIn{Timeout: 500}}, wire.CodeResultUnknown)
	if got := eval(t, s, "1 + 1"); got != "2" {
		t.Errorf("the script after one that timed out = %s", got)
	}
}

// If the caller of open disconnects after the new document has replaced the old one, the result
// is unknown, since the new document stays.
func TestDisconnectWhileDocumentLoads(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/page/before"))
	until := func() {
		for began := time.Now(); do(t, s, verbs.Status, verbs.Empty{}).URL != web.URL("/stuck"); time.Sleep(20 * time.Millisecond) {
			if time.Since(began) > patience {
				t.Error("the document never came")
				return
			}
		}
		// The status has the URL a little before open waits for the load event.
		time.Sleep(500 * time.Millisecond)
	}
	if _, err := leave(t, s, verbs.Open, verbs.OpenIn{URL: web.URL("/stuck")}, until); !errors.Is(err, wire.CodeResultUnknown) {
		t.Errorf("open, whose caller left while the page loaded, = %v (%v), want %s", err, wire.AsError(err), wire.CodeResultUnknown)
	}
	if got := do(t, s, verbs.GetURL, verbs.TabIn{}).URL; got != web.URL("/stuck") {
		t.Errorf("the page is at %s", got)
	}
}

// If the caller disconnects, typing ends between two keys, and the error says that the result is
// unknown.
func TestDisconnectStopsTyping(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/form"))
	eval(t, s, `document.querySelector("#notes").addEventListener("input", () => fetch("/count/typed", {method: "POST"}), {once: true}), 0`)
	text := strings.Repeat("x", 200)
	_, err := leave(t, s, verbs.Type, verbs.TypeIn{Element: element("#notes"), Text: text, Delay: 50}, counts(t, web, "typed"))
	if !errors.Is(err, wire.CodeResultUnknown) {
		t.Errorf("type, whose caller left in the middle, = %v, want %s", err, wire.CodeResultUnknown)
	}
	first := value(t, s, "#notes")
	time.Sleep(500 * time.Millisecond)
	if second := value(t, s, "#notes"); len(second) != len(first) || len(first) == 0 || len(first) > 100 {
		t.Errorf("%d keys were typed, and %d a moment later", len(first), len(second))
	}
}

// If the caller disconnects after the click was sent, the click is not cancelled. The command ends
// when the page has handled the click.
func TestDisconnectDuringClick(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/"))
	eval(t, s, `document.querySelector("#button").addEventListener("mousedown", () => {
		const request = new XMLHttpRequest();
		request.open("POST", "/count/pressed", false);
		request.send();
		for (const end = Date.now() + 500; Date.now() < end;);
	}), 0`)
	_, err := leave(t, s, verbs.Click, verbs.ClickIn{Element: element("#button")}, counts(t, web, "pressed"))
	// The client waits up to 3 s for the reply after it has disconnected. If the machine takes
	// longer than that for the click, the result is unknown.
	if err != nil && !errors.Is(err, wire.CodeResultUnknown) {
		t.Errorf("click, whose caller left in the middle, = %v (%v), want success", err, wire.AsError(err))
	}
	if got := text(t, s, "#out"); got == "" {
		t.Error("the button was not clicked")
	}
}

// If the caller of a batch disconnects, the reply says which steps were done.
func TestDisconnectDuringBatch(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/late?gate=batch"))
	out, err := leave(t, s, verbs.Batch, verbs.BatchIn{Steps: []verbs.Step{
		step(t, "eval", verbs.EvalIn{Script: `fetch("/count/stepped", {method: "POST"}), 0`}),
		step(t, "click", verbs.ClickIn{Element: element("#late")}),
		step(t, "eval", verbs.EvalIn{Script: "document.title = 'done', 0"}),
		step(t, "get title", verbs.Empty{}),
	}}, func() { counts(t, web, "stepped")(); time.Sleep(300 * time.Millisecond) })
	if err != nil {
		t.Fatalf("batch = %v (%v), want its results", err, wire.AsError(err))
	}
	// If the click had not begun when the caller disconnected, it is the last step with a result.
	if n := len(out.Results); n < 2 || n > 3 || !out.Results[0].Success || out.Results[1].Code != wire.CodeInterrupted || out.Results[n-1].Code != wire.CodeInterrupted {
		t.Errorf("batch = %+v, want one that was done, and then one or two that were interrupted", out.Results)
	}
	web.Open("batch")
	do(t, s, verbs.Wait, verbs.WaitIn{What: "#late"})
	if got := eval(t, s, "document.title"); strings.Contains(got, "done") || text(t, s, "#clicks") != "0" {
		t.Errorf("the title is %s and the element was clicked %s times", got, text(t, s, "#clicks"))
	}
}
