package patches

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/abrowser/abrowser/patches/cdp"
)

// The captures of a page, which are calls of Page.captureScreenshot, run one after the other, and the
// page's size does not change during a capture. For a capture, Chromium gives the page the size of the
// captured area. If another CDP session captures the page at the same time, or sets the size that the
// page emulates, even to the same value, Chromium 156 changes the size again. The picture then repeats a
// part of the page or shows another part, without an error. Restoring the size does no harm.
//
// If a session is detached during its capture, Chromium 156 leaves the page at the size of the captured
// area, and no call restores the page's own size. So a session stays attached until its capture has
// ended, even if its client has left.
//
// After a capture of a part of the view, or a change of the size that the page emulates, Chromium 156 may
// capture more than the view before it has drawn the whole area. The picture then has white rows, without
// an error. This happens on busy machines, also if the same session makes all calls. So before such a
// capture, the Mux takes a picture of the view, which makes Chromium draw the page at its own size.
//
// If a tab is shown for the first time during a capture of more than the view, because a person selects
// it or the tab in front of it is closed, Chromium 156 gives the page the size of the window. The picture
// then repeats the part that the window shows, without an error. CDP has no event for this, but the
// page's outerHeight changes. For a tab that was never shown it is the height of the view, and afterwards
// that of the window. So the Mux compares it before and after such a capture, and captures again if the
// window has changed. The picture is also wrong if a person resizes the window, which outerHeight shows
// as well.
//
// While a tab is shown for the first time, Chromium 156 has nothing of it to capture and answers with
// the error [cannotCapture], for a moment that is long on a busy machine. The Mux captures again when the
// page has drawn two frames.
//
// If the renderer of a page crashes during a capture, Chromium 156 itself may crash (SIGSEGV, with the
// feature CDPScreenshotNewSurface), and the tabs of all tenants with it. So a client's Page.crash waits
// for the captures of its page, and captures wait for the crash.

const (
	// captureTime is how long a capture may delay what waits for its end. A page that is not drawn
	// is not captured, and the call has no reply.
	captureTime = 10 * time.Second
	// crashTime is how long a page may take to crash after Page.crash.
	crashTime = time.Second
	// windowTime is how long a page may take to tell the size of its window after a capture, or to draw
	// itself before the next one. Usually it takes a few milliseconds. A page that is busy, or that shows a
	// dialog, takes longer.
	windowTime = time.Second
	// maxCaptures is how often the Mux makes a capture for a client while the tab is shown or its window
	// changes.
	maxCaptures = 3
	// maxWaiting is the number of calls that may wait for a capture of a page.
	maxWaiting = 100
)

// captures has the state of the captures of a page.
type captures struct {
	running   int      // captures that were sent and not answered, each for captureTime at most; usually 0 or 1
	needsView bool     // a capture of more than the view needs a picture of the view before it
	crashing  bool     // Page.crash waits or was sent, and the page has not crashed yet
	waiting   []func() // to call in this order, each when no capture is running
}

// captureScreenshot forwards Page.captureScreenshot when no other capture of the page is running. A
// page that is crashing is not captured.
func captureScreenshot(m *Mux, s *session, r cdp.Request) *cdp.Error {
	t := m.pageOf(s)
	if t != nil && t.captures.crashing {
		return &cdp.Error{Code: -32000, Message: "Target crashed"}
	}
	f, err := fieldsOf(r)
	if err != nil {
		return err
	}
	beyondView, _ := f.flag("captureBeyondViewport") // Chromium refuses a wrong value
	return m.afterCaptures(s, r, func(r cdp.Request) {
		if t == nil {
			m.forward(s, r, r.Params)
			return
		}
		c := &t.captures
		capture := func() {
			switch {
			case !m.isOpen(s):
			case beyondView:
				m.captureWhole(t, s, r, maxCaptures)
			default:
				m.captureView(t, s, r, maxCaptures)
			}
		}
		r.Params = bytes.Clone(r.Params) // it refers to the client's message
		if c.needsView && beyondView {
			c.waiting = slices.Insert(c.waiting, 0, capture)
			m.beginCapture(t, m.call("Page.captureScreenshot", encode(viewPicture{Format: "jpeg", OptimizeForSpeed: true}), s.id, func(cdp.Message) {}))
		} else {
			capture()
		}
		_, hasClip := f["clip"]
		c.needsView = hasClip && !beyondView
	})
}

