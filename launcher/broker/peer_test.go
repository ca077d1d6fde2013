package broker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/abrowser/abrowser/launcher/broker/upstream"
	"github.com/abrowser/abrowser/sockets/wire"
)

// peer is a minimal CDP client of a session. It resumes each new page as Playwright does.
type peer struct {
	t    *testing.T
	conn *websocket.Conn

	mu      sync.Mutex // guards the fields below
	last    int
	waiting map[int]chan message
	pages   map[string]*tab // by target id
	order   []string
	frozen  bool          // new pages are not resumed
	changed chan struct{} // closed and replaced at each change of pages
	gone    chan struct{} // closed when the connection has ended
}

// tab is a page of a peer.
type tab struct {
	peer            *peer
	target, session string
}

type message struct {
	ID        int             `json:"id,omitempty"`
	Method    string          `json:"method,omitempty"`
	Params    json.RawMessage `json:"params,omitempty"`
	SessionID string          `json:"sessionId,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"`
	Error     *struct {
		Code    int
		Message string
	} `json:"error,omitempty"`
}

// connect connects to a session and waits until its pages are known. A page that takes longer
// than half a second to respond is announced only after the reply to Target.setAutoAttach.
func (r *rig) connect(session string) *peer {
	r.t.Helper()
	p := r.dial(session)
	if _, err := p.call("", "Target.setAutoAttach", map[string]any{"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true}); err != nil {
		r.t.Fatalf("Target.setAutoAttach: %v", err)
	}
	raw, err := p.call("", "Target.getTargets", nil)
	if err != nil {
		r.t.Fatalf("Target.getTargets: %v", err)
	}
	var known struct {
		TargetInfos []struct{ TargetID, Type string }
	}
	if err := json.Unmarshal(raw, &known); err != nil {
		r.t.Fatal(err)
	}
	for _, info := range known.TargetInfos {
		if info.Type == "page" {
			until(r.t, "the page is announced", func() bool { return p.tab(info.TargetID) != nil })
		}
	}
	return p
}

// dial connects to a session and sends nothing.
func (r *rig) dial(session string) *peer {
	r.t.Helper()
	conn := r.socket(session)
	p := &peer{
		t: r.t, conn: conn, waiting: map[int]chan message{}, pages: map[string]*tab{}, changed: make(chan struct{}), gone: make(chan struct{}),
	}
	go p.read()
	r.t.Cleanup(p.close)
	return p
}

// socket opens a WebSocket to a session's endpoint.
func (r *rig) socket(session string) *websocket.Conn {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testTime)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", r.place.Socket)
	}}}
	conn, _, err := websocket.Dial(ctx, "ws://x"+wire.PathSession+session, &websocket.DialOptions{HTTPClient: client}) //nolint:bodyclose // the dialer has closed it
	if err != nil {
		r.t.Fatalf("dialing session %s: %v", session, err)
	}
	conn.SetReadLimit(upstream.MaxMessage)
	return conn
}

func (p *peer) close() {
	_ = p.conn.CloseNow()
	<-p.gone
}

func (p *peer) read() {
	defer close(p.gone)
	for {
		_, raw, err := p.conn.Read(context.Background())
		if err != nil {
			return
		}
		var m message
		if err := json.Unmarshal(raw, &m); err != nil {
			p.t.Errorf("%.200s: %v", raw, err)
			return
		}
		p.handle(m)
	}
}

func (p *peer) handle(m message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if m.Method == "" {
		if c := p.waiting[m.ID]; c != nil {
			delete(p.waiting, m.ID)
			c <- m
		}
		return
	}
	if m.SessionID != "" {
		return
	}
	var e struct {
		SessionID  string
		TargetID   string
		TargetInfo struct{ TargetID, Type string }
	}
	_ = json.Unmarshal(m.Params, &e)
	switch m.Method {
	case "Target.attachedToTarget":
		if p.pages[e.TargetInfo.TargetID] != nil {
			p.t.Errorf("target %s is announced twice", e.TargetInfo.TargetID)
		}
		t := &tab{p, e.TargetInfo.TargetID, e.SessionID}
		p.pages[t.target] = t
		p.order = append(p.order, t.target)
		if !p.frozen {
			p.sendLocked(t.session, "Page.enable", nil)
			p.sendLocked(t.session, "Runtime.runIfWaitingForDebugger", nil)
		}
	case "Target.detachedFromTarget":
		for id, t := range p.pages {
			if t.session == e.SessionID {
				delete(p.pages, id)
			}
		}
	default:
		return
	}
	close(p.changed)
	p.changed = make(chan struct{})
}

