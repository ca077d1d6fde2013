package sockets

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

// Process identifies a process by its pid and its start time, since the system reuses pids.
type Process struct {
	PID     int
	Started int64 // the start time, in a unit that depends on the system; see startTime
}

// FindProcess returns the process that has this pid now, or [wire.CodeNotFound].
func FindProcess(pid int) (Process, error) {
	started, err := startTime(pid)
	if err != nil || pid <= 0 {
		return Process{}, wire.Errorf(wire.CodeNotFound, "process %d not found", pid)
	}
	return Process{pid, started}, nil
}

// String returns the process in the form that [ParseProcess] reads.
func (p Process) String() string { return fmt.Sprintf("%d:%d", p.PID, p.Started) }

// ParseProcess parses the result of [Process.String]. It does not check that the process is
// alive.
func ParseProcess(text string) (Process, error) {
	pid, started, ok := strings.Cut(text, ":")
	p := Process{}
	var err error
	if p.PID, err = strconv.Atoi(pid); err == nil && ok {
		p.Started, err = strconv.ParseInt(started, 10, 64)
	}
	if err != nil || !ok || p.PID <= 0 {
		return Process{}, wire.Errorf(wire.CodeBadInput, "%.40q is not a process", text)
	}
	return p, nil
}

// IsAlive reports whether the process has not ended. A zombie has ended.
func (p Process) IsAlive() bool {
	started, err := startTime(p.PID)
	return err == nil && started == p.Started
}

// Wait blocks until the process has ended, or returns the error of ctx if ctx ends first.
func (p Process) Wait(ctx context.Context) error {
	if err := p.waitEvent(ctx); err != nil || !p.IsAlive() {
		return err
	}
	// The system cannot report the end of this process, so Wait polls.
	const interval = 500 * time.Millisecond
	tick := time.NewTicker(interval)
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
