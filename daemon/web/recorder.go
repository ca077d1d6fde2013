package web

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/daemon/web/har"
)

// recorder records the session's requests. It writes each request to a file, the journal, when
// Playwright reports it and again when it is over, so that the request is not lost if the daemon is
// killed meanwhile. The HAR is made from the journal.
//
// The recorder uses Playwright's events, and not Playwright's own HAR recording. Playwright writes
// its HAR when the browser context is closed, but the context of a session is never closed.
type recorder struct {
	state   *daemon.StateStore
	journal har.Journal
	notices *daemon.Notices // gets the entries that could not be written, and the gaps

	mu      sync.Mutex // guards the fields below
	pending map[playwright.Request]time.Time
	busy    int           // the number of entries that are being made
	idle    chan struct{} // closed when busy is 0 again; nil if nothing waits for that
	watched *connection   // the connection whose requests are recorded
}

func newRecorder(state *daemon.StateStore, journal string, notices *daemon.Notices) *recorder {
	return &recorder{state: state, journal: har.Journal{Path: journal}, notices: notices, pending: map[playwright.Request]time.Time{}}
}

func (r *recorder) isOn() bool { return r.state.Get().HAR != nil }

// watch starts to record the requests of a connection's pages, if a recording is on. If the
// recording used another connection before, which was lost, the recording has a gap. The next reply
// says so. The requests that had no response when the connection was lost stay without one.
func (r *recorder) watch(conn *connection) {
	r.mu.Lock()
	known := r.watched == conn
	if r.isOn() && !known {
		if r.watched != nil {
			r.notices.AddGap()
		}
		r.watched = conn
		clear(r.pending)
	}
	r.mu.Unlock()
	if !r.isOn() || known {
		return
	}
	conn.context.OnRequest(func(q playwright.Request) { r.start(q) })
	over := func(q playwright.Request) { r.end(conn, q) }
	conn.context.OnRequestFinished(over)
	conn.context.OnRequestFailed(over)
}

const maxPendingRequests = 10_000

// start writes the entry of a request that has no response yet. If it cannot be written, the request
// is not recorded.
func (r *recorder) start(q playwright.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	began := time.Now()
	if r.isOn() && len(r.pending) < maxPendingRequests && r.append(newEntry(q, began)) {
		r.pending[q] = began
	}
}

func newEntry(q playwright.Request, began time.Time) har.Entry {
	return har.NewEntry(began, q.Method(), q.URL(), q.ResourceType())
}

// end writes a request's entry into the journal. It is called on the goroutine that reads
// Playwright's messages, and must not block it. So end uses another goroutine for the calls to
// Playwright that return the content of the entry.
func (r *recorder) end(conn *connection, q playwright.Request) {
	r.mu.Lock()
	began, known := r.pending[q]
	delete(r.pending, q)
	h := r.state.Get().HAR
	if !known || h == nil {
		r.mu.Unlock()
		return
	}
	r.busy++
	r.mu.Unlock()
	handed := conn.spawn(func() {
		r.append(entryOf(q, began, h.Content))
		r.done()
	})
	if !handed {
		r.done()
	}
}

func (r *recorder) done() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.busy--
	if r.busy == 0 && r.idle != nil {
		close(r.idle)
		r.idle = nil
	}
}

// append writes an entry into the journal, and reports whether it has. If that fails, for example
// because the disk is full, the entry is lost, and the command does not fail.
func (r *recorder) append(e har.Entry) bool {
	err := r.journal.Append(e)
	if err != nil {
		r.notices.AddLoss(err)
	}
	return err == nil
}

// settleTime is how long write waits for the entries of requests that are over.
const settleTime = 3 * time.Second

// stop writes the HAR, ends the recording, and returns the number of requests in the HAR. If the
// HAR cannot be written, the recording goes on.
func (r *recorder) stop(path string) (int, error) {
	n, err := r.write(path)
	if err != nil {
		return 0, err
	}
	err = r.state.Change(func(s *daemon.State) { s.HAR = nil })
	return n, errors.Join(err, r.journal.Remove())
}

// finish ends the recording at the end of the session, and returns the path of the HAR. It does not
// change the session's state, which ends with the session. If the HAR cannot be written, finish
// renames the journal and returns an error that contains the new name.
func (r *recorder) finish() (path string, err error) {
	h := r.state.Get().HAR
	if h == nil {
		return "", nil
	}
	if _, err := r.write(h.Path); err != nil {
		aside, moved := r.journal.SetAside()
		if moved != nil {
			return "", errors.Join(err, moved)
		}
		return "", fmt.Errorf("the HAR is not written: %w; what was recorded is in %s, an entry a line", err, aside)
	}
	return h.Path, r.journal.Remove()
}

// write writes the HAR of all requests so far, including those that have no response yet. It
// returns the number of requests.
func (r *recorder) write(path string) (int, error) {
	r.mu.Lock()
	var idle chan struct{}
	if r.busy > 0 {
		if r.idle == nil {
			r.idle = make(chan struct{})
		}
		idle = r.idle
	}
	r.mu.Unlock()
	if idle != nil {
		select {
		case <-idle:
		case <-time.After(settleTime):
		}
	}
	return r.journal.WriteArchive(path)
}

// entryOf returns the entry of a request that is over. If the page is gone, some of the request's
// data cannot be read any more. The entry then lacks it.
func entryOf(q playwright.Request, began time.Time, bodies string) har.Entry {
	e := newEntry(q, began)
	headers, _ := q.HeadersArray()
	e.Request.SetHeaders(pairs(headers))
	if body, err := q.PostDataBuffer(); err == nil && len(body) > 0 {
		e.Request.SetBody(body, bodies != "none")
	}
	if why := q.Failure(); why != nil {
		e.Response.Failure = why.Error()
	}
	if t := q.Timing(); t != nil && t.ResponseEnd > 0 {
		e.Time = t.ResponseEnd
		e.Timings = har.Timings{Send: 0, Wait: max(0, t.ResponseStart-max(0, t.RequestStart)), Receive: max(0, t.ResponseEnd-max(0, t.ResponseStart))}
	}
	response, err := q.ExistingResponse()
	if err != nil || response == nil {
		return e
	}
	r := &e.Response
	r.Status, r.StatusText = response.Status(), response.StatusText()
	if version, err := response.HttpVersion(); err == nil && version != "" {
		r.HTTPVersion, e.Request.HTTPVersion = version, version
	}
	headers, _ = response.HeadersArray()
	r.SetHeaders(pairs(headers))
	if r.WantsBody(bodies) {
		r.SetBody(response.Body())
	}
	return e
}

func pairs(headers []playwright.NameValue) []har.Pair {
	all := []har.Pair{}
	for _, h := range headers {
		all = append(all, har.Pair(h))
	}
	return all
}
