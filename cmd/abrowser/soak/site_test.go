//go:build linux

package soak_test

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

//go:embed page.html page.js
var assets embed.FS

// record is an event in a page, or a request that the page sent to the server. An event is recorded
// with the level "window" when the window captures it, with the level "element" when it reaches the
// element of a case, and with the level "bubble" when it reaches another node.
type record struct {
	Seq     int     `json:"seq"`
	At      float64 `json:"at"` // milliseconds since 1970
	Type    string  `json:"type"`
	On      string  `json:"on"`    // the id of a case, or a description of another node
	Level   string  `json:"level"` // window, element or bubble
	Value   string  `json:"value"`
	Trusted bool    `json:"trusted"`
	Page    string  `json:"page"`
	Role    string  `json:"-"`
}

// site serves the pages of one session and collects the records that they report. Each session has
// its own site, because a browser opens only six connections to one host.
//
// Each frame of a tab writes a journal: a sequence of numbered records, which continues when the
// frame loads another document. The id of a journal is its epoch. The role of a frame says where in
// the page the frame is: see roleTop.
type site struct {
	port, deepPort string
	server         *http.Server
	serving        sync.WaitGroup

	mu       sync.Mutex              // guards the fields below
	orders   map[string]chan []byte  // by role, the orders for the newest document
	journals map[string]map[int]bool // by role and epoch, the numbers of the records that have come
	latest   map[string]string       // by role, the epoch of the latest report
	records  []record
	flushes  map[string]flushed // the key is the id of the order, followed by the role
	changed  chan struct{}      // closed at the next change
}

// flushed is a document's answer to the order to report all its records.
type flushed struct {
	epoch string
	seq   int // the number of its last record
}

const (
	roleTop  = "top"
	roleFar  = "far"  // a frame of another origin in the top document
	roleDeep = "deep" // a frame of a third origin in the far frame
)

func startSite(t testing.TB) *site {
	t.Helper()
	s := &site{
		orders: map[string]chan []byte{}, journals: map[string]map[int]bool{}, latest: map[string]string{},
		flushes: map[string]flushed{}, changed: make(chan struct{}),
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.server = &http.Server{Handler: s.routes(), ReadHeaderTimeout: 10 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx }}
	for host, port := range map[string]*string{"127.0.0.1": &s.port, "127.0.0.2": &s.deepPort} {
		l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", host+":0")
		if err != nil {
			t.Fatal(err)
		}
		if _, *port, err = net.SplitHostPort(l.Addr().String()); err != nil {
			t.Fatal(err)
		}
		s.serving.Go(func() {
			if err := s.server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
				panic(err) // a listener on loopback does not fail by itself
			}
		})
	}
	t.Cleanup(func() {
		cancel()
		_ = s.server.Close()
		s.serving.Wait()
	})
	return s
}

// url returns the address of a page. A framed page has a frame of another origin, and that frame
// has a frame of a third origin. If arm is not nil, that case begins when the page has loaded.
func (s *site) url(page string, framed bool, arm *plannedCase) string {
	query := url.Values{"page": {page}}
	if framed {
		query.Set("framed", "1")
	}
	if arm != nil {
		raw, err := json.Marshal(arm.Spec)
		if err != nil {
			panic(err) // strings and numbers can be marshaled
		}
		query.Set("arm", string(raw))
	}
	return "http://127.0.0.1:" + s.port + "/page/" + roleTop + "?" + query.Encode()
}

func (s *site) routes() http.Handler {
	pages := template.Must(template.ParseFS(assets, "page.html"))
	script, err := assets.ReadFile("page.js")
	if err != nil {
		panic(err) // it is embedded
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /page/{role}", func(w http.ResponseWriter, r *http.Request) {
		if delay, _ := strconv.Atoi(r.FormValue("delay")); delay > 0 { // a missing value is 0, which means no delay
			select {
			case <-time.After(time.Duration(delay) * time.Millisecond):
			case <-r.Context().Done():
			}
		}
		inner := url.Values{"page": {r.FormValue("page")}, "framed": {"1"}}.Encode()
		of := map[string]any{"Role": r.PathValue("role"), "Script": template.JS(script)}
		switch {
		case r.FormValue("framed") == "":
		case r.PathValue("role") == roleTop:
			of["Frame"], of["Width"], of["Height"] = "http://localhost:"+s.port+"/page/"+roleFar+"?"+inner, 1000, 700
		case r.PathValue("role") == roleFar: // the far frame draws its own elements above the deep frame
			of["Frame"], of["Width"], of["Height"] = "http://127.0.0.2:"+s.deepPort+"/page/"+roleDeep+"?"+inner, 900, 600
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		_ = pages.Execute(w, of) // the browser may have disconnected
	})
	mux.HandleFunc("GET /orders", s.sendOrders)
	mux.HandleFunc("POST /report", s.takeReport)
	mux.HandleFunc("POST /submit", func(w http.ResponseWriter, r *http.Request) {
		s.add(record{At: milliseconds(time.Now()), Type: "request", On: r.FormValue("case"), Level: levelElement, Trusted: true})
		http.Redirect(w, r, r.FormValue("back"), http.StatusSeeOther)
	})
	return mux
}

func milliseconds(at time.Time) float64 { return float64(at.UnixMicro()) / 1000 }

