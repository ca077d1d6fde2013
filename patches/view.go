package patches

import (
	"strconv"
	"time"

	"github.com/abrowser/abrowser/patches/cdp"
)

// Frame is a picture of a page's visible part.
type Frame struct {
	JPEG   []byte
	Width  float64 // of the visible part, in CSS pixels
	Height float64 // likewise
	// Next lets the browser take the next picture. The browser waits for it, so that a reader that
	// is slow gets fewer pictures.
	Next func()
}

// view is the screencast of a page that a person looks at.
type view struct {
	size       int // the largest width and height of the pictures in pixels
	onFrame    func(Frame)
	session    string // the Mux's session on the page on which the screencast runs; empty if it has not started
	pending    int    // frames that are not acknowledged yet
	unanswered int    // frames whose acknowledgement the browser has not answered yet
	came       int    // frames since the screencast was started
}

const (
	viewQuality = 60 // of the JPEG
	// maxUnacknowledged is the number of unacknowledged frames from which on Chromium drops further ones.
	// It counts frames, too, that it has not sent yet because it still encodes them.
	maxUnacknowledged = 3
	// stillTime is how long after its last frame a page counts as still.
	stillTime = 200 * time.Millisecond
)

// StartView sends pictures of a page to onFrame whenever the page has changed, until [Mux.StopView].
// The pictures are at most size pixels wide and high. They begin as soon as the Mux has a session on
// the page, which a new page lacks for a moment. A page that sleeps is woken for that long. StartView
// replaces an earlier view of the page. It returns false if the page cannot be shown.
func (m *Mux) StartView(targetID string, size int, onFrame func(Frame)) bool {
	t := m.targets[targetID]
	if t == nil || t.tab == nil || t.tab.Crashed {
		return false
	}
	if t.session != "" && (t.awake || t.view != nil) {
		m.call("Page.stopScreencast", nil, t.session, nil)
	}
	t.view = &view{size: size, onFrame: onFrame}
	m.showView(t)
	return true
}

// showView starts the screencast of a page's view on the Mux's present session, if it does not run
// there.
func (m *Mux) showView(t *target) {
	if t.view == nil || t.session == "" || t.paused || t.view.session == t.session {
		return
	}
	t.view = &view{size: t.view.size, onFrame: t.view.onFrame, session: t.session}
	m.call("Emulation.setFocusEmulationEnabled", []byte(`{"enabled":true}`), t.session, nil)
	m.startView(t)
}

// startView makes the browser send pictures of a page, beginning with one of the page as it is.
func (m *Mux) startView(t *target) {
	size := strconv.Itoa(t.view.size)
	m.call("Page.startScreencast", []byte(`{"format":"jpeg","quality":`+strconv.Itoa(viewQuality)+`,"maxWidth":`+size+`,"maxHeight":`+size+`,"everyNthFrame":1}`), t.session, nil)
}

// StopView ends the pictures of a page. The page goes on as before [Mux.StartView].
func (m *Mux) StopView(targetID string) {
	t := m.targets[targetID]
	if t == nil || t.view == nil {
		return
	}
	t.view, t.awake = nil, true
	m.sleep(t)
	m.wake(t)
}

// viewFrame passes a frame of a screencast to the page's view, and reports whether there is one.
func (m *Mux) viewFrame(t *target, in cdp.Message) bool {
	if t.view == nil {
		return false
	}
	var p struct {
		Data     []byte `json:"data"`
		Frame    int    `json:"sessionId"`
		Metadata struct {
			Width  float64 `json:"deviceWidth"`
			Height float64 `json:"deviceHeight"`
		} `json:"metadata"`
	}
	if in.Params(&p) != nil {
		return false
	}
	v := t.view
	v.pending++
	v.unanswered++
	v.came++
	v.onFrame(Frame{JPEG: p.Data, Width: p.Metadata.Width, Height: p.Metadata.Height, Next: func() {
		if t.view == v {
			m.acknowledge(t, p.Frame)
		}
	}})
	return true
}

// acknowledge acknowledges the frames of a page's view that have come. When the page has stopped
// changing, the last picture may be among those that the browser has dropped. Then the Mux starts the
// screencast again.
func (m *Mux) acknowledge(t *target, frame int) {
	v := t.view
	for ; v.pending > 0; v.pending-- {
		m.call("Page.screencastFrameAck", []byte(`{"sessionId":`+strconv.Itoa(frame)+`}`), t.session, func(cdp.Message) {
			if v.unanswered--; v.unanswered == 0 && v.came >= maxUnacknowledged {
				m.after(stillTime, func() { m.refreshView(t, v) })
			}
		})
	}
}

// refreshView starts the screencast of a view again if no frame has come since its frames were
// acknowledged.
func (m *Mux) refreshView(t *target, v *view) {
	if t.view != v || v.came < maxUnacknowledged || v.unanswered > 0 {
		return
	}
	v.came = 0
	m.call("Page.stopScreencast", nil, t.session, nil)
	m.startView(t)
}

// CallPage sends a command of the broker to a page, on the Mux's own session.
func (m *Mux) CallPage(targetID, method string, params []byte, onResult func(result []byte, err error)) bool {
	t := m.targets[targetID]
	if t == nil || t.tab == nil || t.session == "" {
		return false
	}
	m.call(method, params, t.session, func(in cdp.Message) {
		var result rawInfo
		err := in.Result(&result.RawMessage)
		onResult(result.RawMessage, err)
	})
	return true
}

// CloseTab closes a tab, and calls done() when the tab is gone or limit has passed.
func (m *Mux) CloseTab(targetID string, limit time.Duration, done func()) {
	m.closeAll([]string{targetID}, limit, func(int) { done() })
}
