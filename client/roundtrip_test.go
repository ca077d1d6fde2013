package client

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

// unreliable starts a server and returns a client of it. For each connection, the server calls the
// function treat and then closes the connection.
func unreliable(t *testing.T, treat func(conn net.Conn, r *bufio.Reader)) *Client {
	t.Helper()
	e := newEndpoint(t, "a")
	listener, _ := listen(t, e)
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			treat(conn, bufio.NewReader(conn))
			conn.Close()
		}
	})
	t.Cleanup(func() { listener.Close(); wg.Wait() })
	return &Client{Endpoint: e}
}

// readRequest reads a whole request.
func readRequest(r *bufio.Reader) {
	if request, err := http.ReadRequest(r); err == nil {
		_, _ = io.Copy(io.Discard, request.Body)
	}
}

func TestLostConnections(t *testing.T) {
	const okHead = "HTTP/1.1 200 OK\r\nContent-Length: "
	tests := []struct {
		name       string
		treat      func(conn net.Conn, r *bufio.Reader)
		call, read wire.Code
		timesOut   bool
	}{
		{"after the request", func(_ net.Conn, r *bufio.Reader) { readRequest(r) }, wire.CodeResultUnknown, wire.CodeNotRunning, false},
		{
			"during the response", func(conn net.Conn, r *bufio.Reader) { readRequest(r); fmt.Fprint(conn, okHead+"100\r\n\r\n{") },
			wire.CodeResultUnknown, wire.CodeNotRunning, false,
		},
		{"no response", func(conn net.Conn, r *bufio.Reader) { readRequest(r); _, _ = r.ReadByte() }, wire.CodeResultUnknown, wire.CodeTimeout, true},
		{"a response that is not JSON", func(conn net.Conn, r *bufio.Reader) { readRequest(r); fmt.Fprint(conn, okHead+"2\r\n\r\nhi") }, wire.CodeInternal, wire.CodeInternal, false},
		{"a response that is not HTTP", func(conn net.Conn, r *bufio.Reader) { readRequest(r); fmt.Fprint(conn, "hi\n\n") }, wire.CodeResultUnknown, wire.CodeNotRunning, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := unreliable(t, tt.treat)
			patience := 20 * time.Second
			if tt.timesOut {
				patience = 500 * time.Millisecond
			}
			for want, verb := range map[wire.Code]wire.Spec{tt.call: {Name: "click"}, tt.read: {Name: "click", ReadOnly: true}} {
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				if _, err := c.Call(ctx, verb, nil); !errors.Is(err, want) {
					t.Errorf("Call() = %v, want %s", err, want)
				}
				cancel()
			}
		})
	}
}

func TestConnectionLostWhileSending(t *testing.T) {
	c := unreliable(t, func(_ net.Conn, r *bufio.Reader) { _, _ = r.ReadByte() })
	_, err := c.Call(soon(t), wire.Spec{Name: "click"}, map[string]string{"text": strings.Repeat("x", 4<<20)}) // more than a socket's buffers hold
	if !errors.Is(err, wire.CodeNotRunning) {
		t.Errorf("Call() = %v, want %s", err, wire.CodeNotRunning)
	}
}

// TestCancelledRequests checks that a client that cancels a request still waits for the response,
// which says whether the request was carried out. The client does not wait if the request is
// read-only or the cancellation has a cause.
func TestCancelledRequests(t *testing.T) {
	const okResponse = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
	errCause := errors.New("the server is known to be stopped")
	tests := []struct {
		name     string
		responds bool
		reads    bool
		cause    error
		want     wire.Code // empty for success
		from, to time.Duration
	}{
		{name: "a response", responds: true, to: cancelWait},
		{name: "no response", want: wire.CodeResultUnknown, from: cancelWait, to: 4 * cancelWait},
		{name: "read-only", reads: true, want: wire.CodeInterrupted, to: cancelWait},
		{name: "with a cause", cause: errCause, want: wire.CodeResultUnknown, to: cancelWait},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			taken, over := make(chan struct{}), make(chan struct{})
			c := unreliable(t, func(conn net.Conn, r *bufio.Reader) {
				readRequest(r)
				close(taken)
				_, err := r.ReadByte() // returns when the client has closed its sending side
				if err == nil {
					t.Error("the client sent more than its request")
				}
				if tt.responds {
					fmt.Fprint(conn, okResponse)
				}
				<-over
			})
			defer close(over)
			ctx, cancel := context.WithCancelCause(t.Context())
			go func() { <-taken; cancel(tt.cause) }()
			began := time.Now()
			_, err := c.Call(ctx, wire.Spec{Name: "click", ReadOnly: tt.reads}, nil)
			took := time.Since(began)
			if tt.want == "" && err != nil || tt.want != "" && !errors.Is(err, tt.want) {
				t.Errorf("Call() = %v, want %q", err, tt.want)
			}
			if took < tt.from || took > tt.to {
				t.Errorf("Call() took %v, want %v to %v", took, tt.from, tt.to)
			}
		})
	}
}

// TestRefusedWhileSending checks that the client reports a refusal that the server sent before it
// had read the whole request. The server has closed the connection, so the client could not send
// the rest of the request.
func TestRefusedWhileSending(t *testing.T) {
	c := unreliable(t, func(conn net.Conn, r *bufio.Reader) {
		_, _ = r.ReadByte()
		const body = `{"error":{"code":"build_differs","message":"another build"}}`
		fmt.Fprintf(conn, "HTTP/1.1 409 Conflict\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	})
	_, err := c.Call(soon(t), wire.Spec{Name: "click"}, map[string]string{"text": strings.Repeat("x", 4<<20)}) // more than a socket's buffers hold
	if !errors.Is(err, wire.CodeBuildDiffers) {
		t.Errorf("Call() = %v, want %s", err, wire.CodeBuildDiffers)
	}
}