// sendOrders streams orders, as server-sent events, to the document that made the request. This
// document becomes the newest of its role, so it gets all further orders for the role.
func (s *site) sendOrders(w http.ResponseWriter, r *http.Request) {
	role := r.FormValue("role")
	mine := make(chan []byte, 16)
	s.mu.Lock()
	s.orders[role] = mine
	s.wakeLocked()
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	flush := func() { _ = http.NewResponseController(w).Flush() }
	flush()
	for {
		select {
		case order := <-mine:
			_, _ = fmt.Fprintf(w, "data: %s\n\n", order)
			flush()
		case <-r.Context().Done():
			return
		}
	}
}

// takeReport stores the new records of a report. It responds with the number of the last record
// before the first gap.
func (s *site) takeReport(w http.ResponseWriter, r *http.Request) {
	var report struct {
		Role, Epoch string
		Seq         int
		Records     []record
		Flush       string
	}
	if err := json.NewDecoder(r.Body).Decode(&report); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key := report.Role + " " + report.Epoch
	s.latest[report.Role] = report.Epoch
	if s.journals[key] == nil {
		s.journals[key] = map[int]bool{}
	}
	seen := s.journals[key]
	for _, record := range report.Records {
		if !seen[record.Seq] {
			seen[record.Seq] = true
			record.Role = report.Role
			s.records = append(s.records, record)
		}
	}
	have := 0
	for seen[have+1] {
		have++
	}
	if report.Flush != "" && have >= report.Seq {
		s.flushes[report.Flush+report.Role] = flushed{report.Epoch, report.Seq}
	}
	s.wakeLocked()
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"have":%d}`, have)
}

func (s *site) add(r record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records = append(s.records, r)
	s.wakeLocked()
}

func (s *site) wakeLocked() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// await waits until the condition is true, but not longer than limit, and reports whether it
// became true. The condition is called with s.mu held.
func (s *site) await(limit time.Duration, condition func() bool) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		s.mu.Lock()
		ok, changed := condition(), s.changed
		s.mu.Unlock()
		if ok {
			return true
		}
		select {
		case <-changed:
		case <-timer.C:
			return false
		}
	}
}

// find returns the latest record of a type about a case; call it with s.mu held.
func (s *site) find(kind, on string) (record, bool) {
	for _, r := range slices.Backward(s.records) {
		if r.Type == kind && r.On == on {
			return r, true
		}
	}
	return record{}, false
}

// order queues an order for the newest document of a role. It reports whether the order was
// queued.
func (s *site) order(role string, order map[string]any) bool {
	raw, err := json.Marshal(order)
	if err != nil {
		panic(err) // strings and numbers can be marshaled
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	to := s.orders[role]
	if to == nil {
		return false
	}
	select {
	case to <- raw:
		return true
	default:
		return false // the document does not read its orders
	}
}

// arm orders a page to begin a case. It returns the record with which the page confirms it, or
// false if the record does not come within the limit.
func (s *site) arm(role string, c *plannedCase, limit time.Duration) (record, bool) {
	deadline := time.Now().Add(limit)
	var armed record
	for time.Now().Before(deadline) { // a document that is being replaced may lose an order
		s.order(role, map[string]any{"arm": c.Spec})
		var ok bool
		if s.await(min(time.Second, time.Until(deadline)), func() bool { armed, ok = s.find("armed", c.Spec.ID); return ok }) {
			return armed, true
		}
	}
	return armed, false
}

// flush orders the documents of the roles to report all their records. It reports whether the site
// has got, within the limit, all records that their journals contain.
func (s *site) flush(id string, roles []string, limit time.Duration) bool {
	deadline := time.Now().Add(limit)
	for time.Now().Before(deadline) {
		for _, role := range roles {
			s.order(role, map[string]any{"flush": id})
		}
		if s.await(min(time.Second, time.Until(deadline)), func() bool {
			return !slices.ContainsFunc(roles, func(role string) bool {
				f, ok := s.flushes[id+role]
				return !ok || f.epoch != s.latest[role]
			})
		}) {
			return true
		}
	}
	return false
}

// flushed describes how the roles have answered the flush with the given id, and which records
// their latest journals lack.
func (s *site) flushed(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var said []string
	for role, epoch := range s.latest {
		seen := s.journals[role+" "+epoch]
		last := slices.Max(append(slices.Collect(maps.Keys(seen)), 0))
		var missing []int
		for n := 1; n < last; n++ {
			if !seen[n] {
				missing = append(missing, n)
			}
		}
		answer, ok := s.flushes[id+role]
		said = append(said, fmt.Sprintf("%s: flushed %v %v, journal %s has %d of %d records and lacks %v", role, ok, answer, epoch, len(seen), last, missing))
	}
	return strings.Join(said, "; ")
}

// take returns all records, ordered by time, and deletes them from the site.
func (s *site) take() []record {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.records
	s.records = nil
	slices.SortStableFunc(all, func(a, b record) int {
		switch {
		case a.At < b.At:
			return -1
		case a.At > b.At:
			return 1
		}
		return 0
	})
	return all
}

// epochs returns, by role, the epoch of the journal that reported last. A tab that replaces
// another one begins a new journal; the records that the old tab had not reported are lost.
func (s *site) epochs() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.latest)
}
