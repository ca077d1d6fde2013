//go:build linux

package main_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/wire"
)

// cdpPage is a page in the answer to /json/list.
type cdpPage struct{ ID, URL, Title, Type, WebSocketDebuggerURL string }

// request sends a request to an endpoint and returns the status and the body of the response.
func request(t *testing.T, method, address string) (status int, body string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), e2e.CommandDeadline)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(raw)
}

// get returns the decoded body of a response with status 200.
func get[Out any](t *testing.T, method, address string) (out Out) {
	t.Helper()
	status, body := request(t, method, address)
	if err := json.Unmarshal([]byte(body), &out); status != http.StatusOK || err != nil {
		t.Fatalf("%s %s: %d %s (%v)", method, address, status, body, err)
	}
	return out
}

// evaluateAt opens a WebSocket and evaluates an expression over it. It returns an error if the
// handshake fails.
func evaluateAt(t *testing.T, address, expression string) (value string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), e2e.CommandDeadline)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, address, nil) //nolint:bodyclose // the dialer has closed it
	if err != nil {
		return "", err
	}
	defer conn.CloseNow()
	if err := wsjson.Write(ctx, conn, map[string]any{"id": 1, "method": "Runtime.evaluate", "params": map[string]any{"expression": expression}}); err != nil {
		t.Fatal(err)
	}
	var reply struct {
		Result struct{ Result struct{ Value string } }
	}
	if err := wsjson.Read(ctx, conn, &reply); err != nil {
		t.Fatal(err)
	}
	return reply.Result.Result.Value, nil
}

// The HTTP endpoint of a session supports the paths of Chromium's HTTP endpoint, with and without a
// slash at the end. It lists only the session's own pages.
func TestCDPOverHTTP(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	h.Text(t, "other", "open", s.URL("/page/foreign"))
	h.Text(t, "a", "open", s.URL("/page/first"))
	foreign := get[[]cdpPage](t, "GET", h.StartCDP(t, "other").HTTPURL+"/json/list")
	server := h.StartCDP(t, "a")
	base := server.HTTPURL
	if server.Session != "a" {
		t.Errorf("the session is %q", server.Session)
	}
	for _, slash := range []string{"", "/"} {
		version := get[map[string]string](t, "GET", base+"/json/version"+slash)
		if version["webSocketDebuggerUrl"] != server.URL || version["Protocol-Version"] != "1.3" || !strings.Contains(version["Browser"], "/1") {
			t.Errorf("/json/version%s is %v", slash, version)
		}
		pages := get[[]cdpPage](t, "GET", base+"/json/list"+slash)
		if len(pages) != 1 || pages[0].URL != s.URL("/page/first") || pages[0].Title != "first" || pages[0].Type != "page" {
			t.Fatalf("/json/list%s is %+v", slash, pages)
		}
		if got, err := evaluateAt(t, pages[0].WebSocketDebuggerURL+slash, "document.title"); err != nil || got != "first" {
			t.Errorf("the page's WebSocket%s has the title %q (%v)", slash, got, err)
		}
		for _, address := range []string{server.URL + slash, strings.TrimSuffix(server.URL, server.URL[strings.LastIndex(server.URL, "/"):]) + slash} {
			if _, err := evaluateAt(t, address, ""); err != nil {
				t.Errorf("the browser's WebSocket %s: %v", address, err)
			}
		}
	}
	opened := get[cdpPage](t, "PUT", base+"/json/new?"+url.QueryEscape(s.URL("/page/a+b")))
	if got := h.Text(t, "a", "tab", "list"); !strings.Contains(got, s.URL("/page/a+b")) || opened.Type != "page" {
		t.Errorf("after /json/new, which returned %+v, the tabs are\n%s", opened, got)
	}
	// The page takes a moment to close.
	slow := "addEventListener('unload', () => { for (const end = Date.now() + 400; Date.now() < end;); }); ''"
	if _, err := evaluateAt(t, opened.WebSocketDebuggerURL, slow); err != nil {
		t.Error(err)
	}
	protocol := get[struct{ Domains []struct{ Domain string } }](t, "GET", base+"/json/protocol/")
	if len(protocol.Domains) < 30 {
		t.Errorf("/json/protocol has %d domains", len(protocol.Domains))
	}
	ws := strings.Replace(base, "http:", "ws:", 1)
	if _, err := evaluateAt(t, ws+"/devtools/page/"+foreign[0].ID, "document.title"); err == nil {
		t.Error("the WebSocket of another session's page is open")
	}
	for _, tt := range []struct {
		method, path string
		status       int
		body         string
	}{
		{"GET", "/json/activate/" + opened.ID, 200, "Target activated"},
		{"GET", "/json/close/" + opened.ID + "/", 200, "Target is closing"},
		{"GET", "/json/new", 405, "PUT"},
		{"PUT", "/json/new?chrome://quit", 400, "browser's own pages"},
		{"PUT", "/json/new?%zz", 400, "escaped"},
		{"GET", "/json/close/" + foreign[0].ID, 404, "No such target id"},
		{"GET", "/json/activate/" + foreign[0].ID, 404, "No such target id"},
		{"GET", "/json/close/", 404, ""},
		{"GET", "/json/versions", 404, ""},
		{"GET", "/devtools/browser/other", 404, ""},
		{"GET", "/devtools/browser", 426, "WebSocket"},
	} {
		if status, body := request(t, tt.method, base+tt.path); status != tt.status || !strings.Contains(body, tt.body) {
			t.Errorf("%s %s: %d %s", tt.method, tt.path, status, body)
		}
	}
	if got := get[[]cdpPage](t, "GET", base+"/json"); len(got) != 1 || got[0].Title != "first" {
		t.Errorf("after all, the pages are %+v", got)
	}
	if got := h.Text(t, "other", "get", "title"); got != "foreign" {
		t.Errorf("after all, the other session's page is %q", got)
	}
	if log := server.Log(); log != "" {
		t.Errorf("the command wrote %s", log)
	}
}

