//go:build linux

package main_test

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// A command with bad input fails with the right code and exit status, and with a message. The page
// and the daemon are the same afterwards.
func TestBadInput(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	h.Text(t, "task", "open", s.URL("/form"))
	daemon := h.Daemon("task")
	tests := []struct {
		code wire.Code
		args string
	}{
		{wire.CodeUnknownVerb, "fly"},
		{wire.CodeBadInput, "get"},
		{wire.CodeBadInput, "get nonsense"},
		{wire.CodeBadInput, "click"},
		{wire.CodeBadInput, "click #send --fast"},
		{wire.CodeBadInput, "click #send --button middel"},
		{wire.CodeBadInput, "click #send #name"},
		{wire.CodeBadInput, "click ###"},
		{wire.CodeBadInput, "click xpath=//["},
		{wire.CodeBadInput, "fill #name"},
		{wire.CodeBadInput, "get attr #name"},
		{wire.CodeBadInput, "open javascript:alert(1)"},
		{wire.CodeBadInput, "open chrome://settings"},
		{wire.CodeBadInput, "open devtools://devtools"},
		{wire.CodeBadInput, "open view-source:http://127.0.0.1/"},
		{wire.CodeBadInput, "tab new javascript:alert(1)"},
		{wire.CodeBadInput, "wait --timeout abc"},
		{wire.CodeBadInput, "wait"},
		{wire.CodeBadInput, "wait 100 --text x"},
		{wire.CodeBadInput, "scroll sideways"},
		{wire.CodeBadInput, "scroll down many"},
		{wire.CodeBadInput, "eval -b %%%"},
		{wire.CodeBadInput, "tab 2"},
		{wire.CodeNotFound, "tab t99"},
		{wire.CodeNotFound, "tab close t99"},
		{wire.CodeNotFound, "get text #nothing"},
		{wire.CodeNotFound, "click e999"},
		{wire.CodeBadInput, "batch"},
	}
	for _, test := range tests {
		e := h.Fails(t, test.code, "task", strings.Fields(test.args)...)
		if e.Error == nil || *e.Error == "" || strings.Contains(*e.Error, "goroutine") {
			t.Errorf("%s: the message is %v", test.args, e.Error)
		}
	}
	if now := h.Daemon("task"); now.PID != daemon.PID {
		t.Errorf("the daemon was %v and is %v", daemon, now)
	}
	if url := h.Text(t, "task", "get", "url"); url != s.URL("/form") {
		t.Errorf("the page is at %s", url)
	}
}

// Garbage on a socket, and requests that a web page could send, harm neither the daemon nor the
// broker.
func TestGarbageOnTheSockets(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	h.Text(t, "task", "open", s.URL("/"))
	daemon, broker := h.Daemon("task"), h.Of(e2e.KindBroker)
	for role, socket := range map[string]string{"daemon": place(t, h, "task").Socket, "broker": browserPlace(t, h).Socket} {
		t.Run(role, func(t *testing.T) {
			garbage(t, socket, make([]byte, 10<<20))
			random := make([]byte, 10<<20)
			for i := range random {
				random[i] = byte(rand.Uint32())
			}
			garbage(t, socket, random)
			garbage(t, socket, []byte("POST /v1/click HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n{"))
			path := verbs.Click.Path()
			if role == "broker" {
				path = verbs.BrowserStatus.Path()
			}
			requests := []struct {
				name   string
				header http.Header
				body   []byte
				status int
			}{
				{"a web page's origin", http.Header{"Origin": {"http://evil.example"}, "Content-Type": {"application/json"}}, []byte("{}"), http.StatusForbidden},
				{"the null origin", http.Header{"Origin": {"null"}, "Content-Type": {"application/json"}}, []byte("{}"), http.StatusForbidden},
				{"a form", http.Header{"Content-Type": {"text/plain"}}, []byte("{}"), http.StatusUnsupportedMediaType},
				{"ten megabytes of JSON", nil, []byte(`{"selector":"` + strings.Repeat("x", 10<<20) + `"}`), http.StatusRequestEntityTooLarge},
				{"not JSON", nil, []byte("click it"), http.StatusBadRequest},
				{"an unknown member", nil, []byte(`{"sellector":"#button"}`), http.StatusBadRequest},
			}
			for _, r := range requests {
				if status, body := post(t, socket, path, r.header, r.body); status != r.status {
					t.Errorf("%s: status %d, want %d: %.300s", r.name, status, r.status, body)
				}
			}
		})
	}
	if now := h.Daemon("task"); now.PID != daemon.PID {
		t.Errorf("the daemon was %v and is %v", daemon, now)
	}
	if now := h.Of(e2e.KindBroker); len(now) != 1 || now[0].PID != broker[0].PID {
		t.Errorf("the broker was %v and is %v", broker, now)
	}
	if out := h.Text(t, "task", "get", "text", "#out"); out != "" {
		t.Errorf("something pressed the button: %q", out)
	}
	h.Text(t, "task", "click", "#button")
}

// garbage sends bytes that are not a valid request to the socket. It fails the test if the
// response reports success.
func garbage(t *testing.T, socket string, bytes []byte) {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
	_, _ = conn.Write(bytes) // fails if the other side closes the connection early
	if unix, ok := conn.(*net.UnixConn); ok {
		_ = unix.CloseWrite()
	}
	answer, _ := io.ReadAll(conn)
	if strings.Contains(string(answer), " 200 ") {
		t.Errorf("garbage was answered with %.200s", answer)
	}
}

// post sends a request to the socket, and returns the status and the body of the response. It sets
// the headers that every request needs. The headers in the parameter header are added to them, or
// replace them.
func post(t *testing.T, socket, path string, header http.Header, body []byte) (int, string) {
	t.Helper()
	transport := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://abrowser"+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(wire.HeaderProtocol, "1")
	if path == verbs.Click.Path() {
		req.Header.Set(wire.HeaderSession, "task")
	}
	for name, values := range header {
		req.Header[name] = values
	}
	resp, err := (&http.Client{Transport: transport, Timeout: 20 * time.Second}).Do(req)
	if err != nil {
		t.Errorf("POST %s: %v", path, err)
		return 0, ""
	}
	defer func() { _ = resp.Body.Close() }()
	answer, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(answer)
}
