//go:build linux

package soak_test

import (
	"math/rand/v2"
	"syscall"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
)

// longestStall is shorter than the time after which the product treats a process as
// unresponsive.
const longestStall = 700 * time.Millisecond

// stall suspends one random process after another, each for a random time, until the channel over
// is closed. The process is a command, a daemon, a driver, a broker or a renderer. This delays the
// messages between the processes.
func (s *soak) stall(over <-chan struct{}) {
	r := rand.New(rand.NewPCG(s.seed, 2<<32))
	for {
		select {
		case <-over:
			return
		case <-time.After(time.Duration(r.IntN(150)) * time.Millisecond):
		}
		pid := s.stallable(r)
		if pid == 0 || syscall.Kill(pid, syscall.SIGSTOP) != nil {
			continue // no such process runs, or it has just exited
		}
		time.Sleep(time.Duration(r.Int64N(int64(longestStall))))
		_ = syscall.Kill(pid, syscall.SIGCONT) // the process may have been killed during the stall
	}
}

// stallable returns the pid of a process of a random kind, or 0 if no such process runs.
func (s *soak) stallable(r *rand.Rand) int {
	var all []e2e.Process
	switch r.IntN(5) {
	case 0:
		from := s.runners[r.IntN(len(s.runners))]
		from.mu.Lock()
		defer from.mu.Unlock()
		return from.running
	case 1:
		all = s.h.Of(e2e.KindDaemon)
	case 2:
		all = s.h.Of(e2e.KindDriver)
	case 3:
		all = s.h.Of(e2e.KindBroker)
	case 4:
		all = s.h.Renderers()
	}
	if len(all) == 0 {
		return 0
	}
	return all[r.IntN(len(all))].PID
}
