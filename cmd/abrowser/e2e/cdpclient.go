//go:build linux

package e2e

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"
)

// CDPClient is a CDP client at the endpoint of a session or of a browser.
type CDPClient struct {
	t    testing.TB
	conn *websocket.Conn
	id   int
}

// DialCDP connects to an endpoint of `abrowser get cdp-url` or `abrowser cdp`, until the test ends.
func DialCDP(t testing.TB, endpoint string) *CDPClient {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), CommandDeadline)
	defer cancel()
	var options websocket.DialOptions
	if at, isUnix := strings.CutPrefix(endpoint, "ws+unix://127.0.0.1"); isUnix {
		socket, path, ok := strings.Cut(at, ":")
		if !ok {
			t.Fatalf("cannot parse the endpoint %q", endpoint)
		}
		endpoint = "ws://broker" + path
		options.HTTPClient = &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", socket)
		}}}
	}
	conn, _, err := websocket.Dial(ctx, endpoint, &options) //nolint:bodyclose // the dialer has closed it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.CloseNow() }) // the broker may have ended and closed it
	conn.SetReadLimit(-1)
	return &CDPClient{t: t, conn: conn}
}

// Close disconnects.
func (c *CDPClient) Close() { _ = c.conn.CloseNow() }

// IsClosed reads until the endpoint closes the connection, and reports whether the endpoint does so
// within [CommandDeadline].
func (c *CDPClient) IsClosed() bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.t.Context()), CommandDeadline)
	defer cancel()
	for {
		if _, _, err := c.conn.Read(ctx); err != nil {
			return ctx.Err() == nil
		}
	}
}

// Call sends a request and waits for its response. It decodes the response's result into the
// parameter result, unless that is nil.
func (c *CDPClient) Call(session, method string, params, result any) {
	c.t.Helper()
	c.id++
	msg := map[string]any{"id": c.id, "method": method}
	if params != nil {
		msg["params"] = params
	}
	if session != "" {
		msg["sessionId"] = session
	}
	raw, err := json.Marshal(msg)
	if err != nil {
		c.t.Fatal(err)
	}
	if err := c.conn.Write(context.WithoutCancel(c.t.Context()), websocket.MessageText, raw); err != nil {
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

// Await waits for an event with the given method name.
func (c *CDPClient) Await(method string) {
	c.t.Helper()
	c.until(func(m cdpMessage) bool { return m.Method == method })
}

type cdpMessage struct {
	ID            int
	Method        string
	Result, Error json.RawMessage
}

// until reads messages until the function match returns true for one of them, and returns that
// message.
func (c *CDPClient) until(match func(cdpMessage) bool) cdpMessage {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.t.Context()), CommandDeadline)
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
		if match(m) {
			return m
		}
	}
}