func (p *peer) sendLocked(session, method string, params any) chan message {
	p.last++
	raw, encoded := params.(json.RawMessage) // raw params are sent as they are, to save time
	if !encoded {
		var err error
		if raw, err = json.Marshal(params); err != nil {
			p.t.Errorf("%s: %v", method, err)
		}
	}
	out := fmt.Appendf(nil, `{"id":%d,"method":%q`, p.last, method)
	if session != "" {
		out = fmt.Appendf(out, `,"sessionId":%q`, session)
	}
	if params != nil {
		out = append(append(out, `,"params":`...), raw...)
	}
	out = append(out, '}')
	got := make(chan message, 1)
	p.waiting[p.last] = got
	// The error is ignored, since p.gone reports a lost connection.
	_ = p.conn.Write(context.Background(), websocket.MessageText, out)
	return got
}

// call sends a request and waits for its result.
func (p *peer) call(session, method string, params any) (json.RawMessage, error) {
	p.mu.Lock()
	got := p.sendLocked(session, method, params)
	p.mu.Unlock()
	select {
	case m := <-got:
		if m.Error != nil {
			return nil, fmt.Errorf("%s (%d)", m.Error.Message, m.Error.Code)
		}
		return m.Result, nil
	case <-p.gone:
		return nil, errors.New("the connection is lost")
	case <-time.After(testTime / 2):
		return nil, fmt.Errorf("%s was not answered", method)
	}
}

// targets returns the target ids of the peer's pages, in the order of their announcement.
func (p *peer) targets() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []string
	for _, id := range p.order {
		if p.pages[id] != nil {
			all = append(all, id)
		}
	}
	return all
}

func (p *peer) tab(target string) *tab {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pages[target]
}

// next waits for a page whose target id is not in the list known.
func (p *peer) next(known []string) *tab {
	p.t.Helper()
	late := time.After(testTime / 2)
	for {
		p.mu.Lock()
		changed := p.changed
		p.mu.Unlock()
		for _, id := range p.targets() {
			if !slices.Contains(known, id) {
				return p.tab(id)
			}
		}
		select {
		case <-changed:
		case <-late:
			p.t.Fatal("no new page")
		}
	}
}

// open creates a page. The page's event must arrive before the reply.
func (p *peer) open() *tab {
	p.t.Helper()
	raw, err := p.call("", "Target.createTarget", map[string]any{"url": "about:blank"})
	if err != nil {
		p.t.Fatalf("Target.createTarget: %v", err)
	}
	var out targetID
	if err := json.Unmarshal(raw, &out); err != nil {
		p.t.Fatal(err)
	}
	t := p.tab(out.TargetID)
	if t == nil {
		p.t.Fatalf("the reply with target %s arrived before its event", out.TargetID)
	}
	return t
}

// show navigates the tab to a page of the site that has the given HTML, and waits for the load.
func (t *tab) show(site, html string) {
	t.peer.t.Helper()
	_, err := t.peer.call(t.session, "Page.navigate", map[string]any{"url": site + "/p?html=" + url.QueryEscape(html)})
	if err != nil {
		t.peer.t.Fatalf("Page.navigate: %v", err)
	}
	t.eval(`new Promise(f => document.readyState == 'complete' ? f() : addEventListener('load', f))`)
}

// eval evaluates an expression and returns its value as JSON.
func (t *tab) eval(expression string) string {
	t.peer.t.Helper()
	value, err := t.try(expression)
	if err != nil {
		t.peer.t.Fatalf("evaluating %.80s: %v", expression, err)
	}
	return value
}

func (t *tab) try(expression string) (string, error) {
	raw, err := t.peer.call(t.session, "Runtime.evaluate",
		map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true, "userGesture": true})
	if err != nil {
		return "", err
	}
	var out struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		return "", err
	}
	if out.ExceptionDetails != nil {
		return "", fmt.Errorf("%s", out.ExceptionDetails)
	}
	return string(out.Result.Value), nil
}

// click clicks the middle of an element with mouse events.
func (t *tab) click(selector, button string, modifiers int) {
	t.peer.t.Helper()
	var at [2]float64
	place := t.eval(`(e => { const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] })(document.querySelector('` + selector + `'))`)
	if err := json.Unmarshal([]byte(place), &at); err != nil {
		t.peer.t.Fatal(err)
	}
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		_, err := t.peer.call(t.session, "Input.dispatchMouseEvent", map[string]any{
			"type": kind, "x": at[0], "y": at[1], "button": button, "clickCount": 1, "modifiers": modifiers,
		})
		if err != nil {
			t.peer.t.Fatalf("%s: %v", kind, err)
		}
	}
}
