package mcp

import (
	"io"
	"sync/atomic"
	"time"
)

// input is what the client sends. It reports its end only after the last calls were answered, or
// after drainTimeout, which is how long ending the agent may take.
type input struct {
	io.Reader
	running *atomic.Int64 // calls that are not answered yet
}

const (
	drainTimeout = 1500 * time.Millisecond
	quietTime    = 50 * time.Millisecond // without a running call, before the input counts as answered
)

// Read reads, and holds back the end of the input until no call runs.
func (r input) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	if err == nil || n > 0 {
		return n, nil
	}
	idle := time.Duration(0) // polled, since no event reports a call that was read and has not begun
	for end := time.Now().Add(drainTimeout); idle < quietTime && time.Now().Before(end); time.Sleep(quietTime / 5) {
		idle += quietTime / 5
		if r.running.Load() > 0 {
			idle = 0
		}
	}
	return 0, err
}

// Close does nothing: the input is the process's own.
func (input) Close() error { return nil }
