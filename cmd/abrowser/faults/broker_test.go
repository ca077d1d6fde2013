//go:build linux

package faults_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// A broker that is stopped by a signal is replaced after 5 s, and the session's page remains the
// same document.
func TestFrozenBrokerIsReplaced(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	h.Text(t, "task", "open", s.URL("/secret"))
	h.Text(t, "task", "fill", "#kept", "kept")
	before, broker := e2e.MarkOf(t, h, "task"), h.Of(e2e.KindBroker)[0]
	e2e.Stop(t, broker)
	if !e2e.Await(4*5*time.Second, func() bool { return !broker.Alive() }) {
		t.Fatalf("%s still runs", broker)
	}
	r := h.Try("task", "--json", "get", "url")
	if e := r.Envelope(t); !e.Success && !e2e.Allowed(e.Code) {
		t.Errorf("the first command after the replacement: %s", r)
	}
	if after := e2e.MarkOf(t, h, "task"); after != before {
		t.Errorf("the session came back to %v, want %v", after, before)
	}
}

// A CDP client at a session's endpoint intercepts every request of the page with Fetch.enable. If
// the broker is killed while such a request is paused, the command that waits for the request
// ends, and later requests of the page are not paused. Another session's page remains the same
// document.
func TestBrokerKilledWhileRequestsArePaused(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	h.Text(t, "task", "open", s.URL("/secret"))
	h.Text(t, "other", "open", s.URL("/secret"))
	other := e2e.MarkOf(t, h, "other")
	target := e2e.Ask[verbs.TabsOut](t, h, "task", "tab", "list").Tabs[0].TargetID
	hold := dialCDP(t, h.Text(t, "task", "get", "cdp-url"))
	var attached struct{ SessionID string }
	hold.call("", "Target.attachToTarget", map[string]any{"targetId": target, "flatten": true}, &attached)
	hold.call(attached.SessionID, "Fetch.enable", map[string]any{}, nil)
	held := h.Begin(t, "task", "open", s.URL("/page/held"))
	hold.await("Fetch.requestPaused")
	if err := e2e.Kill(h.Of(e2e.KindBroker)[0]); err != nil {
		t.Fatal(err)
	}
	select {
	case r := <-held.Ended:
		if e := r; e.Status != wire.ExitDone && !strings.Contains(e.Stderr, "lost") && !strings.Contains(e.Stderr, "went away") {
			t.Errorf("the open whose request was paused: %s", r)
		}
	case <-time.After(40 * time.Second):
		t.Error("the open whose request was paused hangs")
	}
	r := h.Try("task", "open", s.URL("/page/after"))
	if r.Status != wire.ExitDone || r.Took > 20*time.Second {
		t.Errorf("after the broker was killed: %s", r)
	}
	if got := h.Text(t, "task", "get", "text", "#name"); got != "after" {
		t.Errorf("the page shows %q", got)
	}
	if after := e2e.MarkOf(t, h, "other"); after != other {
		t.Errorf("the other session came back to %v, want %v", after, other)
	}
}

// cdp is a CDP client at a session's endpoint.
type cdp struct {
	t    *testing.T
	conn *websocket.Conn
	id   int
}

func dialCDP(t *testing.T, endpoint string) *cdp {
	t.Helper()
	socket, path, ok := strings.Cut(strings.TrimPrefix(endpoint, "ws+unix://127.0.0.1"), ":")
	if !ok {
		t.Fatalf("cannot parse the endpoint %q", endpoint)
	}
	ctx, cancel := context.WithTimeout(t.Context(), e2e.CommandDeadline)
	defer cancel()
	unix := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	}}}
	conn, reply, err := websocket.Dial(ctx, "ws://broker"+path, &websocket.DialOptions{HTTPClient: unix})
	if reply != nil && reply.Body != nil {
		_ = reply.Body.Close() // conn owns the connection now
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.CloseNow() }) // the broker may have ended and closed it
	conn.SetReadLimit(-1)
	return &cdp{t: t, conn: conn}
}

// call sends a request and waits for its response. It decodes the response's result into the
// parameter result, unless that is nil.
func (c *cdp) call(session, method string, params map[string]any, result any) {
	c.t.Helper()
	c.id++
	msg := map[string]any{"id": c.id, "method": method, "params": params}
	if session != "" {
		msg["sessionId"] = session
	}
	raw, err := json.Marshal(msg)
	if err != nil {
		c.t.Fatal(err)
	}
	if err := c.conn.Write(c.t.Context(), websocket.MessageText, raw); err != nil {
		c.t.Fatal(err)
	}
	got := c.until(func(m cdpMessage) bool { return m.ID == c.id })
	if got.Error != nil {
		c.t.Fatalf("%s: %s", method, got.Error)
	}
	if result == nil {
		return
	}
	if err := json.Unmarshal(got.Result, result); err != nil {
		c.t.Fatal(err)
	}
}

// await waits for an event with the given method name.
func (c *cdp) await(method string) {
	c.t.Helper()
	c.until(func(m cdpMessage) bool { return m.Method == method })
}

type cdpMessage struct {
	ID            int
	Method        string
	Result, Error json.RawMessage
}

// until reads messages up to the first for which the function right returns true, and returns that
// message.
func (c *cdp) until(right func(cdpMessage) bool) cdpMessage {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), e2e.CommandDeadline)
	defer cancel()
	for {
		_, raw, err := c.conn.Read(ctx)
		if err != nil {
			c.t.Fatal(err)
		}
		var m cdpMessage
		if err := json.Unmarshal(raw, &m); err != nil {
			c.t.Fatal(err)
		}
		if right(m) {
			return m
		}
	}
}