// captureView forwards a client's capture of the view or of a part of it. If the browser cannot capture
// the page, captureView captures again instead of answering the client, up to most times in all.
func (m *Mux) captureView(t *target, s *session, r cdp.Request, most int) {
	id := m.forward(s, r, r.Params)
	m.beginCapture(t, id)
	call := m.pending[id]
	call.onPicture = func(in cdp.Message) {
		if !isUndrawn(in) || most == 1 || !m.isOpen(s) {
			m.forwardReply(call, in)
			return
		}
		c := &t.captures
		c.waiting = slices.Insert(c.waiting, 0, func() { // when the capture has ended
			m.whenDrawn(t, func() {
				if m.isOpen(s) {
					m.captureView(t, s, r, most-1)
				}
			})
		})
		m.runWaiting(t) // it took longer than captureTime
	}
	m.pending[id] = call
}

// whenDrawn calls capture when the page has drawn itself, or after windowTime. The captures and calls
// that wait stay behind it.
func (m *Mux) whenDrawn(t *target, capture func()) {
	c := &t.captures
	c.running++
	end := once(func() {
		c.running--
		c.waiting = slices.Insert(c.waiting, 0, capture)
		m.runWaiting(t)
	})
	m.after(windowTime, end)
	if t.session != "" {
		// A page gets its next frame when the browser has taken over the last one.
		m.call("Runtime.evaluate", []byte(`{"expression":"new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))","awaitPromise":true,"silent":true}`), t.session, func(cdp.Message) { end() })
	}
}

// cannotCapture is Chromium's error message for a capture of a page that it has not drawn yet.
const cannotCapture = "Unable to capture screenshot"

// isUndrawn reports whether the reply to a capture is the error [cannotCapture].
func isUndrawn(in cdp.Message) bool {
	const maxError = 1000 // bytes; a picture is longer, and is not parsed
	var refused *cdp.Error
	return len(in.Raw) < maxError && errors.As(in.Result(nil), &refused) && refused.Message == cannotCapture
}

// captureWhole forwards a client's capture of more than the view. If the window of the page has changed
// when the browser has answered, or if the browser cannot capture the page, captureWhole captures again
// instead of answering the client, up to most times in all. The captures and calls that wait stay behind
// it.
func (m *Mux) captureWhole(t *target, s *session, r cdp.Request, most int) {
	c := &t.captures
	var before, after string
	var picture func() // answers the client
	compared, undrawn := false, false
	again := func() {
		if m.isOpen(s) {
			m.captureWhole(t, s, r, most-1)
		}
	}
	m.askWindow(t, func(window string) { before = window })
	id := m.forward(s, r, r.Params)
	m.beginCapture(t, id)
	call := m.pending[id]
	call.onPicture = func(in cdp.Message) {
		in.Raw, undrawn = bytes.Clone(in.Raw), isUndrawn(in)
		picture = func() { m.forwardReply(call, in) }
		if compared { // it took longer than captureTime
			picture()
		}
	}
	m.pending[id] = call
	c.waiting = slices.Insert(c.waiting, 0, func() { // when the capture has ended
		c.running++
		end := once(func() {
			compared = true
			c.running--
			switch isChanged := after != "" && before != after; {
			case picture == nil:
			case undrawn && most > 1 && m.isOpen(s):
				m.whenDrawn(t, again)
			case isChanged && most > 1 && m.isOpen(s):
				c.waiting = slices.Insert(c.waiting, 0, again)
			default:
				picture()
			}
			m.runWaiting(t)
		})
		m.after(windowTime, end)
		m.askWindow(t, func(window string) {
			after = window
			end()
		})
	})
}

// askWindow asks a page for the size and position of its window, and calls onAnswer with the answer,
// or with an empty string if the page cannot tell. If the page does not answer, onAnswer is not called.
func (m *Mux) askWindow(t *target, onAnswer func(window string)) {
	if t.session == "" {
		onAnswer("")
		return
	}
	m.call("Runtime.evaluate", []byte(`{"expression":"[outerWidth,outerHeight,screenX,screenY].join()","silent":true,"returnByValue":true}`), t.session, func(in cdp.Message) {
		var out struct {
			Result struct{ Value string }
		}
		_ = in.Result(&out) // without a result, Value is empty
		onAnswer(out.Result.Value)
	})
}

