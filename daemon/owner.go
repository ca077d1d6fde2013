package daemon

import (
	"context"
	"sync"

	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// owner holds the owner process, which a request can name. When the owner process ends, the
// session is closed. The tabs then stay open, unless [State].ClosesTabs is set. The owner process
// has nothing to do with the agent that owns the session.
type owner struct {
	changed chan struct{} // has a token if the process was replaced

	mu      sync.Mutex // guards process
	process sockets.Process
}

func newOwner() *owner { return &owner{changed: make(chan struct{}, 1)} }

// set sets the process from the text in a request. An empty text changes nothing.
func (o *owner) set(text string) error {
	if text == "" {
		return nil
	}
	p, err := sockets.ParseProcess(text)
	if err != nil {
		return err
	}
	if !p.IsAlive() {
		return wire.Errorf(wire.CodeBadInput, "the owner, process %d, has ended", p.PID).WithHint("--owner-pid takes the pid of a process that runs")
	}
	o.mu.Lock()
	changed := o.process != p
	o.process = p
	o.mu.Unlock()
	if changed {
		signalOnce(o.changed)
	}
	return nil
}

func (o *owner) get() sockets.Process {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.process
}

// watchOwner closes the session when the owner process has ended.
func (s *Session) watchOwner(ctx context.Context) {
	for {
		select {
		case <-s.owner.changed:
		case <-ctx.Done():
			return
		}
		p := s.owner.get()
		waiting, stop := context.WithCancel(ctx)
		ended := make(chan bool, 1)
		go func() { ended <- p.Wait(waiting) == nil }()
		select {
		case over := <-ended:
			stop()
			if !over || s.owner.get() != p {
				continue
			}
			s.Log.Info("the owner has ended", "pid", p.PID)
			if _, err := s.closeExcept(ctx, nil, &wire.Call{}, verbs.CloseIn{}); err != nil {
				s.Log.Warn("closing the session", "error", err)
			}
			return
		case <-s.owner.changed:
			stop()
			<-ended
			replace(s.owner.changed, struct{}{})
		case <-ctx.Done():
			stop()
			<-ended
			return
		}
	}
}
