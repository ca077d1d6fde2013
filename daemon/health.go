package daemon

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	missedLimit = 3           // deadlines missed in a row before the page is diagnosed
	probeTime   = time.Second // for the page to respond
)

// health detects that the session's page, or what drives it, does not respond: three commands
// in a row have missed their deadline, and then the page has not responded within a second.
type health struct {
	mu           sync.Mutex // guards the fields below; never held during I/O
	missed       int
	unresponsive *unresponsive // nil while all is well
	probing      bool
}

// unresponsive says what does not respond, and what helps.
type unresponsive struct{ problem, hint string }

func (u *unresponsive) error() error {
	return wire.Errorf(wire.CodeWedged, "%s", u.problem).WithHint("%s", u.hint).With("wedged", true)
}

// checkHealth is called with the error of each command that was in the queue. The error that
// it returns for the third in a row that has missed its deadline says what does not respond,
// if that is so.
func (s *Session) checkHealth(ctx context.Context, err error) error {
	h := &s.health
	h.mu.Lock()
	switch {
	case err == nil, isFromPage(err):
		h.missed, h.unresponsive = 0, nil
		h.mu.Unlock()
		return err
	case errors.Is(err, wire.CodeResultUnknown): // which no other error may replace
		h.missed++
		h.mu.Unlock()
		return err
	case !errors.Is(err, wire.CodeTimeout) && !errors.Is(err, wire.CodeWedged):
		h.mu.Unlock()
		return err
	}
	h.missed++
	diagnose := h.missed >= missedLimit
	h.mu.Unlock()
	if !diagnose {
		return err
	}
	u := s.diagnose(ctx)
	h.mu.Lock()
	h.unresponsive = u
	h.mu.Unlock()
	if u == nil {
		return err
	}
	s.Log.Warn("wedged", "why", u.problem)
	return u.error()
}

// isFromPage reports whether an error shows that the page has responded.
func isFromPage(err error) bool {
	return slices.ContainsFunc([]wire.Code{wire.CodeNotFound, wire.CodeNotActionable, wire.CodeStaleRef, wire.CodeEvaluation, wire.CodeNavigation},
		func(code wire.Code) bool { return errors.Is(err, code) })
}

// unresponsive returns what does not respond, or nil while all is well. In the background it
// finds out whether that is still so, for the next time that it is called.
func (s *Session) unresponsive() *unresponsive {
	h := &s.health
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.unresponsive != nil && !h.probing {
		h.probing = true
		go func() { // ends within probeTime
			u := s.diagnose(context.Background())
			h.mu.Lock()
			defer h.mu.Unlock()
			h.probing, h.unresponsive = false, u
		}()
	}
	return h.unresponsive
}

// isRecovering reports whether a call that is overdue waits for something that is being
// replaced, such as the broker, and not for the page.
func (s *Session) isRecovering() bool {
	if !s.Broker.responds() {
		return true
	}
	c := s.current()
	if c == nil || c.isLost() {
		return c != nil // calls on it end with it
	}
	return c.IsRecovering(s.Tabs.Active().TargetID)
}

// diagnose asks the backend and the active page to respond. It returns nil if both did, or if
// there is no page to ask.
func (s *Session) diagnose(ctx context.Context) *unresponsive {
	c := s.live()
	if c == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), probeTime)
	defer cancel()
	if problem, hint := c.Diagnose(ctx, s.Tabs.Active().TargetID); problem != "" {
		return &unresponsive{problem, hint}
	}
	return nil
}
