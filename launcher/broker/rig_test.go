package broker

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/launcher/keeper"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const testTime = 60 * time.Second

// rig is a keeper with its broker and browser for one test.
type rig struct {
	t     *testing.T
	root  home.Root
	place home.Endpoint
	site  *httptest.Server
	pings *pings
	log   *logBuffer
}

// start runs a keeper in this process until the test ends.
func start(t *testing.T, s wire.Settings) *rig {
	t.Helper()
	r := newRig(t, s)
	ctx, cancel := context.WithCancel(context.Background())
	o, err := keeperOptions(ctx, r.root, s)
	if err != nil {
		t.Fatal(err)
	}
	o.Log = slog.New(slog.NewTextHandler(r.log, nil))
	ready, ended := make(chan error, 1), make(chan error, 1)
	o.Ready = func(err error) { ready <- err }
	go func() { ended <- keeper.Run(ctx, o) }()
	t.Cleanup(func() {
		cancel()
		select {
		case <-ended:
		case <-time.After(testTime):
			t.Error("the keeper does not end")
		}
	})
	select {
	case err := <-ready:
		if err != nil {
			t.Fatalf("Run: %v %v", err, wire.AsError(err).Details)
		}
	case <-time.After(testTime):
		t.Fatal("the keeper is not ready")
	}
	return r
}

func newRig(t *testing.T, s wire.Settings) *rig {
	t.Helper()
	// The path of t.TempDir would be too long, since the length of a socket's path is limited.
	dir, err := os.MkdirTemp("/tmp", ownPrefix())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	r := &rig{t: t, root: home.Root{Dir: filepath.Join(dir, "r")}, log: &logBuffer{}, pings: &pings{seen: map[string]bool{}}}
	if err := r.root.Make(); err != nil {
		t.Fatal(err)
	}
	if r.place, err = r.root.BrowserOf(s); err != nil {
		t.Fatal(err)
	}
	r.site = httptest.NewServer(r.pings)
	t.Cleanup(r.site.Close)
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(r.log.String())
		}
	})
	return r
}

// servePage responds with the script or the HTML that the query contains.
func servePage(w http.ResponseWriter, q *http.Request) {
	if script := q.FormValue("script"); script != "" {
		w.Header().Set("Content-Type", "text/javascript")
		_, _ = w.Write([]byte(script))
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	html := q.FormValue("html")
	if html == "" {
		html = "<title>" + q.URL.Path + "</title>"
	}
	_, _ = w.Write([]byte("<!doctype html>" + html))
}

// ask calls a verb of the broker.
func ask[In, Out any](r *rig, v wire.Verb[In, Out], in In) Out {
	r.t.Helper()
	out, err := try(r, v, in)
	if err != nil {
		r.t.Fatalf("%s: %v", v.Name, err)
	}
	return out
}

func try[In, Out any](r *rig, v wire.Verb[In, Out], in In) (Out, error) {
	var out Out
	ctx, cancel := context.WithTimeout(context.Background(), testTime)
	defer cancel()
	c := client.Client{Endpoint: r.place}
	reply, err := c.Call(ctx, v.Spec, in)
	if err != nil {
		return out, err
	}
	return out, json.Unmarshal(reply.Data, &out)
}

// tabs returns the ids of a session's tabs.
func (r *rig) tabs(session string) []string {
	r.t.Helper()
	var ids []string
	for _, tab := range ask(r, verbs.BrokerTabs, verbs.TabsIn{Session: session}).Tabs {
		ids = append(ids, tab.TabID)
	}
	return ids
}

// until polls a condition until it is met. It fails the test if the condition is not met within
// half of testTime, even if the last check succeeds after that time.
func until(t *testing.T, what string, isMet func() bool) {
	t.Helper()
	for end := time.Now().Add(testTime / 2); ; time.Sleep(20 * time.Millisecond) {
		met := isMet()
		switch late := time.Now().After(end); {
		case late && met:
			t.Fatalf("too late: %s", what)
		case late:
			t.Fatalf("never: %s", what)
		case met:
			return
		}
	}
}

// logBuffer collects the log, which a failed test prints.
type logBuffer struct {
	mu sync.Mutex // guards b
	b  strings.Builder
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// pings collects the queries with which pages request /beat.
type pings struct {
	mu   sync.Mutex // guards seen
	seen map[string]bool
}

func (p *pings) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	if q.URL.Path == "/beat" {
		p.mu.Lock()
		p.seen[q.URL.RawQuery] = true
		p.mu.Unlock()
	}
	servePage(w, q)
}

func (p *pings) has(query string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen[query]
}
