package daemon

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"
)

// recorder records the session's requests. Each is in a journal as soon as it is
// over, so that no end of a daemon loses one; the HAR is made of the journal.
//
// It is made here, of what Playwright tells of the session's pages, and not by
// Playwright, which writes a HAR when its context is closed: ours never is.
type recorder struct {
	kept    *keeping
	journal string

	mu      sync.Mutex // guards the fields below; held while a line is written
	pending map[playwright.Request]time.Time
	busy    int           // entries that are being made
	idle    chan struct{} // closed when busy is 0 again; nil while nobody waits
	watched *link         // whose requests are told
	missed  int           // entries that could not be written, and nobody was told of yet
	why     error         // the last of them
}

// recording is what is kept of one while it goes on.
type recording struct {
	Path    string `json:"path"`
	Content string `json:"content"` // all, text or none
}

func newRecorder(k *keeping, journal string) *recorder {
	return &recorder{kept: k, journal: journal, pending: map[playwright.Request]time.Time{}}
}

func (r *recorder) on() bool { return r.kept.get().HAR != nil }

// watch has the requests of a connection's pages told, while a recording goes on.
func (r *recorder) watch(l *link) {
	r.mu.Lock()
	known := r.watched == l
	if r.on() && !known {
		r.watched = l
		clear(r.pending)
	}
	r.mu.Unlock()
	if !r.on() || known {
		return
	}
	l.context.OnRequest(func(q playwright.Request) { r.began(q) })
	over := func(q playwright.Request) { r.over(l, q) }
	l.context.OnRequestFinished(over)
	l.context.OnRequestFailed(over)
}

const mostPendingRequests = 10_000

func (r *recorder) began(q playwright.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.on() && len(r.pending) < mostPendingRequests {
		r.pending[q] = time.Now()
	}
}

// over writes a request's entry into the journal. Asking for what it has takes calls
// of Playwright, so it is handed over.
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
		// A disk that is full loses the entry, not the command: see [recorder.losses].
		_ = r.write(entryOf(q, began, h.Content))
		r.less()
	})
	if !handed {
		r.less()
	}
}

func (r *recorder) less() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.busy--
	if r.busy == 0 && r.idle != nil {
		close(r.idle)
		r.idle = nil
	}
}

func (r *recorder) write(e harEntry) error {
	raw, err := json.Marshal(e)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.appendLocked(raw)
}

func (r *recorder) appendLocked(line []byte) error {
	err := appendLine(r.journal, line)
	if err != nil {
		r.missed, r.why = r.missed+1, err
	}
	return err
}

// appendLine puts a line into a file, whole or not at all.
func appendLine(path string, line []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	n, err := f.Write(append(line, '\n'))
	if err != nil && n > 0 { // a half one would spoil the next
		if info, failed := f.Stat(); failed == nil {
			_ = f.Truncate(info.Size() - int64(n)) // it is short by an entry or two, as is said
		}
	}
	return errors.Join(err, f.Close())
}

// losses is the warning for entries that could not be written since it was asked
// last, empty where there are none.
func (r *recorder) losses() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.missed == 0 {
		return ""
	}
	text := fmt.Sprintf("the recording of requests lacks %d: %v", r.missed, r.why)
	r.missed, r.why = 0, nil
	return text
}

// settleTime is how long the entries of requests that are over may take.
const settleTime = 3 * time.Second

// stop ends the recording, writes the file and returns how many requests it has.
func (r *recorder) stop(path string) (int, error) {
	n, err := r.emit(path)
	if err != nil {
		return 0, err
	}
	err = r.kept.change(func(k *kept) { k.HAR = nil })
	return n, errors.Join(err, os.RemoveAll(r.journal))
}

// finish is stop for the session's end, which nothing that was set outlives. Where the
// file cannot be written, what was recorded is kept beside the journal.
func (r *recorder) finish() (path string, err error) {
	h := r.kept.get().HAR
	if h == nil {
		return "", nil
	}
	if _, err := r.emit(h.Path); err != nil {
		aside := r.journal + "." + time.Now().Format("20060102-150405.000")
		if moved := os.Rename(r.journal, aside); moved != nil {
			return "", errors.Join(err, moved)
		}
		return "", fmt.Errorf("the HAR is not written: %w; what was recorded is in %s, an entry a line", err, aside)
	}
	return h.Path, os.RemoveAll(r.journal)
}

// emit writes what was recorded up to now.
func (r *recorder) emit(path string) (int, error) {
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
	for q, began := range r.pending { // what is under way has no answer yet
		if raw, err := json.Marshal(requestOf(q, began)); err == nil {
			_ = r.appendLocked(raw)
		}
	}
	clear(r.pending)
	r.mu.Unlock()
	entries, err := readJournal(r.journal)
	if err != nil {
		return 0, err
	}
	return len(entries), writeHAR(path, entries)
}

// readJournal returns the entries of a journal in the order in which they began. A
// line that was not written to its end is left out.
func readJournal(path string) ([]json.RawMessage, error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	type entry struct {
		at  string
		raw json.RawMessage
	}
	var all []entry
	for line := range bytes.Lines(raw) {
		var begun struct{ StartedDateTime string }
		if json.Unmarshal(line, &begun) == nil {
			all = append(all, entry{begun.StartedDateTime, bytes.TrimSpace(line)})
		}
	}
	slices.SortStableFunc(all, func(a, b entry) int { return strings.Compare(a.at, b.at) })
	var entries []json.RawMessage
	for _, e := range all {
		entries = append(entries, e.raw)
	}
	return entries, nil
}

// writeHAR writes the file whole or not at all. It may hold what is secret.
func writeHAR(path string, entries []json.RawMessage) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	w := bufio.NewWriter(f)
	_, _ = w.WriteString(`{"log":{"version":"1.2","creator":{"name":"abrowser","version":"1"},"pages":[],"entries":[`) // Flush has the error
	for i, e := range entries {
		if i > 0 {
			_ = w.WriteByte(',')
		}
		_ = w.WriteByte('\n')
		_, _ = w.Write(e)
	}
	_, _ = w.WriteString("\n]}}\n")
	err = errors.Join(w.Flush(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("writing %s: %w", path, err), os.Remove(f.Name()))
	}
	return nil
}