// The endpoint ends when the command's input ends, when the command gets a signal, or when the
// program that the command runs ends. Each connection is closed at once, and the session and its
// tabs stay.
func TestCDPEnds(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	h.Text(t, "a", "open", s.URL("/page/first"))
	for name, end := range map[string]func(*e2e.CDPServer) error{
		"its input": (*e2e.CDPServer).End,
		"SIGTERM": func(s *e2e.CDPServer) error {
			_ = s.Process.Process.Signal(syscall.SIGTERM)
			return s.Process.Wait()
		},
		"SIGINT": func(s *e2e.CDPServer) error {
			_ = s.Process.Process.Signal(os.Interrupt)
			return s.Process.Wait()
		},
	} {
		server := h.StartCDP(t, "a")
		conn, _, err := websocket.Dial(t.Context(), server.URL, nil) //nolint:bodyclose // the dialer has closed it
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if err := end(server); err != nil {
			t.Errorf("after %s: %v, %s", name, err, server.Log())
		}
		if _, _, err := conn.Read(t.Context()); err == nil {
			t.Errorf("after %s the connection is open", name)
		}
		if took := time.Since(began); took > 8*time.Second {
			t.Errorf("after %s the command ended %s later", name, took)
		}
		at, err := url.Parse(server.HTTPURL)
		if err != nil {
			t.Fatal(err)
		}
		if open, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", at.Host); err == nil {
			open.Close()
			t.Errorf("after %s the port is open", name)
		}
	}
	if got := h.Text(t, "a", "get", "title"); got != "first" {
		t.Errorf("afterwards the session's page is %q", got)
	}
}

// A program that `abrowser cdp` runs gets the signals that the command gets. The command exits with
// the program's status.
func TestCDPProgram(t *testing.T) {
	t.Parallel()
	h := e2e.NewHome(t)
	cmd := h.Prepared(context.WithoutCancel(t.Context()), "a", "cdp", "--", "sh", "-c",
		`for s in INT TERM HUP USR1; do trap "echo $s" $s; done; trap 'echo USR2; exit 9' USR2; echo "$ABROWSER_CDP_URL"; while :; do sleep 0.05; done`)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // without a terminal
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	next := func() string { lines.Scan(); return lines.Text() }
	address := next()
	if status, _ := request(t, "GET", "http"+strings.TrimPrefix(address, "ws")); status != http.StatusUpgradeRequired {
		t.Errorf("while the program runs, its endpoint %s answers with %d", address, status)
	}
	for name, signal := range map[string]syscall.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP, "USR1": syscall.SIGUSR1, "USR2": syscall.SIGUSR2} {
		if name == "USR2" {
			continue // ends the program
		}
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		if got := next(); got != name {
			t.Errorf("after %s the program got %q", name, got)
		}
	}
	_ = cmd.Process.Signal(syscall.SIGUSR2)
	if got := next(); got != "USR2" {
		t.Errorf("at the end the program got %q", got)
	}
	_ = cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != 9 {
		t.Errorf("the status is %d, want the program's 9", got)
	}
	killed := h.Try("a", "cdp", "--", "sh", "-c", "kill -KILL $$")
	if killed.Status != 128+int(syscall.SIGKILL) {
		t.Errorf("a program that was killed: %s", killed)
	}
	h.Fails(t, wire.CodeBadInput, "a", "cdp", "--", "/etc/passwd")
}
