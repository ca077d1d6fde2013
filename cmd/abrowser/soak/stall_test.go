//go:build linux

package soak_test

import (
	"math/rand/v2"
	"syscall"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
)

// longestStall is shorter than what passes for a process that does not answer.
const longestStall = 700 * time.Millisecond

// stall stops one process after the other for a while, until the work is over: the
// command line, the daemon, the driver, the broker and the pages' own processes. So each
// hand-over between two of them is delayed, at random moments and for random times.
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
			continue // it has ended
		}
		time.Sleep(time.Duration(r.Int64N(int64(longestStall))))
		_ = syscall.Kill(pid, syscall.SIGCONT) // it may have been ended meanwhile
	}
}

// stallable returns a process to stop, 0 where there is none of the kind that was chosen.
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
