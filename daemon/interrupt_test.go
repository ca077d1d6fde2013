package daemon_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/daemon/daemontest"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/wire"
)

// hangUp runs a verb whose caller goes away after a time.
func hangUp[In, Out any](t testing.TB, s *daemontest.Session, v wire.Verb[In, Out], in In, after time.Duration) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	timer := time.AfterFunc(after, cancel)
	defer timer.Stop()
	defer cancel()
	if out, _, err := client.Do(ctx, s.Client, v, in); err == nil {
		t.Fatalf("%s ended before its caller went away: %+v", v.Name, out)
	}
}

func TestHangUpCancelsForGood(t *testing.T) {
	s, web := home.Start(t), site.Start(t)
	late := wire.Element{Selector: "#late"}
	for _, tt := range []struct {
		name string
		act  func(t *testing.T)
	}{
		{"click", func(t *testing.T) { hangUp(t, s, wire.Click, wire.ClickIn{Element: late}, 700*time.Millisecond) }},
		{"dblclick", func(t *testing.T) { hangUp(t, s, wire.Dblclick, wire.ElementIn{Element: late}, 700*time.Millisecond) }},
		{"click in a batch", func(t *testing.T) {
			hangUp(t, s, wire.Batch, wire.BatchIn{Steps: []wire.Step{{Verb: "click", In: []byte(`{"selector":"#late"}`)}}}, 700*time.Millisecond)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			gate := strings.ReplaceAll(tt.name, " ", "-")
			open(t, s, web.URL("/late?gate="+gate))
			tt.act(t)
			web.Open(gate)
			do(t, s, wire.Wait, wire.WaitIn{What: "#late"}) // the next command works
			time.Sleep(time.Second)
			if got := text(t, s, "#clicks"); got != "0" {
				t.Errorf("the element was clicked %s times after its command was given up", got)
			}
			do(t, s, wire.Click, wire.ClickIn{Element: late})
			if got := text(t, s, "#clicks"); got != "1" {
				t.Errorf("the next click clicked %s times", got)
			}
		})
	}
}

func TestHangUpOfWhatIsCovered(t *testing.T) {
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/states"))
	hangUp(t, s, wire.Click, wire.ClickIn{Element: element("#covered")}, 2*time.Second)
	do(t, s, wire.Status, wire.Nothing{})
	eval(t, s, "document.querySelector('#cover').remove(), 0")
	time.Sleep(1500 * time.Millisecond)
	if got := text(t, s, "#out"); got != "" {
		t.Errorf("it was clicked after its command was given up: %q", got)
	}
}

func TestHangUpStopsANavigation(t *testing.T) {
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/page/before"))
	hangUp(t, s, wire.Open, wire.OpenIn{URL: web.URL("/slow?ms=2000&name=late")}, 700*time.Millisecond)
	time.Sleep(2500 * time.Millisecond)
	if got := do(t, s, wire.GetURL, wire.TabIn{}).URL; got != web.URL("/page/before") {
		t.Errorf("the navigation happened after its command was given up: the page is at %s", got)
	}
}

func TestHangUpStopsAScript(t *testing.T) {
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/page/one"))
	hangUp(t, s, wire.Eval, wire.EvalIn{Script: "while (true) {}"}, 700*time.Millisecond)
	if got := eval(t, s, "1 + 1"); got != "2" {
		t.Errorf("the next script = %s", got)
	}
	hangUp(t, s, wire.Eval, wire.EvalIn{Script: "new Promise(() => {})"}, 300*time.Millisecond)
	if got := eval(t, s, "1 + 1"); got != "2" {
		t.Errorf("the script after one that waited = %s", got)
	}
	fails(t, s, wire.Eval, wire.EvalIn{Script: "while (true) {}", Waits: wire.Waits{Timeout: 500}}, wire.CodeTimeout)
	if got := eval(t, s, "1 + 1"); got != "2" {
		t.Errorf("the script after one that timed out = %s", got)
	}
}

func TestHangUpStopsTyping(t *testing.T) {
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/form"))
	hangUp(t, s, wire.Type, wire.TypeIn{Element: element("#notes"), Text: strings.Repeat("x", 200), Delay: 50}, 1500*time.Millisecond)
	first := value(t, s, "#notes")
	time.Sleep(500 * time.Millisecond)
	if second := value(t, s, "#notes"); len(second) != len(first) || len(first) == 0 || len(first) > 100 {
		t.Errorf("%d keys were typed, and %d a moment later", len(first), len(second))
	}
}

func TestControlVerbsDoNotWait(t *testing.T) {
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/page/one"))
	busy := make(chan error, 1)
	go func() {
		_, _, err := ask(t, s, wire.Wait, wire.WaitIn{What: "#never", Waits: wire.Waits{Timeout: 30000}})
		busy <- err
	}()
	if st := awaitState(t, s, "busy"); st.Command != "wait" || st.URL != web.URL("/page/one") {
		t.Errorf("status = %+v", st)
	}
	began := time.Now()
	if got := tabs(t, s); len(got) != 1 {
		t.Errorf("tab list = %+v", got)
	}
	do(t, s, wire.DialogStatus, wire.Nothing{})
	if out := do(t, s, wire.Close, wire.CloseIn{}); out.Closed != true {
		t.Errorf("close = %+v", out)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("the control verbs took %v", took)
	}
	if err := <-busy; !errors.Is(err, wire.CodeInterrupted) {
		t.Errorf("the command that ran = %v, want %s", err, wire.CodeInterrupted)
	}
	awaitEnd(t, s)
}

func TestInOrderOfArrival(t *testing.T) {
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/page/one"))
	eval(t, s, "window.order = [], 0")
	results := make(chan error, 5)
	for i := range 5 {
		go func() {
			_, _, err := ask(t, s, wire.Eval, wire.EvalIn{Script: "await new Promise(r => setTimeout(r, 150)); order.push(" + string(rune('0'+i)) + "), 0"})
			results <- err
		}()
		for do(t, s, wire.Status, wire.Nothing{}).Waiting < i && i > 0 {
			time.Sleep(5 * time.Millisecond)
		}
	}
	for range 5 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	if got := eval(t, s, "order"); got != "[0,1,2,3,4]" {
		t.Errorf("the commands ran in the order %s", got)
	}
}
