package mcp

import (
	"io"
	"sync/atomic"
	"time"
)

// input is the client's side. When it ends, what the client asked last is still
// answered, for as long as goodbye may take.
type input struct {
	io.Reader
	running *atomic.Int64 // calls that are not answered
}

const (
	lastWords = 1500 * time.Millisecond
	quiet     = 50 * time.Millisecond // without a call: none was read and is yet to begin
)

// Read reads, and holds back the end until no call runs.
func (r input) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	if err == nil || n > 0 {
		return n, nil
	}
	idle := time.Duration(0) // polled: a call that was read and has not begun tells nobody
	for end := time.Now().Add(lastWords); idle < quiet && time.Now().Before(end); time.Sleep(quiet / 5) {
		idle += quiet / 5
		if r.running.Load() > 0 {
			idle = 0
		}
	}
	return 0, err
}

// Close does nothing: the input is the process's own.
func (input) Close() error { return nil }
