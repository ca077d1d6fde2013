package site

import (
	"fmt"
	"io"
	"net/http"
	"time"
)

// meetDeadline is how long /meet delays a request if no request of another task comes.
const meetDeadline = 30 * time.Second

// meeting is a round in which the requests of two tasks wait for each other. A task is any name in
// the request's path.
type meeting struct {
	tasks map[string]bool
	both  chan struct{} // closed when the second task has come
}

// meet delays the request of a task until another task's request of the same round has come. It
// then responds with a page that says "TASK in round ROUND". If no other request comes within
// meetDeadline, meet responds with 504.
func (s *Site) meet(w http.ResponseWriter, r *http.Request) {
	round, task := r.PathValue("round"), r.PathValue("task")
	s.mu.Lock()
	m, ok := s.meetings[round]
	if !ok {
		m = &meeting{tasks: map[string]bool{}, both: make(chan struct{})}
		s.meetings[round] = m
	}
	if !m.tasks[task] {
		m.tasks[task] = true
		if len(m.tasks) == 2 {
			close(m.both)
		}
	}
	s.mu.Unlock()
	deadline := time.NewTimer(meetDeadline)
	defer deadline.Stop()
	select {
	case <-m.both:
		show(w, task+" in round "+round)
	case <-deadline.C:
		http.Error(w, "the other task did not come", http.StatusGatewayTimeout)
	case <-r.Context().Done():
		hangUp()
	}
}

// slow waits for ?ms= milliseconds, and then responds with the page named by ?name=.
func (s *Site) slow(w http.ResponseWriter, r *http.Request) {
	pause(r, number(r, "ms", 1000))
	name := r.URL.Query().Get("name")
	if name == "" {
		name = "slow"
	}
	show(w, name)
}

// drip responds at once and sends ?n= lines, with ?ms= milliseconds before each. The browser can
// show the document from the first line on. Its load event comes after the last line.
func (s *Site) drip(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.WriteString(w, "<!doctype html><title>Drip</title><h1>Drip</h1>\n")
	flush := http.NewResponseController(w)
	for i := range number(r, "n", 5) {
		_ = flush.Flush()
		pause(r, number(r, "ms", 200))
		_, _ = fmt.Fprintf(w, "<p class=drop>drop %d</p>\n", i+1)
	}
	_, _ = io.WriteString(w, "<p id=end>end</p>\n")
}

// never is a handler that sends no response. It returns when the client disconnects or the site is
// closed.
func (s *Site) never(_ http.ResponseWriter, r *http.Request) {
	<-r.Context().Done()
	hangUp()
}

// wait responds when the gate is opened: see [Site.Open].
func (s *Site) wait(w http.ResponseWriter, r *http.Request) {
	select {
	case <-s.gate(r.PathValue("name")):
		w.WriteHeader(http.StatusNoContent)
	case <-r.Context().Done():
		hangUp()
	}
}

// opened responds at once: with 204 if the gate is open, and with 425 if it is not. A browser has at
// most six connections to a host. So if more than six tasks of a browser waited in requests to
// /gate, the pages of the other tasks could not be loaded.
func (s *Site) opened(w http.ResponseWriter, r *http.Request) {
	select {
	case <-s.gate(r.PathValue("name")):
		w.WriteHeader(http.StatusNoContent)
	default:
		w.WriteHeader(http.StatusTooEarly)
	}
}

// hangUp ends a request without a response. It panics, because a handler that returns has
// responded with 200.
func hangUp() { panic(http.ErrAbortHandler) }

// pause waits for ms milliseconds. If the client disconnects before that, it ends the request.
func pause(r *http.Request, ms int) {
	t := time.NewTimer(time.Duration(ms) * time.Millisecond)
	defer t.Stop()
	select {
	case <-t.C:
	case <-r.Context().Done():
		hangUp()
	}
}
