package broker

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// A client calls every method of the browser's protocol on each kind of its CDP sessions, with its
// own ids, with those of other sessions, with stale and with invented ones. The browser goes on, the
// pages of the other sessions are as before, and the client has got nothing of them.
func TestEveryMethodOfAHostileClient(t *testing.T) {
	t.Parallel()
	r := start(t, wire.Settings{})
	o, err := keeperOptions(t.Context(), r.root, wire.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	calls := readProtocol(t, startPlain(t, o))
	ask(r, verbs.BrokerIncognito, verbs.IncognitoIn{Session: "incognito"})
	shared, incognito := r.neighbour("shared"), r.neighbour("incognito")
	browser, broker := r.pids()
	h := newHostile(r)
	stale := h.open()
	h.batch("", []namingCall{{method: "Target.closeTarget", params: map[string]any{"targetId": stale.target}}})
	own := h.open()
	kinds := map[string]bool{}
	ids := map[string][]string{}
	for kind, foreign := range shared.ids() {
		kinds[kind] = true
		ids[kind] = append(append(foreign, incognito.ids()[kind]...), "invented")
	}
	ids["Target.TargetID"] = append(ids["Target.TargetID"], own.target, stale.target)
	ids["Target.SessionID"] = append(ids["Target.SessionID"], own.session, stale.session)
	ids["Page.FrameId"] = append(ids["Page.FrameId"], own.target, stale.target)
	all := calls.every()
	for _, call := range calls.naming(kinds) {
		for _, id := range ids[call.kind] {
			call.params = maps.Clone(call.params)
			call.params[call.member] = id
			all = append(all, call)
		}
	}
	all = slices.DeleteFunc(all, func(c namingCall) bool {
		switch c.method {
		case "Browser.close": // at the end
			return true
		case "Storage.clearCookies", "Network.clearBrowserCookies": // clear the shared cookies, on purpose
			return true
		}
		return false
	})
	root, page := h.root(), h.open()
	for from := 0; from < len(all); {
		domain, _, _ := strings.Cut(all[from].method, ".")
		to := from
		for to < len(all) && strings.HasPrefix(all[to].method, domain+".") {
			to++
		}
		h.batch([]string{"", root}[from%2], all[from:to])
		if !h.works(page) {
			h.batch("", []namingCall{{method: "Target.closeTarget", params: map[string]any{"targetId": page.target}}})
			page = h.open()
		}
		h.batch(page.session, all[from:to])
		from = to
	}
	h.batch("", []namingCall{{method: "Browser.close"}})
	if answered := h.close(t, shared, incognito); answered < 3*len(all)/2 {
		t.Errorf("%d of %d calls were answered", answered, 2*len(all))
	}
	if nowBrowser, nowBroker := r.pids(); nowBrowser != browser || nowBroker != broker {
		t.Error("the browser or the broker was started again")
	}
	shared.check()
	incognito.check()
}

// neighbour is a session that a hostile client must not affect.
type neighbour struct {
	*tab
	r      *rig
	name   string
	before string
}

const stateOfPage = `JSON.stringify([document.title, location.href, document.cookie, i.value, window.count, document.body.innerHTML, history.length, innerWidth, navigator.userAgent, navigator.language, navigator.onLine, Notification.permission, localStorage.x])`

func (r *rig) neighbour(name string) *neighbour {
	r.t.Helper()
	n := &neighbour{tab: r.connect(name).open(), r: r, name: name}
	n.show(r.site.URL, "<title>title-of-"+name+"</title><input id=i><button onclick='count++'>b</button><script>var count = 0; document.cookie = 'c=cookie-of-"+name+"'; localStorage.x = 1</script>")
	n.eval(`i.value = 'typed'`)
	n.before = n.eval(stateOfPage)
	return n
}

// ids returns the ids of the neighbour's objects, by their type in the protocol.
func (n *neighbour) ids() map[string][]string {
	raw, err := n.peer.call("", "Target.getTargetInfo", map[string]any{"targetId": n.target})
	var out struct {
		TargetInfo struct{ BrowserContextID string }
	}
	if err != nil || json.Unmarshal(raw, &out) != nil {
		n.peer.t.Fatalf("Target.getTargetInfo: %s, %v", raw, err)
	}
	ids := map[string][]string{"Target.TargetID": {n.target}, "Target.SessionID": {n.session}, "Page.FrameId": {n.target}}
	if n.name == "incognito" { // the others share their context
		ids["Browser.BrowserContextID"] = []string{out.TargetInfo.BrowserContextID}
	} else {
		ids["Browser.BrowserContextID"] = nil
	}
	return ids
}

// check checks that the neighbour's page is as before, and that its session works.
func (n *neighbour) check() {
	t := n.peer.t
	t.Helper()
	if now := n.eval(stateOfPage); now != n.before {
		t.Errorf("the page of %s is\n%s, before\n%s", n.name, now, n.before)
	}
	n.click("button", "left", 0)
	if got := n.eval("count"); got != "1" {
		t.Errorf("in %s, a click has the effect %s", n.name, got)
	}
	if got := len(n.r.tabs(n.name)); got != 1 {
		t.Errorf("%s has %d tabs", n.name, got)
	}
	other := n.peer.open()
	other.show(n.r.site.URL, "<title>other</title>")
	if got := other.eval("document.title + document.cookie"); got != `"otherc=cookie-of-`+n.name+`"` {
		t.Errorf("a new page of %s is %s", n.name, got)
	}
}

// hostile is a client that calls anything. It records all messages that it gets.
type hostile struct {
	r    *rig
	conn *websocket.Conn
	read chan struct{} // closed when the connection has ended
	last int

	mu       sync.Mutex // guards the fields below
	sent     map[int]string
	replies  map[int]json.RawMessage
	messages []string
	changed  chan struct{} // closed and replaced at each message
}

func newHostile(r *rig) *hostile {
	h := &hostile{r: r, sent: map[int]string{}, replies: map[int]json.RawMessage{}, changed: make(chan struct{})}
	h.conn, h.read = r.socket("hostile"), make(chan struct{})
	r.t.Cleanup(func() { _ = h.conn.CloseNow() })
	go func() {
		defer close(h.read)
		for {
			_, raw, err := h.conn.Read(r.t.Context())
			if err != nil {
				return
			}
			var m message
			_ = json.Unmarshal(raw, &m) // a message that is not JSON has no id
			h.mu.Lock()
			h.messages = append(h.messages, string(raw))
			if m.Method == "" && m.ID != 0 {
				h.replies[m.ID] = m.Result
			}
			close(h.changed)
			h.changed = make(chan struct{})
			h.mu.Unlock()
		}
	}()
	h.batch("", []namingCall{{method: "Target.setDiscoverTargets", params: map[string]any{"discover": true, "filter": []any{map[string]any{}}}}})
	return h
}

// quiet is how long a batch waits for its next reply. Some calls are never answered, such as those
// on a page that the client has paused.
const quiet = 300 * time.Millisecond

// batch sends calls on a session, and returns when all are answered, or when no more messages come.
func (h *hostile) batch(session string, calls []namingCall) { h.send(session, calls, quiet) }

// send sends calls on a session. It returns when all are answered, when no message has come for the
// time quiet, or when the connection has ended.
func (h *hostile) send(session string, calls []namingCall, quiet time.Duration) {
	h.r.t.Helper()
	first := h.last + 1
	for _, call := range calls {
		h.last++
		m := map[string]any{"id": h.last, "method": call.method, "params": call.params}
		if session != "" {
			m["sessionId"] = session
		}
		raw, err := json.Marshal(m)
		if err != nil {
			h.r.t.Fatal(err)
		}
		h.mu.Lock()
		h.sent[h.last] = string(raw)
		h.mu.Unlock()
		if h.conn.Write(h.r.t.Context(), websocket.MessageText, raw) != nil {
			return // the client has closed its browser
		}
	}
	timer := time.NewTimer(quiet)
	defer timer.Stop()
	for {
		h.mu.Lock()
		changed, missing := h.changed, 0
		for id := first; id <= h.last; id++ {
			if _, ok := h.replies[id]; !ok {
				missing++
			}
		}
		h.mu.Unlock()
		if missing == 0 {
			return
		}
		select {
		case <-changed:
			timer.Reset(quiet)
		case <-timer.C:
			return
		case <-h.read:
			return
		}
	}
}

// call sends a call on the root session and decodes its result into out.
func (h *hostile) call(method string, params map[string]any, out any) {
	h.r.t.Helper()
	h.send("", []namingCall{{method: method, params: params}}, testTime/2)
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := json.Unmarshal(h.replies[h.last], out); err != nil {
		h.r.t.Fatalf("%s: %v", method, err)
	}
}

// works reports whether a page still evaluates expressions.
func (h *hostile) works(page *tab) bool {
	h.batch(page.session, []namingCall{{method: "Runtime.evaluate", params: map[string]any{"expression": "6*7"}}})
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.Contains(string(h.replies[h.last]), "42")
}

// root attaches to the browser once more and returns the new session.
func (h *hostile) root() string {
	var out sessionID
	h.call("Target.attachToBrowserTarget", nil, &out)
	return out.SessionID
}

// open opens a page and attaches to it.
func (h *hostile) open() *tab {
	var made targetID
	var out sessionID
	h.call("Target.createTarget", map[string]any{"url": h.r.site.URL + "/p?html=own"}, &made)
	h.call("Target.attachToTarget", map[string]any{"targetId": made.TargetID, "flatten": true}, &out)
	return &tab{target: made.TargetID, session: out.SessionID}
}

// close disconnects, checks that no message has anything of the neighbours, and returns the number
// of calls that were answered. A reply may repeat what the call had.
func (h *hostile) close(t *testing.T, neighbours ...*neighbour) int {
	_ = h.conn.CloseNow()
	<-h.read
	var secrets []string
	for _, n := range neighbours {
		secrets = append(secrets, "title-of-"+n.name)
		for _, ids := range n.ids() {
			secrets = append(secrets, ids...)
		}
		if n.name == "incognito" {
			secrets = append(secrets, "cookie-of-"+n.name)
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, text := range h.messages {
		var m message
		_ = json.Unmarshal([]byte(text), &m) // a message that is not JSON has no id
		for _, secret := range secrets {
			if at := strings.Index(text, secret); at >= 0 && !(m.Method == "" && strings.Contains(h.sent[m.ID], secret)) {
				t.Errorf("%.300s\nwas answered with %q: …%.300s", h.sent[m.ID], secret, text[max(0, at-100):])
			}
		}
	}
	return len(h.replies)
}
