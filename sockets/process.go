package sockets

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

// Process is a process and when it was started: a pid alone may be another one's by
// the time that it is looked at.
type Process struct {
	PID     int
	Started int64 // as the system counts
}

// FindProcess returns the process that has this pid now, or [wire.CodeNotFound].
func FindProcess(pid int) (Process, error) {
	started, err := startOf(pid)
	if err != nil || pid <= 0 {
		return Process{}, wire.Errorf(wire.CodeNotFound, "there is no process %d", pid)
	}
	return Process{pid, started}, nil
}

// String is the process as [ParseProcess] reads it.
func (p Process) String() string { return fmt.Sprintf("%d:%d", p.PID, p.Started) }

// ParseProcess reads what String wrote. That the process lives is not checked.
func ParseProcess(text string) (Process, error) {
	pid, started, ok := strings.Cut(text, ":")
	p := Process{}
	var err error
	if p.PID, err = strconv.Atoi(pid); err == nil && ok {
		p.Started, err = strconv.ParseInt(started, 10, 64)
	}
	if err != nil || !ok || p.PID <= 0 {
		return Process{}, wire.Errorf(wire.CodeBadInput, "%.40q names no process", text)
	}
	return p, nil
}

// IsAlive reports whether it runs. One that has ended and that nobody has waited for
// does not.
func (p Process) IsAlive() bool {
	started, err := startOf(p.PID)
	return err == nil && started == p.Started
}

// Wait blocks until the process has ended. The error is that ctx ended first.
func (p Process) Wait(ctx context.Context) error {
	if err := p.wait(ctx); err != nil || !p.IsAlive() {
		return err
	}
	// Where the system tells nobody of a process's end.
	const every = 500 * time.Millisecond
	tick := time.NewTicker(every)
	defer tick.Stop()
	for p.IsAlive() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}