// viewPicture has the parameters of Page.captureScreenshot for a picture of the view that no client gets.
type viewPicture struct {
	Format           string `json:"format"`
	Quality          int    `json:"quality"`
	OptimizeForSpeed bool   `json:"optimizeForSpeed"`
}

// beginCapture notes that the pending call with the given id is a capture of page t.
func (m *Mux) beginCapture(t *target, id int64) {
	t.captures.running++
	ended := once(func() {
		t.captures.running--
		m.runWaiting(t)
	})
	call := m.pending[id]
	call.isCapture, call.onEnd = true, ended
	m.pending[id] = call
	m.after(captureTime, func() {
		ended()
		call := m.pending[id]
		switch {
		case !call.isCapture: // it was answered or dropped
		case call.client == nil:
			m.dropCall(id)
		default: // if the client leaves, nothing waits for this capture any more
			call.isCapture = false
			m.pending[id] = call
		}
	})
}

// abandonCall drops a pending call whose client is leaving. A capture stays pending without its client.
func (m *Mux) abandonCall(id int64) {
	call := m.pending[id]
	if !call.isCapture {
		m.dropCall(id)
		return
	}
	ended := call.onEnd
	call.onEnd = nil
	m.pending[id] = call
	m.dropCall(id)
	m.pending[id] = pendingCall{isCapture: true, onReply: func(cdp.Message) {}, onEnd: ended}
}

// whenNotCaptured calls fn when no capture of the pages is running.
func whenNotCaptured(pages []*target, fn func()) {
	for _, t := range pages {
		next := fn
		fn = func() {
			if t.captures.running == 0 {
				next()
				return
			}
			t.captures.waiting = append(t.captures.waiting, next)
		}
	}
	fn()
}

// capturedBelow returns the pages that are being captured. It looks at the pages of session s and of the
// sessions below s.
func (m *Mux) capturedBelow(s *session) (all []*target) {
	if t := m.pageOf(s); t != nil && t.captures.running > 0 {
		all = append(all, t)
	}
	for _, child := range s.children {
		all = append(all, m.capturedBelow(child)...)
	}
	return all
}

// setSize forwards a request that sets or restores the size of the page, when no capture of the page
// is running. A request that restores the size also waits. Otherwise it could overtake an earlier request
// that sets the size.
func setSize(m *Mux, s *session, r cdp.Request) *cdp.Error {
	return m.afterCaptures(s, r, func(r cdp.Request) {
		s.resized = strings.HasSuffix(r.Method, ".setDeviceMetricsOverride")
		m.noteResize(s)
		m.forward(s, r, r.Params)
	})
}

// noteResize notes that a request changes the size of the page of session s.
func (m *Mux) noteResize(s *session) {
	if t := m.pageOf(s); t != nil {
		t.captures.needsView = true
	}
}

// afterCaptures calls fn with the request r when no capture of the page of session s is running and
// nothing else waits for that. It does not call fn if the session has ended by then.
func (m *Mux) afterCaptures(s *session, r cdp.Request, fn func(r cdp.Request)) *cdp.Error {
	t := m.pageOf(s)
	if t == nil || t.captures.running == 0 && len(t.captures.waiting) == 0 {
		fn(r)
		return nil
	}
	if len(t.captures.waiting) >= maxWaiting {
		return &cdp.Error{Code: -32000, Message: "Too many requests wait for a screenshot"}
	}
	r.Params = bytes.Clone(r.Params) // it refers to the client's message
	t.captures.waiting = append(t.captures.waiting, func() {
		if m.isOpen(s) {
			fn(r)
		}
	})
	return nil
}

// runWaiting calls the functions that wait for the end of a capture.
func (m *Mux) runWaiting(t *target) {
	for c := &t.captures; c.running == 0 && len(c.waiting) > 0; {
		fn := c.waiting[0]
		c.waiting = c.waiting[1:]
		fn()
	}
}

// crashPage forwards Page.crash when no capture of the page is running.
func crashPage(m *Mux, s *session, r cdp.Request) *cdp.Error {
	t := m.pageOf(s)
	if t == nil {
		m.forward(s, r, r.Params)
		return nil
	}
	c := &t.captures
	crash := func() {
		if m.isOpen(s) {
			m.forward(s, r, r.Params)
		}
		m.after(crashTime, func() { c.crashing = false })
	}
	c.crashing = true
	if c.running > 0 || len(c.waiting) > 0 {
		r.Params = nil // it refers to the client's message
		c.waiting = append(c.waiting, crash)
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
