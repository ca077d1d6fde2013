package daemon

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// While another command runs, get url is served from known data, with a warning. While a
// connection is being made, get url waits for its turn, because the new connection may be to
// another browser.
func TestQueuedBrieflyOfKnownTab(t *testing.T) {
	for _, tt := range []struct {
		runs, want string
		warns      int
	}{{"click", "known", 1}, {connecting, "asked", 0}} {
		t.Run(tt.runs, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &Session{Tabs: &Tabs{active: verbs.Tab{TargetID: "A"}}, Notices: &Notices{}}
				glance := QueuedBriefly(s, verbs.GetURL, func(_ context.Context, act *Call, _ verbs.TabIn) (verbs.PageURL, error) {
					if act.Ticket == nil {
						return verbs.PageURL{URL: "known"}, nil
					}
					return verbs.PageURL{URL: "asked"}, nil
				})
				_, before, err := s.queue.enter(t.Context(), tt.runs, false)
				if err != nil {
					t.Fatal(err)
				}
				left := time.AfterFunc(3*time.Second, before.release)
				defer left.Stop()
				var call wire.Call
				out, err := glance.Serve(t.Context(), &call, []byte("{}"))
				if got, ok := out.(verbs.PageURL); err != nil || !ok || got.URL != tt.want || len(call.Warnings()) != tt.warns {
					t.Errorf("while %q runs: %+v, %v, warnings %q; want %q with %d", tt.runs, out, err, call.Warnings(), tt.want, tt.warns)
				}
			})
		})
	}
}

// A command does not start if its caller has disconnected while the command waited in the
// queue.
func TestCallerIsGoneBefore(t *testing.T) {
	s := &Session{Notices: &Notices{}}
	left, begun := false, 0
	click := Queued(s, verbs.Click, func(context.Context, *Call, verbs.ClickIn) (verbs.ClickOut, error) {
		begun++
		return verbs.ClickOut{}, nil
	})
	call := &wire.Call{CallerGone: func() bool { return left }}
	for _, left = range []bool{false, true} {
		_, err := click.Serve(t.Context(), call, []byte(`{"selector":"#go"}`))
		if left != errors.Is(err, wire.CodeInterrupted) || begun != 1 {
			t.Errorf("caller gone: %v; the error is %v, and the command began %d times", left, err, begun)
		}
	}
}

// If the daemon reconnects and no command waits for the connection, a browser that was stopped is
// not started.
func TestReconnectStartsNoBrowser(t *testing.T) {
	dir := t.TempDir()
	root, err := home.Locate(func(name string) (string, bool) { return dir, name == "ABROWSER_HOME" })
	if err != nil {
		t.Fatal(err)
	}
	place, err := root.BrowserOf(wire.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	s := &Session{Broker: newBroker(place, "s"), browser: func(context.Context) (home.Endpoint, error) {
		t.Error("a browser is started")
		return place, nil
	}}
	if _, err := s.awaitBrowser(t.Context()); !errors.Is(err, wire.CodeNotRunning) {
		t.Errorf("awaitBrowser() = %v, want %s", err, wire.CodeNotRunning)
	}
}

// Notices that come after the last command of a batch are not in the reply to the batch, but in
// the reply to the next request. The caller of a batch reads only the results of its commands.
func TestNoticesAfterBatch(t *testing.T) {
	s := &Session{Notices: &Notices{}}
	late := func(_ context.Context, act *Call, _ verbs.BatchIn) (verbs.BatchOut, error) {
		act.Notices.Add(wire.Record{Kind: wire.KindPermission, Name: "midi", Handled: HandledAsked})
		return verbs.BatchOut{}, nil
	}
	call := &wire.Call{}
	if _, err := Queued(s, verbs.Batch, late).Serve(t.Context(), call, []byte(`{"steps":[]}`)); err != nil {
		t.Fatal(err)
	}
	if _, records, _ := s.Notices.take(); len(call.Records()) != 0 || len(records) != 1 {
		t.Errorf("the reply to the batch has the records %+v, the next one %+v", call.Records(), records)
	}
}
