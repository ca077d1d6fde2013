// Package trace records Playwright traces of a session's pages. Package web calls it.
package trace

import (
	"sync"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	hintStart = "abrowser trace start"
	hintStop  = "abrowser trace stop"
)

// Trace is the recording of a session. A zero Trace is off.
type Trace struct {
	mu   sync.Mutex // guards the fields below; never held during I/O
	on   playwright.Tracing
	lost <-chan struct{} // closed when the connection that records is lost
}

// Recording is a recording that goes on.
type Recording struct{ tracing playwright.Tracing }

// Start starts the recording of tracing, whose connection is lost when the channel lost is closed.
// The driver records what the session's pages show and request. If screenshots is true, the
// recording also has a film.
func (t *Trace) Start(tracing playwright.Tracing, lost <-chan struct{}, screenshots bool) error {
	err := tracing.Start(playwright.TracingStartOptions{
		Screenshots: playwright.Bool(screenshots), Snapshots: playwright.Bool(true),
	})
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.on, t.lost = tracing, lost
	return nil
}

// Check returns [wire.CodeBadInput] if a recording goes on.
func (t *Trace) Check() error {
	if t.Current() != nil {
		return wire.Errorf(wire.CodeBadInput, "a trace is being recorded already").WithHint(hintStop)
	}
	return nil
}

// Current returns the recording, or nil if none goes on.
func (t *Trace) Current() *Recording {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.on == nil {
		return nil
	}
	select {
	case <-t.lost:
		return nil
	default:
		return &Recording{t.on}
	}
}

// Take ends the state in which a recording goes on, and returns the recording. Take returns
// [wire.CodeBadInput] if none was started, and [wire.CodeNotFound] if it is lost.
func (t *Trace) Take() (*Recording, error) {
	r := t.Current()
	t.mu.Lock()
	started := t.on != nil
	t.on, t.lost = nil, nil
	t.mu.Unlock()
	switch {
	case r != nil:
		return r, nil
	case started:
		return nil, wire.Errorf(wire.CodeNotFound, "the trace is lost: the browser or Playwright's driver has been restarted").WithHint(hintStart)
	}
	return nil, wire.Errorf(wire.CodeBadInput, "no trace is being recorded").WithHint(hintStart)
}

// Stop ends the recording, and writes it to a new file.
func (r *Recording) Stop(path string) error { return r.tracing.Stop(path) }

// Begin makes the recording show what follows as a part of the command with the given name, until
// End is called.
func (r *Recording) Begin(command string) error { return r.tracing.Group(command) }

// End ends the command that Begin has begun.
func (r *Recording) End() error { return r.tracing.GroupEnd() }
