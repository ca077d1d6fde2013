package mcp

import (
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// input reads the messages of the client. It reports the end of the input only when all calls were
// answered, or after drainTimeout.
type input struct {
	io.Reader
	running *atomic.Int64 // calls that are not answered yet
	once    sync.Once
	over    chan struct{} // closed when the end of the input is reported
}

const (
	drainTimeout = 1500 * time.Millisecond
	quietTime    = 50 * time.Millisecond // all calls count as answered if none runs for this time
)

// Read reads from the client. At the end of the input, it waits until no call runs, but not longer
// than drainTimeout.
func (r *input) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	if err == nil || n > 0 {
		return n, nil
	}
	// Read polls for quietTime, since r.running does not include a call that was read but has not
	// begun.
	idle := time.Duration(0)
	for end := time.Now().Add(drainTimeout); idle < quietTime && time.Now().Before(end); time.Sleep(quietTime / 5) {
		idle += quietTime / 5
		if r.running.Load() > 0 {
			idle = 0
		}
	}
	r.once.Do(func() { close(r.over) })
	return 0, err
}

// Close does nothing, since the input belongs to the process.
func (*input) Close() error { return nil }
