package server

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

type echoIn struct {
	Text string `json:"text" required:"true"`
	Size int    `json:"size,omitzero" default:"7"`
}

type echoOut struct {
	Text    string `json:"text"`
	Size    int    `json:"size"`
	Session string `json:"session"`
	Headed  bool   `json:"headed"`
	Left    int64  `json:"left"` // milliseconds
}

func verb[In any](name string) wire.Verb[In, echoOut] {
	return wire.Verb[In, echoOut]{Spec: wire.Spec{Name: name}}
}

const (
	echo  = "/v1/echo/text"
	fail  = "/v1/fail"
	crash = "/v1/crash"
	hang  = "/v1/hang"
)

// hung contains two channels for the verb hang. On began, the verb reports that it has begun. On
// ended, it reports the error of its context.
type hung struct {
	began chan struct{}
	ended chan error
}

func handlers(h *hung) []wire.Handler {
	return []wire.Handler{
		wire.Bind(verb[echoIn]("echo text"), func(ctx context.Context, call *wire.Call, in echoIn) (echoOut, error) {
			call.Warn("heard %d bytes", len(in.Text))
			at, _ := ctx.Deadline()
			if !at.Equal(call.Deadline) {
				return echoOut{}, fmt.Errorf("the context ends at %v, the call at %v", at, call.Deadline)
			}
			return echoOut{in.Text, in.Size, call.Session, call.Settings.Headed, time.Until(at).Milliseconds()}, nil
		}),
		wire.Bind(verb[echoIn]("fail"), func(_ context.Context, call *wire.Call, in echoIn) (echoOut, error) {
			call.Warn("about to fail")
			return echoOut{}, fmt.Errorf("failing: %w", wire.Errorf(wire.CodeStaleRef, "%s is gone", in.Text).WithHint("abrowser snapshot").With("ref", in.Text))
		}),
		wire.Bind(verb[verbs.Empty]("crash"), func(context.Context, *wire.Call, verbs.Empty) (echoOut, error) { panic("secret") }),
		wire.Bind(verb[verbs.Empty]("hang"), func(ctx context.Context, _ *wire.Call, _ verbs.Empty) (echoOut, error) {
			if h != nil {
				h.began <- struct{}{}
			}
			<-ctx.Done()
			if h != nil {
				h.ended <- ctx.Err()
			}
			return echoOut{}, ctx.Err()
		}),
	}
}

func helloOf(name string) func() wire.Hello {
	return func() wire.Hello {
		return wire.Hello{Name: name, Role: "daemon", Build: "b1", Protocol: wire.Protocol(), PID: 4711, Idle: true, Settings: wire.Settings{Headed: true}}
	}
}

// serve runs the server s at the endpoint p until the test ends. It returns a client of the server.
func serve(t *testing.T, p home.Endpoint, s *Server) *client.Client {
	t.Helper()
	listener, _ := listen(t, p)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := s.Serve(ctx, listener); err != nil {
			t.Errorf("Serve() = %v", err)
		}
	})
	t.Cleanup(func() { cancel(); wg.Wait() })
	return &client.Client{Endpoint: p, Session: p.Name}
}

