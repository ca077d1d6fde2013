// Package eventlog keeps the last events of a browser, for readers that follow them. The events are
// also in a file, so that they survive the broker.
//
// The invariant: a reader gets every event once and in order, or is told that it has missed some.
// A reader that reads slowly or not at all delays nobody, and takes no memory.
package eventlog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
)

const (
	kept     = 1000     // events
	maxLines = 3 * kept // in the file, before it is written anew
)

// Log keeps events.
type Log struct {
	browser string
	path    string
	ended   <-chan struct{}
	failed  func(error) // gets errors of the file

	mu      sync.Mutex // guards the fields below
	file    *os.File   // nil if it cannot be written
	lines   int        // in the file
	events  []verbs.Event
	last    int64         // the number of the newest event
	first   int64         // events with this number and smaller ones are not kept
	changed chan struct{} // closed at the next event
}

// Options are the options of [Open].
type Options struct {
	Browser string          // the name of the browser
	Path    string          // the file of the events
	Ended   <-chan struct{} // when it is closed, readers stop waiting; may be nil
	Failed  func(error)     // gets errors of the file, without which events are in memory only
}

// Open returns a log with the events that are in the file. The caller must close it.
func Open(o Options) *Log {
	l := &Log{browser: o.Browser, path: o.Path, ended: o.Ended, failed: o.Failed, changed: make(chan struct{})}
	raw, err := os.ReadFile(o.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		l.failed(err)
	}
	for line := range bytes.Lines(raw) {
		var e verbs.Event
		if json.Unmarshal(line, &e) == nil && e.Number > l.last { // the last line may be incomplete
			l.events, l.last = append(l.events, e), e.Number
		}
	}
	l.trim()
	l.rewrite()
	return l
}

// Close closes the file.
func (l *Log) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil {
		_ = l.file.Close() // each event was written when it was added
		l.file = nil
	}
}

// trim removes events that are too many.
func (l *Log) trim() {
	if extra := len(l.events) - kept; extra > 0 {
		l.first = l.events[extra-1].Number
		l.events = slices.Delete(l.events, 0, extra)
	}
}

// rewrite writes a new file with the events, and opens it for further ones.
func (l *Log) rewrite() {
	if l.file != nil {
		_ = l.file.Close()
		l.file = nil
	}
	var all bytes.Buffer
	lines := json.NewEncoder(&all)
	for _, e := range l.events {
		_ = lines.Encode(e) // an event has nothing that cannot be encoded
	}
	err := home.WriteFile(l.path, all.Bytes())
	if err == nil {
		l.file, err = os.OpenFile(l.path, os.O_WRONLY|os.O_APPEND, 0o600)
	}
	if err != nil {
		l.failed(err)
	}
	l.lines = len(l.events)
}

// write adds an event to the file.
func (l *Log) write(e verbs.Event) {
	if l.file == nil {
		return
	}
	line, err := json.Marshal(e)
	if err == nil {
		_, err = l.file.Write(append(line, '\n'))
	}
	if err != nil {
		l.failed(err)
		_ = l.file.Close()
		l.file = nil
	}
	l.lines++
}

// Add gives the event a number and adds it. If the event has no time, it gets the current time.
func (l *Log) Add(e verbs.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e.At.IsZero() {
		e.At = time.Now()
	}
	l.last = max(l.last+1, time.Now().UnixMicro())
	e.Number, e.Browser = l.last, l.browser
	l.events = append(l.events, e)
	l.trim()
	if l.write(e); l.lines > maxLines {
		l.rewrite()
	}
	close(l.changed)
	l.changed = make(chan struct{})
}

// All returns the events that are kept, in order.
func (l *Log) All() []verbs.Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.events)
}

// After returns the events with a number larger than after, and the number with which to continue.
// If session is not empty, it returns only events of that session and of the whole browser. If there
// is no event, After waits for one until ctx ends. If after is negative, the events before the call
// are left out. If events after this number are not kept any more, the first event of the result
// is of the kind [verbs.EventMissed].
func (l *Log) After(ctx context.Context, after int64, session string) (events []verbs.Event, last int64) {
	for {
		found, last, changed := l.find(after, session)
		if len(found) > 0 {
			return found, last
		}
		after = last
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, last
		case <-l.ended:
			return nil, last
		}
	}
}

func (l *Log) find(after int64, session string) (found []verbs.Event, last int64, changed chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if after < 0 {
		after = l.last
	}
	if after < l.first {
		found = append(found, verbs.Event{Number: l.first, At: time.UnixMicro(l.first), Kind: verbs.EventMissed, Browser: l.browser, Message: "earlier events are not known any more"})
	}
	for _, e := range l.events {
		if e.Number > after && (session == "" || e.Session == "" || e.Session == session) {
			found = append(found, e)
		}
	}
	return found, max(after, l.last), l.changed
}
