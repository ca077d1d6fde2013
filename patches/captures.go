package patches

import (
	"time"

	"github.com/abrowser/abrowser/patches/cdp"
)

// If the renderer of a page crashes while the browser captures a screenshot of the page, Chromium
// 156 itself may crash (SIGSEGV, with the feature CDPScreenshotNewSurface), and the tabs of all
// tenants with it. So a client's Page.crash waits for the captures of its page, and captures wait
// for the crash.

// crashTime is how long a page may take to crash after Page.crash.
const crashTime = time.Second

// captures has the unanswered captures of a page.
type captures struct {
	pending  int      // unanswered calls of Page.captureScreenshot
	crashing bool     // Page.crash waits or was sent, and the page has not crashed yet
	whenDone []func() // to call when no capture is pending
}

// captureScreenshot forwards Page.captureScreenshot. A page that is crashing is not captured.
func captureScreenshot(m *Mux, s *session, r cdp.Request) *cdp.Error {
	t := m.pageOf(s)
	if t == nil {
		m.forward(s, r, r.Params)
		return nil
	}
	if t.captures.crashing {
		return &cdp.Error{Code: -32000, Message: "Target crashed"}
	}
	t.captures.pending++
	id := m.forward(s, r, r.Params)
	call := m.pending[id]
	call.onEnd = func() {
		if t.captures.pending--; t.captures.pending > 0 {
			return
		}
		waiting := t.captures.whenDone
		t.captures.whenDone = nil
		for _, fn := range waiting {
			fn()
		}
	}
	m.pending[id] = call
	return nil
}

// crashPage forwards Page.crash when no capture of the page is pending.
func crashPage(m *Mux, s *session, r cdp.Request) *cdp.Error {
	t := m.pageOf(s)
	if t == nil {
		m.forward(s, r, r.Params)
		return nil
	}
	crash := func() {
		if m.isOpen(s) {
			m.forward(s, r, r.Params)
		}
		m.after(crashTime, func() { t.captures.crashing = false })
	}
	t.captures.crashing = true
	if t.captures.pending > 0 {
		r.Params = nil // it refers to the client's message
		t.captures.whenDone = append(t.captures.whenDone, crash)
		return nil
	}
	crash()
	return nil
}

// pageOf returns the page to which session s belongs, or nil.
func (m *Mux) pageOf(s *session) *target {
	if page := s.page(); page != nil {
		return m.targets[page.target]
	}
	return nil
}
