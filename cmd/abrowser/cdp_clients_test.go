//go:build linux

package main_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
)

// entryOf returns a session's entry in the output of `session list`.
func entryOf(t *testing.T, h *e2e.Home, session string) verbs.SessionEntry {
	t.Helper()
	for _, e := range e2e.Ask[verbs.SessionListOut](t, h, "", "session", "list").Sessions {
		if e.ID == session {
			return e
		}
	}
	return verbs.SessionEntry{}
}

// titleOf returns the title of the document in a page. The parameter page is the id of the CDP
// session that is attached to the page.
func titleOf(c *e2e.CDPClient, page string) string {
	var value struct{ Result struct{ Value string } }
	c.Call(page, "Runtime.evaluate", map[string]any{"expression": "document.title"}, &value)
	return value.Result.Value
}

// attach attaches a client to the first page of its session. It returns the id of the CDP session.
func attach(t *testing.T, c *e2e.CDPClient) (session string) {
	t.Helper()
	var targets struct {
		TargetInfos []struct{ TargetID, Type string }
	}
	c.Call("", "Target.getTargets", nil, &targets)
	for _, target := range targets.TargetInfos {
		if target.Type == "page" {
			var attached struct{ SessionID string }
			c.Call("", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
			return attached.SessionID
		}
	}
	t.Fatalf("the client has no page: %+v", targets)
	return ""
}

// The list of sessions shows how many clients a session has, and when the last of them was active.
// While a client is connected, the session is live, even if it has no daemon. The commands of
// abrowser work while a client is connected. When the client disconnects, or the session is closed,
// the tabs stay open, and the next client of the session finds them.
func TestCDPClientsInSessionList(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	server := h.StartCDP(t, "a")
	first := e2e.DialCDP(t, server.URL)
	first.Call("", "Target.createTarget", map[string]any{"url": s.URL("/page/first")}, nil)
	page := attach(t, first)
	if !e2e.Await(e2e.CommandDeadline, func() bool { return titleOf(first, page) == "first" }) {
		t.Fatalf("the client's page is %q", titleOf(first, page))
	}
	before := entryOf(t, h, "a")
	if before.Clients != 1 || before.Pages != 1 || before.URL != s.URL("/page/first") {
		t.Errorf("with a client, the session is %+v", before)
	}
	second := e2e.DialCDP(t, server.URL)
	titleOf(first, page) // later than before, since the command session list has run in between
	if got := entryOf(t, h, "a"); got.Clients != 2 || !got.LastActivityAt.After(before.LastActivityAt) {
		t.Errorf("with two clients, the session is %+v, before %+v", got, before)
	}
	second.Close()

	if got := h.Text(t, "a", "get", "title"); got != "first" {
		t.Errorf("beside the client, get title prints %q", got)
	}
	h.Text(t, "a", "open", s.URL("/page/second"))
	if got := titleOf(first, page); got != "second" {
		t.Errorf("after abrowser open, the client's page is %q", got)
	}
	if err := e2e.Kill(h.Daemon("a")); err != nil {
		t.Fatal(err)
	}
	if got := entryOf(t, h, "a"); got.State != verbs.StateLive || got.Clients != 1 {
		t.Errorf("with a client and without a daemon, the session is %+v", got)
	}
	first.Close()
	if !e2e.Await(e2e.CommandDeadline, func() bool { return entryOf(t, h, "a").State == verbs.StateReleased }) {
		t.Errorf("after its last client the session is %+v", entryOf(t, h, "a"))
	}
	third := e2e.DialCDP(t, server.URL)
	if got := titleOf(third, attach(t, third)); got != "second" {
		t.Errorf("the next client finds the page %q", got)
	}

	h.Text(t, "a", "close")
	if !third.IsClosed() {
		t.Error("after abrowser close the client is connected")
	}
	next := e2e.DialCDP(t, server.URL)
	if got := titleOf(next, attach(t, next)); got != "second" {
		t.Errorf("after abrowser close the next client finds the page %q", got)
	}
}

// If the broker is killed, the client's connection is closed. The next client can connect to the
// same URL, and finds the session's tabs.
func TestCDPClientAfterTheBroker(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	server := h.StartCDP(t, "a")
	first := e2e.DialCDP(t, server.URL)
	first.Call("", "Target.createTarget", map[string]any{"url": s.URL("/secret")}, nil)
	h.Text(t, "a", "fill", "#kept", "kept")
	before := e2e.MarkOf(t, h, "a")
	if err := e2e.Kill(h.Of(e2e.KindBroker)[0]); err != nil {
		t.Fatal(err)
	}
	if !first.IsClosed() {
		t.Error("after the broker was killed, the client's connection is open")
	}
	next := e2e.DialCDP(t, server.URL)
	if got := titleOf(next, attach(t, next)); got == "" {
		t.Error("the next client finds no title")
	}
	if after := e2e.MarkOf(t, h, "a"); after != before {
		t.Errorf("the session came back to %v, want %v", after, before)
	}
}

// The port of `abrowser cdp` refuses web pages, wrong secrets and invalid requests at once. The
// command logs each refusal without the secret. After the command has ended, its URL cannot be used
// any more.
func TestCDPRefuses(t *testing.T) {
	t.Parallel()
	h := e2e.NewHome(t)
	server := h.StartCDP(t, "a")
	at, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	secret := strings.Split(at.Path, "/")[1]
	upgrade := []string{"Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="}
	for name, tt := range map[string]struct {
		path   string
		head   []string
		status int
	}{
		"the right request":      {at.Path, append([]string{"Host: " + at.Host}, upgrade...), 101},
		"a rebound name":         {at.Path, append([]string{"Host: evil.example"}, upgrade...), 403},
		"a web page":             {at.Path, append([]string{"Host: " + at.Host, "Origin: https://evil.example"}, upgrade...), 403},
		"no secret":              {strings.Replace(at.Path, "/"+secret, "", 1), append([]string{"Host: " + at.Host}, upgrade...), 403},
		"a wrong secret":         {strings.Replace(at.Path, secret, strings.Repeat("0", len(secret)), 1), append([]string{"Host: " + at.Host}, upgrade...), 403},
		"an upgrade without key": {at.Path, []string{"Host: " + at.Host, "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"}, 400},
		"10 MB of headers":       {at.Path, append([]string{"Host: " + at.Host, "X: " + strings.Repeat("x", 10<<20)}, upgrade...), 431},
		"a path in bad escapes":  {at.Path + "/%zz", []string{"Host: " + at.Host}, 400},
	} {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", at.Host)
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(e2e.CommandDeadline))
		// The server may close the connection before it has read 10 MB.
		_, _ = io.WriteString(conn, "GET "+tt.path+" HTTP/1.1\r\n"+strings.Join(tt.head, "\r\n")+"\r\n\r\n")
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if answer.StatusCode != tt.status {
			t.Errorf("%s: %s, want %d", name, answer.Status, tt.status)
		}
		answer.Body.Close()
		conn.Close()
	}
	if err := server.End(); err != nil {
		t.Error(err)
	}
	if log := server.Log(); strings.Contains(log, secret) || !strings.Contains(log, "refused") || strings.Contains(log, "evil") {
		t.Errorf("the log is %s", log)
	}
	if _, err := evaluateAt(t, server.URL, "1"); err == nil {
		t.Error("after the command has ended, its address is open")
	}
}
