package daemon_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// When a session ends, what its pages have logged and requested is kept, without what people type
// and without tokens.
func TestRecordIsKept(t *testing.T) {
	s := start(t)
	eval(t, s, "connects")
	s.hold(verbs.SessionRecord{
		Console: []verbs.ConsoleMessage{{Text: "said"}},
		Requests: []verbs.Request{{
			URL: "https://ada:secret@shop.test/buy?token=secret#secret", PostData: "secret", Method: "POST",
			Headers: map[string]string{"Cookie": "secret"}, ResponseHeaders: map[string]string{"Set-Cookie": "secret"},
		}, {URL: "data:text/html,secret"}},
	})
	do(t, s, verbs.Close, verbs.CloseIn{})
	s.awaitEnd(t)
	raw, err := os.ReadFile(s.root.RecordFile("s"))
	if err != nil {
		t.Fatal(err)
	}
	var got verbs.SessionRecord
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Requests) != 2 || got.Requests[0].URL != "https://shop.test/buy" || got.Requests[0].Method != "POST" || len(got.Console) != 1 || got.At.IsZero() || strings.Contains(string(raw), "secret") {
		t.Errorf("the record is %s", raw)
	}
}

// A record has at most 1 MB: the newest entries.
func TestRecordIsBounded(t *testing.T) {
	s := start(t)
	eval(t, s, "connects")
	var all []verbs.ConsoleMessage
	for range 100 {
		all = append(all, verbs.ConsoleMessage{Text: strings.Repeat("long ", 10_000)})
	}
	s.hold(verbs.SessionRecord{Console: append(all, verbs.ConsoleMessage{Text: "last"})})
	do(t, s, verbs.Close, verbs.CloseIn{})
	s.awaitEnd(t)
	raw, err := os.ReadFile(s.root.RecordFile("s"))
	if err != nil || len(raw) > 1<<20 || len(raw) < 1<<18 || !strings.Contains(string(raw), `"last"`) {
		t.Errorf("the record has %d bytes, %v", len(raw), err)
	}
}

// Nothing is kept of an incognito session.
func TestRecordOfIncognitoSession(t *testing.T) {
	s := start(t, func(o *daemon.Options, _ *memory) { o.Settings.Mode = wire.ModeIncognito })
	eval(t, s, "connects")
	s.hold(verbs.SessionRecord{Console: []verbs.ConsoleMessage{{Text: "said"}}})
	do(t, s, verbs.Close, verbs.CloseIn{})
	s.awaitEnd(t)
	if _, err := os.Stat(s.root.RecordFile("s")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the record of an incognito session: %v", err)
	}
}

// hold sets the record that the backend has of the session.
func (m *memory) hold(r verbs.SessionRecord) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.record = r
}

func (m *memory) Record(context.Context) (verbs.SessionRecord, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.record, nil
}
