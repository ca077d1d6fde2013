package web_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/abrowser/abrowser/daemon/daemontest"
	"github.com/abrowser/abrowser/sockets/verbs"
)

// endpoint is a CDP client of the session's endpoint, in addition to the daemon.
type endpoint struct {
	t    testing.TB
	conn *websocket.Conn
	last int
}

func dialEndpoint(t testing.TB, s *daemontest.Session) *endpoint {
	t.Helper()
	return dialAddress(t, do(t, s, verbs.GetCDPURL, verbs.Empty{}).CDPURL)
}

func dialAddress(t testing.TB, address string) *endpoint {
	t.Helper()
	socket, path, _ := strings.Cut(strings.TrimPrefix(address, "ws+unix://127.0.0.1"), ":")
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", socket)
	}
	conn, _, err := websocket.Dial(t.Context(), "ws://abrowser"+path, &websocket.DialOptions{ //nolint:bodyclose // the library closes it
		HTTPClient: &http.Client{Transport: &http.Transport{DialContext: dial}},
	})
	if err != nil {
		t.Fatalf("dialing %s: %v", address, err)
	}
	t.Cleanup(func() { _ = conn.CloseNow() }) // nothing more is sent
	return &endpoint{t: t, conn: conn}
}

// send sends a command and does not wait for the response. The parameter session is the id of a CDP
// session, or "" for a command to the browser.
func (e *endpoint) send(session, method, params string) {
	e.t.Helper()
	e.last++
	message := fmt.Sprintf(`{"id":%d,"method":%q,"params":%s,"sessionId":%q}`, e.last, method, params, session)
	if session == "" {
		message = fmt.Sprintf(`{"id":%d,"method":%q,"params":%s}`, e.last, method, params)
	}
	if err := e.conn.Write(e.t.Context(), websocket.MessageText, []byte(message)); err != nil {
		e.t.Fatal(err)
	}
}

// answer waits for the response to the command that was sent last, and returns its result.
func (e *endpoint) answer() map[string]any {
	e.t.Helper()
	for {
		_, raw, err := e.conn.Read(e.t.Context())
		if err != nil {
			e.t.Fatal(err)
		}
		var reply struct {
			ID     int
			Result map[string]any
		}
		if json.Unmarshal(raw, &reply) == nil && reply.ID == e.last {
			return reply.Result
		}
	}
}

// closeTarget closes a tab without the daemon, as a person would.
func closeTarget(t testing.TB, s *daemontest.Session, target string) {
	t.Helper()
	e := dialEndpoint(t, s)
	e.send("", "Target.closeTarget", fmt.Sprintf(`{"targetId":%q}`, target))
	e.answer()
}

// crashTarget ends a tab's renderer.
func crashTarget(t testing.TB, s *daemontest.Session, target string) {
	t.Helper()
	e := dialEndpoint(t, s)
	e.send("", "Target.attachToTarget", fmt.Sprintf(`{"targetId":%q,"flatten":true}`, target))
	session, _ := e.answer()["sessionId"].(string)
	e.send(session, "Page.crash", "{}")
}

// onlooker returns a function that evaluates an expression on the session's page without the
// daemon, which may have ended.
func onlooker(t testing.TB, s *daemontest.Session) func(expression string) string {
	t.Helper()
	address := do(t, s, verbs.GetCDPURL, verbs.Empty{}).CDPURL
	target := do(t, s, verbs.TabList, verbs.TabListIn{}).Tabs[0].TargetID
	return func(expression string) string {
		t.Helper()
		e := dialAddress(t, address)
		defer func() { _ = e.conn.CloseNow() }() // nothing more is sent
		e.send("", "Target.attachToTarget", fmt.Sprintf(`{"targetId":%q,"flatten":true}`, target))
		session, _ := e.answer()["sessionId"].(string)
		quoted, err := json.Marshal(expression)
		if err != nil {
			t.Fatal(err)
		}
		e.send(session, "Runtime.evaluate", fmt.Sprintf(`{"expression":%s,"returnByValue":true,"awaitPromise":true}`, quoted))
		result, _ := e.answer()["result"].(map[string]any)
		raw, err := json.Marshal(result["value"])
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
}
