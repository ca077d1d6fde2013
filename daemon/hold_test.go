package daemon_test

import (
	"testing"
	"time"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// While a person uses the pages, a command that acts waits at most as long as its timeout. Without
// a timeout it waits until the pages are handed back.
func TestCommandsWaitForAPerson(t *testing.T) {
	s := start(t)
	do(t, s, verbs.TakeOver, verbs.TakeOverIn{For: 60_000})
	const limit = 300 * time.Millisecond
	began := time.Now()
	fails(t, s, verbs.Eval, verbs.EvalIn{Script: "refused", TimeoutIn: verbs.TimeoutIn{Timeout: int(limit.Milliseconds())}}, wire.CodeTakenOver)
	if took := time.Since(began); took < limit || took > 4*limit {
		t.Errorf("the command was refused after %v, want %v", took, limit)
	}
	acted := make(chan error, 1)
	go func() {
		_, _, err := ask(t, s, verbs.Eval, verbs.EvalIn{Script: "waits"})
		acted <- err
	}()
	do(t, s, verbs.GetURL, verbs.TabIn{}) // it reads
	select {
	case err := <-acted:
		t.Errorf("a command acted while a person used the pages: %v", err)
	case <-time.After(limit):
	}
	do(t, s, verbs.HandBack, verbs.HandBackIn{})
	select {
	case err := <-acted:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(patience):
		t.Error("the command did not go on after the pages were handed back")
	}
}
