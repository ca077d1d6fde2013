package daemon

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	wedgedHits = 3           // deadlines missed in a row before the page is asked
	probeTime  = time.Second // for it to answer
)

// health notices that the session's page, or what drives it, does not answer: three
// commands in a row missed their deadline, and then it did not say within a second
// that it is there.
type health struct {
	mu      sync.Mutex // guards the fields below; never held during I/O
	hits    int
	stuck   *stuck // nil while all is well
	probing bool
}

// stuck is what does not answer, and the way out.
type stuck struct{ why, hint string }

func (k *stuck) error() error {
	return wire.Errorf(wire.CodeWedged, "%s", k.why).WithHint("%s", k.hint).With("wedged", true)
}

// check looks at how a page verb ended. The error of the third in a row that
// missed its deadline says what does not answer, where that is so.
func (s *Session) check(ctx context.Context, err error) error {
	h := &s.health
	h.mu.Lock()
	switch {
	case err == nil, answered(err):
		h.hits, h.stuck = 0, nil
		h.mu.Unlock()
		return err
	case errors.Is(err, wire.CodeResultUnknown): // which no other error may replace
		h.hits++
		h.mu.Unlock()
		return err
	case !errors.Is(err, wire.CodeTimeout) && !errors.Is(err, wire.CodeWedged):
		h.mu.Unlock()
		return err
	}
	h.hits++
	ask := h.hits >= wedgedHits
	h.mu.Unlock()
	if !ask {
		return err
	}
	k := s.probe(ctx)
	h.mu.Lock()
	h.stuck = k
	h.mu.Unlock()
	if k == nil {
		return err
	}
	s.log.Warn("wedged", "why", k.why)
	return k.error()
}

// answered reports whether an error is one that only a page gives that answers.
func answered(err error) bool {
	for _, code := range []wire.Code{wire.CodeNotFound, wire.CodeNotActionable, wire.CodeStaleRef, wire.CodeEvaluation, wire.CodeNavigation} {
		if errors.Is(err, code) {
			return true
		}
	}
	return false
}

// ailing is what does not answer, nil while all is well. Whether that is still so is
// asked meanwhile, for the next who wants to know.
func (s *Session) ailing() *stuck {
	h := &s.health
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stuck != nil && !h.probing {
		h.probing = true
		go func() { // ends within probeTime
			k := s.probe(context.Background())
			h.mu.Lock()
			defer h.mu.Unlock()
			h.probing, h.stuck = false, k
		}()
	}
	return h.stuck
}

// healing reports whether a call that is overdue waits for what is being replaced:
// for a driver that many share, or the broker, and not for the page.
func (s *Session) healing() bool {
	if !s.broker.answers() {
		return true
	}
	active, l := s.known()
	if l == nil || l.isGone() {
		return l != nil // what was asked of it ends with it
	}
	p := l.page(active.TargetID)
	if p == nil || !s.engine.shared() {
		return false
	}
	answer := make(chan error, 1)
	go func() { // ends with the driver, at the latest
		answer <- guarded(func() error { _, err := p.info(); return err })
	}()
	timer := time.NewTimer(probeTime)
	defer timer.Stop()
	select {
	case err := <-answer:
		return isGone(err)
	case <-timer.C:
		return true
	}
}

// probe asks the driver, and then the page's own thread, for a sign of life. It
// returns nil where both gave one, or where there is no page to ask.
func (s *Session) probe(ctx context.Context) *stuck {
	active, l := s.known()
	if l == nil || l.isGone() {
		return nil
	}
	p := l.page(active.TargetID)
	if p == nil || p.isGone() || p.isCrashed() {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), probeTime)
	defer cancel()
	driven, alive := make(chan struct{}), make(chan struct{})
	go func() { // ends with the page, at the latest
		_ = guarded(func() error { // a page that fails has answered
			_, err := p.info()
			close(driven)
			if err == nil {
				_, err = p.cdp.Send("Runtime.evaluate", map[string]any{"expression": "1"})
			}
			close(alive)
			return err
		})
	}()
	select {
	case <-alive:
		return nil
	case <-ctx.Done():
	}
	select {
	case <-driven:
		return &stuck{"the page does not answer: a script of it runs on and on, or its process is stopped", "abrowser close --page gives the session a fresh page"}
	default:
		return &stuck{"Playwright's driver, or the browser, does not answer", "abrowser close ends the driver; the page stays"}
	}
}
