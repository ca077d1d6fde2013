package eventlog_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"testing/synctest"

	"github.com/abrowser/abrowser/launcher/broker/eventlog"
	"github.com/abrowser/abrowser/sockets/verbs"
)

func opened(session string) verbs.Event {
	return verbs.Event{Kind: verbs.EventOpened, Session: session}
}

func open(t *testing.T, path string) *eventlog.Log {
	t.Helper()
	l := eventlog.Open(eventlog.Options{Browser: "default", Path: path, Failed: func(err error) { t.Error(err) }})
	t.Cleanup(l.Close)
	return l
}

// ended is a context that has ended, for reads that do not wait.
func ended(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

func TestEventsAreInOrder(t *testing.T) {
	t.Parallel()
	l := open(t, filepath.Join(t.TempDir(), "events"))
	none, start := l.After(ended(t), -1, "")
	if len(none) != 0 {
		t.Fatalf("a new log has %v", none)
	}
	for i := range 50 {
		l.Add(opened(strconv.Itoa(i)))
	}
	all, last := l.After(ended(t), start, "")
	if len(all) != 50 || all[49].Number != last {
		t.Fatalf("%d events, the last of which is %d of %d", len(all), all[len(all)-1].Number, last)
	}
	for i, e := range all {
		if e.Session != strconv.Itoa(i) || i > 0 && e.Number <= all[i-1].Number || e.At.IsZero() || e.Browser != "default" {
			t.Errorf("event %d is %+v", i, e)
		}
	}
	if rest, _ := l.After(ended(t), all[39].Number, ""); len(rest) != 10 || rest[0].Session != "40" {
		t.Errorf("after the 40th event there are %d", len(rest))
	}
	if own, _ := l.After(ended(t), start, "7"); len(own) != 1 || own[0].Session != "7" {
		t.Errorf("session 7 has the events %v", own)
	}
}

func TestReaderIsToldWhatItMissed(t *testing.T) {
	t.Parallel()
	l := open(t, filepath.Join(t.TempDir(), "events"))
	_, start := l.After(ended(t), -1, "")
	for i := range 1500 {
		l.Add(opened(strconv.Itoa(i)))
	}
	all, _ := l.After(ended(t), start, "")
	if len(all) != 1001 || all[0].Kind != verbs.EventMissed || all[1].Session != "500" {
		t.Fatalf("%d events, which begin with %+v and %+v", len(all), all[0], all[1])
	}
	if rest, _ := l.After(ended(t), all[0].Number, ""); len(rest) != 1000 || rest[0].Session != "500" {
		t.Errorf("after the missed events there are %d", len(rest))
	}
}

// A broker that replaces another one knows the events of its predecessor, which may have been killed
// while it wrote.
func TestEventsOutliveTheBroker(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "events")
	l := open(t, path)
	for i := range 4000 {
		l.Add(opened(strconv.Itoa(i)))
	}
	before, last := l.After(ended(t), 1, "")
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if lines := bytes.Count(raw, []byte("\n")); lines > 3001 {
		t.Errorf("the file has %d lines", lines)
	}
	if err := os.WriteFile(path, append(raw, `{"number":99`...), 0o600); err != nil {
		t.Fatal(err)
	}
	next := open(t, path)
	after, again := next.After(ended(t), 1, "")
	if len(after) != len(before) || again != last || after[1000].Session != "3999" {
		t.Errorf("%d events up to %d, before %d up to %d", len(after), again, len(before), last)
	}
	next.Add(opened("new"))
	if rest, _ := next.After(ended(t), last, ""); len(rest) != 1 || rest[0].Number <= last {
		t.Errorf("the next event is %+v, after %d", rest, last)
	}
	if rest, _ := open(t, path).After(ended(t), last, ""); len(rest) != 1 || rest[0].Session != "new" {
		t.Errorf("the third broker has %+v", rest)
	}
}

func TestReaderWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := open(t, filepath.Join(t.TempDir(), "events"))
		got := make(chan []verbs.Event)
		go func() {
			events, _ := l.After(t.Context(), -1, "b")
			got <- events
		}()
		synctest.Wait()
		l.Add(opened("a"))
		synctest.Wait()
		select {
		case e := <-got:
			t.Fatalf("an event of another session ended the wait: %v", e)
		default:
		}
		l.Add(opened("b"))
		if events := <-got; len(events) != 1 || events[0].Session != "b" {
			t.Errorf("got %v", events)
		}
	})
}
