//go:build linux

package soak_test

import (
	"math/rand/v2"
	"syscall"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
)

// If a keeper's broker dies five times within 20 s, the keeper stops the browser. The next browser
// opens the tabs anew, so what the pages recorded is lost. kill stays below this limit.
const (
	mostBrokers  = 4
	brokerWindow = 25 * time.Second
)

// kill ends one random process after another, until the channel stop is closed. Mostly it kills or
// interrupts a running command, and sometimes it kills a daemon, a driver or a broker.
func (s *soak) kill(stop <-chan struct{}) {
	r := rand.New(rand.NewPCG(s.seed, 1<<32))
	var brokers []time.Time // when brokers were killed
	for {
		select {
		case <-stop:
			return
		case <-time.After(time.Duration(200+r.IntN(3000)) * time.Millisecond):
		}
		from := s.runners[r.IntN(len(s.runners))]
		switch n := r.IntN(10); {
		case n < 4:
			from.killCaller(syscall.SIGKILL, "KILL")
		case n < 7:
			from.killCaller(syscall.SIGINT, "INT")
		default:
			kind := []string{e2e.KindDaemon, e2e.KindDriver, e2e.KindBroker}[n-7]
			if kind == e2e.KindBroker {
				if n := len(brokers); n >= mostBrokers && time.Since(brokers[n-mostBrokers]) < brokerWindow {
					continue
				}
				brokers = append(brokers, time.Now())
			}
			victims := s.h.Of(kind)
			if len(victims) == 0 {
				continue
			}
			victim := victims[r.IntN(len(victims))]
			s.note("killing the %s: %s", kind, victim)
			if err := e2e.Kill(victim); err != nil {
				s.note("%v", err)
			}
		}
	}
}

// killCaller sends a signal to the command that the runner runs at that moment, if it runs one.
func (r *runner) killCaller(sig syscall.Signal, name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.running != 0 && syscall.Kill(r.running, sig) == nil {
		r.killed = name
	}
}
