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
	probeTime   = time.Second // how long the driver may take to respond; for the page see Connection.Diagnose
)

// health detects that the session's page, or the driver, does not respond. When missedLimit
// commands in a row have missed their deadlines, the driver and the page are asked to respond. If
// the driver does not respond within probeTime, or the page not within the time of
// [Connection.Diagnose], it counts as unresponsive.
type health struct {
	mu           sync.Mutex // guards the fields below; never held during I/O
	missed       int
	unresponsive *unresponsive // nil if the page and the driver respond
	probing      bool
}

// unresponsive describes what does not respond, with a hint.
type unresponsive struct{ problem, hint string }

func (u *unresponsive) error() error {
	return wire.Errorf(wire.CodeWedged, "%s", u.problem).WithHint("%s", u.hint).With("wedged", true)
}

// checkHealth is called at the end of each queued command with the command's error, which may be
// nil. It returns the error for the reply. After missedLimit missed deadlines in a row it diagnoses
// the page. If the page or the driver does not respond, the returned error says which of them.
func (s *Session) checkHealth(ctx context.Context, err error) error {
	h := &s.health
	h.mu.Lock()
	switch {
	case err == nil, isFromPage(err):
		h.missed, h.unresponsive = 0, nil
		h.mu.Unlock()
		return err
	case errors.Is(err, wire.CodeResultUnknown): // no other error may replace this one
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

// unresponsive returns what did not respond in the last diagnosis, or nil if everything did. If
// something did not respond, unresponsive also starts another diagnosis in the background, whose
// result a later call returns.
func (s *Session) unresponsive() *unresponsive {
	h := &s.health
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.unresponsive != nil && !h.probing {
		h.probing = true
		go func() { // ends when the diagnosis is complete
			u := s.diagnose(context.Background())
			h.mu.Lock()
			defer h.mu.Unlock()
			h.probing, h.unresponsive = false, u
		}()
	}
	return h.unresponsive
}

// isRecovering is called when a call is overdue. It reports whether the call waits for a broker,
// a driver or a connection that is being replaced, and not for the page.
func (s *Session) isRecovering() bool {
	if !s.Broker.responds() {
		return true
	}
	c := s.current()
	if c == nil || c.isLost() {
		return c != nil // a call on a lost connection soon fails, and does not wait for the page
	}
	return c.IsRecovering(s.Tabs.Active().TargetID)
}

// diagnose asks the driver and the active page for a response. It returns nil if both respond,
// or if there is no connection or no page.
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
