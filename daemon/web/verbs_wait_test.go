package web_test

import (
	"testing"
	"time"

	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

func TestWait(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/late?ms=600"))
	if out := do(t, s, verbs.Wait, verbs.WaitIn{What: "#late"}); out.Waited != "selector" || out.Selector != "#late" {
		t.Errorf("wait for a selector = %+v", out)
	}
	if out := do(t, s, verbs.Wait, verbs.WaitIn{Text: "Late"}); out.Waited != "text" || out.Found != "Late" {
		t.Errorf("wait for a text = %+v", out)
	}
	if out := do(t, s, verbs.Wait, verbs.WaitIn{URL: "**/late?*"}); out.URL != web.URL("/late?ms=600") {
		t.Errorf("wait for a URL = %+v", out)
	}
	if out := do(t, s, verbs.Wait, verbs.WaitIn{Load: "networkidle"}); out.State != "networkidle" {
		t.Errorf("wait for a state = %+v", out)
	}
	if out := do(t, s, verbs.Wait, verbs.WaitIn{Load: "load"}); out.State != "load" {
		t.Errorf("wait for a state that is reached = %+v", out)
	}
	eval(t, s, "setTimeout(() => { window.later = {n: 1} }, 400), 0")
	if out := do(t, s, verbs.Wait, verbs.WaitIn{Script: "later.n === 1 && later"}); string(out.Result) != `{"n":1}` {
		t.Errorf("wait for a script = %s", out.Result)
	}
	if out := do(t, s, verbs.Wait, verbs.WaitIn{Script: "() => later.n + 1"}); string(out.Result) != `2` {
		t.Errorf("wait for a function = %s", out.Result)
	}
	eval(t, s, "setTimeout(() => document.querySelector('#late').remove(), 400), 0")
	do(t, s, verbs.Wait, verbs.WaitIn{What: "#late", State: "detached"})
	do(t, s, verbs.Wait, verbs.WaitIn{What: "#late", State: "hidden"})
	began := time.Now()
	if out := do(t, s, verbs.Wait, verbs.WaitIn{What: "300"}); out.Waited != "timeout" || out.MS != 300 || time.Since(began) < 300*time.Millisecond {
		t.Errorf("wait 300 = %+v after %v", out, time.Since(began))
	}
}

func TestWaitTimesOut(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/page/x"))
	short := verbs.TimeoutIn{Timeout: 400}
	for _, in := range []verbs.WaitIn{
		{What: "#zzz", TimeoutIn: short},
		{What: "h1", State: "detached", TimeoutIn: short},
		{Text: "zzz", TimeoutIn: short},
		{URL: "zzz", TimeoutIn: short},
		{Script: "false", TimeoutIn: short},
		{Script: "zzz.zzz", TimeoutIn: short},
	} {
		fails(t, s, verbs.Wait, in, wire.CodeTimeout)
	}
	fails(t, s, verbs.Wait, verbs.WaitIn{Script: "1 +"}, wire.CodeEvaluation)
	fails(t, s, verbs.Wait, verbs.WaitIn{What: "5s", TimeoutIn: short}, wire.CodeBadInput)
	fails(t, s, verbs.Wait, verbs.WaitIn{What: "-5"}, wire.CodeBadInput)
}
