package daemon

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// openConnection is a connection that is not lost.
type openConnection struct{ Connection }

func (openConnection) Lost() <-chan struct{} { return nil }

func TestWatchRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		i, given := newIdle(), 0
		go i.watchRest(ctx, func() { given++ })
		pass := func(d time.Duration, want int, when string) {
			t.Helper()
			time.Sleep(d) // advances the fake clock of the test
			synctest.Wait()
			if given != want {
				t.Fatalf("%s: given back %d times, want %d", when, given, want)
			}
		}
		pass(restTime, 1, "after the start")
		pass(time.Hour, 1, "when nothing has run since")
		end := i.begin()
		pass(time.Hour, 1, "while something runs")
		end()
		pass(restTime-time.Millisecond, 1, "soon after it ran")
		end = i.begin()
		pass(time.Hour, 1, "while the next one runs")
		end()
		pass(restTime, 2, "after that")
		pass(time.Hour, 2, "when nothing has run since")
	})
}

// An idle timeout that is shorter than firstTime applies when the first command has ended.
func TestShortIdleTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan struct{})
		s := &Session{Name: "s", idle: newIdle(), Broker: newBroker(home.Endpoint{}, "s"), Log: slog.New(slog.DiscardHandler), end: func() { close(ended) }}
		go s.watchIdle(t.Context())
		synctest.Wait()
		if err := s.idle.set("3s"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		end := s.idle.begin()
		time.Sleep(time.Second)
		end()
		since := time.Now()
		<-ended
		if took := time.Since(since); took != 3*time.Second {
			t.Errorf("the daemon ended %v after its only command, want 3s", took)
		}
	})
}

// The idle time starts at the end of the last command, however long the command took.
func TestIdleStartsAfterCommand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Session{Name: "s", idle: newIdle(), owner: newOwner(), connection: &connection{Connection: openConnection{}, holder: "s"}}
		const limit = 30 * time.Second
		left := func(want time.Duration, when string) {
			t.Helper()
			if got, ok := s.idle.left(); got != want || !ok {
				t.Errorf("%s %v is left, %t, want %v", when, got, ok, want)
			}
		}
		verb := s.keepAwake(Handler{Handler: wire.Bind(verbs.Wait, func(context.Context, *wire.Call, verbs.WaitIn) (verbs.WaitOut, error) {
			time.Sleep(time.Hour)
			left(limit, "while the command runs")
			if ago := time.Since(s.idle.last()); ago != 0 {
				t.Errorf("while the command runs the session was last used %v ago", ago)
			}
			return verbs.WaitOut{}, nil
		})})
		call := &wire.Call{Session: "s", Settings: wire.Settings{IdleTimeout: limit.String()}}
		for range 2 {
			if _, err := verb.Serve(t.Context(), call, []byte(`{"what":"#there"}`)); err != nil {
				t.Fatal(err)
			}
			left(limit, "after the command")
			time.Sleep(limit / 2)
			left(limit/2, "half of the time later")
			if ago := time.Since(s.idle.last()); ago != limit/2 {
				t.Errorf("half of the time later it was last used %v ago", ago)
			}
		}
	})
}

// While a person uses the pages, the session is not idle. The idle time starts when the person has
// handed them back, or when the time of the take-over is over.
func TestIdleStartsAfterAPerson(t *testing.T) {
	for _, back := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			ended := make(chan struct{})
			s := &Session{Name: "s", idle: newIdle(), Broker: newBroker(home.Endpoint{}, "s"), Log: slog.New(slog.DiscardHandler), end: func() { close(ended) }}
			s.reporter, s.Tabs, s.Notices = newReporter(s.Broker), newTabs(s.Broker), &Notices{}
			if err := s.idle.set("3s"); err != nil {
				t.Fatal(err)
			}
			s.idle.begin()()
			if _, err := s.takeOver(t.Context(), nil, verbs.TakeOverIn{For: 60_000}); err != nil {
				t.Fatal(err)
			}
			go s.watchIdle(t.Context())
			want := 63 * time.Second
			began := time.Now()
			time.Sleep(20 * time.Second)
			s.idle.begin()() // a command that reads
			if back {
				if _, err := s.handBack(t.Context(), nil, verbs.HandBackIn{}); err != nil {
					t.Fatal(err)
				}
				want = 23 * time.Second
			}
			<-ended
			if took := time.Since(began); took != want {
				t.Errorf("handed back: %t: the daemon ended after %v, want %v", back, took, want)
			}
		})
	}
}