func TestServe(t *testing.T) {
	p := newPlace(t, "a")
	var logged lockedBuffer
	c := serve(t, p, &Server{
		Hello: helloOf("a"), Handlers: handlers(nil), Build: "b1", Log: slog.New(slog.NewTextHandler(&logged, nil)),
		Extra: map[string]http.Handler{"GET /v1/session/{name}": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, r.PathValue("name"))
		})},
	})
	post := map[string]string{"Content-Type": "application/json"}
	tests := []struct {
		name         string
		method, path string
		head         map[string]string // headers in addition to the Content-Type
		body         string
		status       int
		want         string // a part of the body
	}{
		{"hello", "GET", "/v1/hello", nil, "", 200, `"pid":4711`},
		{"hello of any protocol", "GET", "/v1/hello", map[string]string{wire.HeaderProtocol: "99"}, "", 200, `"name":"a"`},
		{"hello by POST", "POST", "/v1/hello", nil, "{}", 405, `"bad_input"`},
		{"a verb", "POST", "/v1/echo/text", nil, `{"text":"x"}`, 200, `"text":"x","size":7,"session":"a"`},
		{"a warning", "POST", "/v1/echo/text", nil, `{"text":"x"}`, 200, `"warnings":["heard 1 bytes"]`},
		{"a charset", "POST", "/v1/echo/text", map[string]string{"Content-Type": "application/json; charset=utf-8"}, `{"text":"x"}`, 200, `"x"`},
		{"a web page", "POST", "/v1/echo/text", map[string]string{"Origin": "https://evil.example"}, `{"text":"x"}`, 403, `"forbidden"`},
		{"a local file's page", "POST", "/v1/echo/text", map[string]string{"Origin": "null"}, `{"text":"x"}`, 403, `"forbidden"`},
		{"a web page's hello", "GET", "/v1/hello", map[string]string{"Origin": "http://localhost"}, "", 403, `"forbidden"`},
		{"a web page's session", "GET", "/v1/session/a", map[string]string{"Origin": "http://localhost"}, "", 403, `"forbidden"`},
		{"a form", "POST", "/v1/echo/text", map[string]string{"Content-Type": "text/plain"}, `{"text":"x"}`, 415, `"bad_input"`},
		{"no type", "POST", "/v1/echo/text", map[string]string{"Content-Type": ""}, `{"text":"x"}`, 415, `"bad_input"`},
		{"a verb by GET", "GET", "/v1/echo/text", nil, "", 405, `"bad_input"`},
		{"an unknown verb", "POST", "/v1/dance", nil, "{}", 404, `"unknown_verb"`},
		{"an unknown path", "GET", "/../etc/passwd", nil, "", 404, `"unknown_verb"`},
		{"an unknown field", "POST", "/v1/echo/text", nil, `{"text":"x","txet":"y"}`, 400, `txet`},
		{"a missing field", "POST", "/v1/echo/text", nil, ``, 400, `text is missing`},
		{"a wrong type", "POST", "/v1/echo/text", nil, `{"text":1}`, 400, `"bad_input"`},
		{"not JSON", "POST", "/v1/echo/text", nil, `text=x`, 400, `"bad_input"`},
		{"two objects", "POST", "/v1/echo/text", nil, `{"text":"x"}{}`, 400, `"bad_input"`},
		{"too large", "POST", "/v1/echo/text", nil, `{"text":"` + strings.Repeat("x", wire.MaxRequest) + `"}`, 413, `"too_large"`},
		{"a coded error", "POST", "/v1/fail", nil, `{"text":"e1"}`, 404, `"stale_ref"`},
		{"a panic", "POST", "/v1/crash", nil, `{}`, 500, `"internal"`},
		{"another session", "POST", "/v1/echo/text", map[string]string{wire.HeaderSession: "b"}, `{"text":"x"}`, 409, `this is session a, not b`},
		{"a bad session", "POST", "/v1/echo/text", map[string]string{wire.HeaderSession: "../a"}, `{"text":"x"}`, 400, `"bad_input"`},
		{"its own session", "POST", "/v1/echo/text", map[string]string{wire.HeaderSession: "a"}, `{"text":"x"}`, 200, `"session":"a"`},
		{"another protocol", "POST", "/v1/echo/text", map[string]string{wire.HeaderProtocol: "2"}, `{"text":"x"}`, 409, `"build_differs"`},
		{"another build", "POST", "/v1/echo/text", map[string]string{wire.HeaderBuild: "b2"}, `{"text":"x"}`, 409, `"build_differs"`},
		{"the same build", "POST", "/v1/echo/text", map[string]string{wire.HeaderBuild: "b1"}, `{"text":"x"}`, 200, `"x"`},
		{"a bad agent", "POST", "/v1/echo/text", map[string]string{wire.HeaderAgent: "a b"}, `{"text":"x"}`, 400, `is not an agent`},
		{"a bad deadline", "POST", "/v1/echo/text", map[string]string{wire.HeaderDeadline: "soon"}, `{"text":"x"}`, 400, `"bad_input"`},
		{"bad settings", "POST", "/v1/echo/text", map[string]string{wire.HeaderSettings: "{"}, `{"text":"x"}`, 400, `"bad_input"`},
		{"settings", "POST", "/v1/echo/text", map[string]string{wire.HeaderSettings: `{"headed":true}`}, `{"text":"x"}`, 200, `"headed":true`},
		{"a path of Extra", "GET", "/v1/session/a", nil, "", 200, "a"},
		{"retire without Retire", "POST", "/v1/retire", nil, "{}", 404, `"unknown_verb"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := http.NewRequestWithContext(soon(t), tt.method, "http://x"+tt.path, strings.NewReader(tt.body))
			must(t, err)
			for _, head := range []map[string]string{post, tt.head} {
				for k, v := range head {
					r.Header.Set(k, v)
				}
			}
			transport := &http.Transport{
				DisableKeepAlives: true,
				DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return sockets.Dial(ctx, p) },
			}
			response, err := transport.RoundTrip(r)
			must(t, err)
			defer response.Body.Close()
			got, err := io.ReadAll(response.Body)
			must(t, err)
			if response.StatusCode != tt.status || !strings.Contains(string(got), tt.want) {
				t.Errorf("%s %s = %d %s, want %d with %s", tt.method, tt.path, response.StatusCode, got, tt.status, tt.want)
			}
			if strings.Contains(string(got), "secret") {
				t.Errorf("the response contains the value of the panic: %s", got)
			}
		})
	}
	if _, err := c.Hello(t.Context()); err != nil {
		t.Errorf("Hello() after these requests = %v", err)
	}
	if !strings.Contains(logged.String(), "verb=fail session=a code=stale_ref ms=") || strings.Contains(logged.String(), "xxx") {
		t.Errorf("the log is %.2000s", logged.String())
	}
}

func TestBrokerServesAllSessions(t *testing.T) {
	p := newPlace(t, "default")
	hello := helloOf("default")()
	hello.Role = "broker"
	c := serve(t, p, &Server{Hello: func() wire.Hello { return hello }, Handlers: handlers(nil)})
	c.Session = "task_1"
	reply, err := c.Call(t.Context(), spec(echo), echoIn{Text: "x"})
	if err != nil || !strings.Contains(string(reply.Data), `"session":"task_1"`) {
		t.Errorf("Call() = %s, %v", reply.Data, err)
	}
}

func TestRetire(t *testing.T) {
	p := newPlace(t, "a")
	var busy atomic.Bool
	c := serve(t, p, &Server{Hello: helloOf("a"), Build: "b1", Retire: func() error {
		if busy.Load() {
			return wire.Errorf(wire.CodeBusy, "click runs")
		}
		return nil
	}})
	c.Build = "b2" // a client asks a server to retire because the builds differ
	busy.Store(true)
	if err := c.Retire(t.Context()); !errors.Is(err, wire.CodeBusy) {
		t.Errorf("Retire() of a busy server = %v, want %s", err, wire.CodeBusy)
	}
	busy.Store(false)
	if err := c.Retire(t.Context()); err != nil {
		t.Errorf("Retire() = %v", err)
	}
}

func TestGarbageDoesNoHarm(t *testing.T) {
	p := newPlace(t, "a")
	c := serve(t, p, &Server{Hello: helloOf("a"), Handlers: handlers(nil)})
	big := bytes.Repeat([]byte{0xde, 0xad, 0xbe, 0xef, '\n'}, 2<<20)
	head := "POST /v1/echo/text HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
	tests := map[string][]byte{
		"noise":               big,
		"one endless line":    bytes.Repeat([]byte("x"), 10<<20),
		"an endless head":     append([]byte("GET /v1/hello HTTP/1.1\r\nHost: x\r\nX: "), bytes.Repeat([]byte("x"), 10<<20)...),
		"a body of noise":     append([]byte(head+"Content-Length: "+strconv.Itoa(len(big))+"\r\n\r\n"), big...),
		"an endless chunk":    append([]byte(head+"Transfer-Encoding: chunked\r\n\r\nA00000\r\n"), big...),
		"TLS":                 append([]byte{0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc}, big...),
		"HTTP/2":              []byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
		"no length":           []byte(head + "Content-Length: -1\r\n\r\n"),
		"two lengths":         []byte(head + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}"),
		"half a body, hangup": []byte(head + "Content-Length: 100\r\n\r\n{"),
	}
	for name, garbage := range tests {
		t.Run(name, func(t *testing.T) {
			conn, err := sockets.Dial(t.Context(), p)
			must(t, err)
			defer conn.Close()
			must(t, conn.SetDeadline(time.Now().Add(30*time.Second)))
			_, _ = conn.Write(garbage) // fails if the server closes the connection early
			_ = conn.(*net.UnixConn).CloseWrite()
			line, err := bufio.NewReader(conn).ReadString('\n')
			if errors.Is(err, os.ErrDeadlineExceeded) || strings.Contains(line, " 200 ") {
				t.Errorf("the response to garbage is %q, %v", line, err)
			}
			if _, err := c.Hello(soon(t)); err != nil {
				t.Errorf("Hello() afterwards = %v", err)
			}
		})
	}
}

func TestRequestSizeIsLimited(t *testing.T) {
	p := newPlace(t, "a")
	serve(t, p, &Server{Hello: helloOf("a"), Handlers: handlers(nil)})
	const enough = 64 << 20
	chunk := append([]byte("100000\r\n"), append(bytes.Repeat([]byte(" "), 1<<20), '\r', '\n')...)
	for name, tt := range map[string]struct {
		begin string
		more  []byte
	}{
		"head": {"GET /v1/hello HTTP/1.1\r\nHost: x\r\n", []byte("X: " + strings.Repeat("x", 1000) + "\r\n")},
		"body": {"POST /v1/echo/text HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n", chunk},
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := sockets.Dial(t.Context(), p)
			must(t, err)
			defer conn.Close()
			must(t, conn.SetDeadline(time.Now().Add(30*time.Second)))
			_, err = io.WriteString(conn, tt.begin)
			must(t, err)
			sent := 0
			for err == nil && sent < enough {
				var n int
				n, err = conn.Write(tt.more)
				sent += n
			}
			if sent >= enough || errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("the server read %d bytes (%v)", sent, err)
			}
		})
	}
}

// When a server ends, it closes its idle connections before it sends the last response. When that
// response arrives, all other clients are therefore already disconnected.
func TestIdleConnectionsCloseBeforeTheLastResponse(t *testing.T) {
	p := newPlace(t, "a")
	h := &hung{make(chan struct{}, 1), make(chan error, 1)}
	kept := client.Client{Endpoint: p}.KeepAlive()
	defer kept.Close()
	held := make(chan bool, 1)
	s := &Server{Hello: helloOf("a"), Handlers: handlers(h), Grace: 500 * time.Millisecond, OnIdleConnsClosed: func() {
		// If the request on the connection has only just been answered, net/http may not count
		// the connection as idle yet. It closes the connection a moment later, but still before
		// the last request is answered.
		still := kept.IsConnected()
		for end := time.Now().Add(250 * time.Millisecond); still && time.Now().Before(end); still = kept.IsConnected() {
			time.Sleep(5 * time.Millisecond)
		}
		held <- still
	}}
	listener, l := listen(t, p)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, listener) }()
	if _, err := kept.Hello(soon(t)); err != nil || !kept.IsConnected() {
		t.Fatalf("the connection is not kept open: %v", err)
	}
	go func() { _, _ = (&client.Client{Endpoint: p}).Call(context.WithoutCancel(ctx), spec(hang), nil) }() // the server cancels it
	<-h.began
	cancel()
	if <-held {
		t.Error("the idle connection is open after the server has closed its idle connections")
	}
	<-h.ended
	if err := <-ended; err != nil {
		t.Errorf("Serve() = %v", err)
	}
	must(t, sockets.Unlink(p, l))
}

func TestServeEnds(t *testing.T) {
	p := newPlace(t, "a")
	h := &hung{make(chan struct{}, 1), make(chan error, 1)}
	s := &Server{Hello: helloOf("a"), Handlers: handlers(h), Grace: 500 * time.Millisecond}
	listener, l := listen(t, p)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, listener) }()
	answered := make(chan error, 1)
	go func() {
		_, err := (&client.Client{Endpoint: p}).Call(soon(t), spec(hang), nil)
		answered <- err
	}()
	<-h.began
	cancel()
	if err := <-h.ended; err == nil {
		t.Error("the running verb was not cancelled")
	}
	if err := <-ended; err != nil {
		t.Errorf("Serve() = %v", err)
	}
	if err := <-answered; err == nil {
		t.Error("the client of a cancelled verb got no error")
	}
	must(t, sockets.Unlink(p, l))
	if _, err := sockets.Dial(t.Context(), p); !errors.Is(err, wire.CodeNotRunning) {
		t.Errorf("Dial() afterwards = %v, want %s", err, wire.CodeNotRunning)
	}
}

// lockedBuffer is a log that can be read while it is written.
type lockedBuffer struct {
	mu  sync.Mutex // guards buf
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// spec returns the description of the verb at path.
func spec(path string) wire.Spec { return wire.Spec{Name: strings.TrimPrefix(path, "/v1/")} }
