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
	onFrame func(Frame)
}

const viewQuality = 60 // of the JPEG

// StartView sends pictures of a page to onFrame whenever the page has changed, until [Mux.StopView].
// The pictures are at most size pixels wide and high. A page that sleeps is woken for that long.
// StartView replaces an earlier view of the page. It returns false if the page cannot be shown.
func (m *Mux) StartView(targetID string, size int, onFrame func(Frame)) bool {
	t := m.targets[targetID]
	if t == nil || t.tab == nil || t.session == "" || t.paused || t.tab.Crashed {
		return false
	}
	if t.awake || t.view != nil {
		m.call("Page.stopScreencast", nil, t.session, nil)
	}
	t.view = &view{onFrame}
	m.call("Emulation.setFocusEmulationEnabled", []byte(`{"enabled":true}`), t.session, nil)
	text := strconv.Itoa(size)
	m.call("Page.startScreencast", []byte(`{"format":"jpeg","quality":`+strconv.Itoa(viewQuality)+`,"maxWidth":`+text+`,"maxHeight":`+text+`,"everyNthFrame":1}`), t.session, nil)
	return true
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
	session := t.session
	next := once(func() {
		m.call("Page.screencastFrameAck", []byte(`{"sessionId":`+strconv.Itoa(p.Frame)+`}`), session, nil)
	})
	t.view.onFrame(Frame{JPEG: p.Data, Width: p.Metadata.Width, Height: p.Metadata.Height, Next: next})
	return true
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
