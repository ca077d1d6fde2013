package daemon

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/daemon/web/har"
)

// recorder records the session's requests: each is in the journal as soon as it is over.
//
// It uses what Playwright reports of the session's pages. Playwright's own HAR is written
// when its browser context is closed, which a session's never is.
type recorder struct {
	kept    *keeping
	journal har.Journal

	mu      sync.Mutex // guards the fields below
	pending map[playwright.Request]time.Time
	busy    int           // entries that are being made
	idle    chan struct{} // closed when busy is 0 again; nil if nothing waits for that
	watched *link         // whose requests are reported
}

// recording is what is kept of one while it goes on.
type recording struct {
	Path    string `json:"path"`
	Content string `json:"content"` // all, text or none
}

func newRecorder(k *keeping, journal string) *recorder {
	return &recorder{kept: k, journal: har.Journal{Path: journal}, pending: map[playwright.Request]time.Time{}}
}

func (r *recorder) isOn() bool { return r.kept.get().HAR != nil }

// watch records the requests of a connection's pages while a recording goes on.
func (r *recorder) watch(l *link) {
	r.mu.Lock()
	known := r.watched == l
	if r.isOn() && !known {
		r.watched = l
		clear(r.pending)
	}
	r.mu.Unlock()
	if !r.isOn() || known {
		return
	}
	l.context.OnRequest(func(q playwright.Request) { r.began(q) })
	over := func(q playwright.Request) { r.over(l, q) }
	l.context.OnRequestFinished(over)
	l.context.OnRequestFailed(over)
}

const maxPendingRequests = 10_000

func (r *recorder) began(q playwright.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.isOn() && len(r.pending) < maxPendingRequests {
		r.pending[q] = time.Now()
	}
}

// over writes a request's entry into the journal. It is called on the goroutine that reads
// Playwright's messages, so the calls that the entry takes are made on another.
func (r *recorder) over(l *link, q playwright.Request) {
	r.mu.Lock()
	began, known := r.pending[q]
	delete(r.pending, q)
	h := r.kept.get().HAR
	if !known || h == nil {
		r.mu.Unlock()
		return
	}
	r.busy++
	r.mu.Unlock()
	handed := l.hand(func() {
		// A full disk loses the entry and not the command: see [har.Journal.Losses].
		_ = r.journal.Append(entryOf(q, began, h.Content))
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

// settleTime is how long the entries of requests that are over may take.
const settleTime = 3 * time.Second

// stop ends the recording, writes the file and returns how many requests it has.
func (r *recorder) stop(path string) (int, error) {
	n, err := r.write(path)
	if err != nil {
		return 0, err
	}
	err = r.kept.change(func(k *kept) { k.HAR = nil })
	return n, errors.Join(err, r.journal.Remove())
}

// finish is stop at the session's end, which no setting outlives. If the file cannot be
// written, the journal is set aside and the error says where it is.
func (r *recorder) finish() (path string, err error) {
	h := r.kept.get().HAR
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

// write writes what was recorded up to now.
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
		timer := time.NewTimer(settleTime)
		defer timer.Stop()
		select {
		case <-idle:
		case <-timer.C:
		}
	}
	r.mu.Lock()
	for q, began := range r.pending { // these have no response yet
		_ = r.journal.Append(har.NewEntry(began, q.Method(), q.URL(), q.ResourceType()))
	}
	clear(r.pending)
	r.mu.Unlock()
	return r.journal.WriteArchive(path)
}

// entryOf returns the entry of a request that is over. It leaves out what cannot be read
// any more since the page has gone.
func entryOf(q playwright.Request, began time.Time, bodies string) har.Entry {
	e := har.NewEntry(began, q.Method(), q.URL(), q.ResourceType())
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
