package web_test

import (
	"errors"
	"testing"
	"time"

	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

func TestMissedDeadlinesOfAPageThatAnswers(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/page/one"))
	for range 4 {
		fails(t, s, verbs.Wait, verbs.WaitIn{What: "#never", TimeoutIn: verbs.TimeoutIn{Timeout: 100}}, wire.CodeTimeout)
	}
	if got := do(t, s, verbs.Status, verbs.Empty{}); got.Wedged || got.State != "ready" {
		t.Errorf("status = %+v", got)
	}
}

// If a page is busy for several seconds, the session's status is wedged until the page responds
// again.
func TestWedgedPageRecovers(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/page/one"))
	eval(t, s, "setTimeout(() => { const end = Date.now() + 7000; while (Date.now() < end); }, 50), 0")
	time.Sleep(200 * time.Millisecond)
	var err error
	for range 3 {
		_, _, err = ask(t, s, verbs.Wait, verbs.WaitIn{What: "#never", TimeoutIn: verbs.TimeoutIn{Timeout: 300}})
	}
	coded := wire.AsError(err)
	if !errors.Is(err, wire.CodeWedged) || coded.Hint == "" || coded.Details["wedged"] != true {
		t.Fatalf("the third missed deadline = %v", err)
	}
	if got := do(t, s, verbs.Status, verbs.Empty{}); !got.Wedged || got.State != "wedged" || got.Reason == "" || got.Hint == "" {
		t.Errorf("status = %+v", got)
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(200 * time.Millisecond) {
		if got := do(t, s, verbs.Status, verbs.Empty{}); !got.Wedged && got.State == "ready" {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the page responds again, and the status is still wedged")
		}
	}
	if got := text(t, s, "h1"); got != "one" {
		t.Errorf("the page shows %q", got)
	}
}
