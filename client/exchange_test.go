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

// unreliable is a server that does one thing to each connection.
func unreliable(t *testing.T, treat func(conn net.Conn, r *bufio.Reader)) *Client {
	t.Helper()
	p := newPlace(t, "a")
	listener, _ := listen(t, p)
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
	return &Client{Endpoint: p}
}

func take(r *bufio.Reader) {
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
		{"after the request", func(_ net.Conn, r *bufio.Reader) { take(r) }, wire.CodeResultUnknown, wire.CodeNotRunning, false},
		{
			"in the answer", func(conn net.Conn, r *bufio.Reader) { take(r); fmt.Fprint(conn, okHead+"100\r\n\r\n{") },
			wire.CodeResultUnknown, wire.CodeNotRunning, false,
		},
		{"never an answer", func(conn net.Conn, r *bufio.Reader) { take(r); _, _ = r.ReadByte() }, wire.CodeResultUnknown, wire.CodeTimeout, true},
		{"another's answer", func(conn net.Conn, r *bufio.Reader) { take(r); fmt.Fprint(conn, okHead+"2\r\n\r\nhi") }, wire.CodeInternal, wire.CodeInternal, false},
		{"no answer of HTTP", func(conn net.Conn, r *bufio.Reader) { take(r); fmt.Fprint(conn, "hi\n\n") }, wire.CodeResultUnknown, wire.CodeNotRunning, false},
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
					t.Errorf("= %v, want %s", err, want)
				}
				cancel()
			}
		})
	}
}

func TestNothingIsDoneBeforeTheRequestIsWhole(t *testing.T) {
	c := unreliable(t, func(_ net.Conn, r *bufio.Reader) { _, _ = r.ReadByte() })
	_, err := c.Call(soon(t), wire.Spec{Name: "click"}, map[string]string{"text": strings.Repeat("x", 4<<20)}) // more than a socket buffers
	if !errors.Is(err, wire.CodeNotRunning) {
		t.Errorf("Call() = %v, want %s", err, wire.CodeNotRunning)
	}
}

// A caller that cancels a request has the answer to it, which says whether it was done.
// Only for a request that reads, and with a cause, the answer is not waited for.
func TestCancelledRequests(t *testing.T) {
	const answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
	errCause := errors.New("the server is known to be silent")
	tests := []struct {
		name     string
		answers  bool
		reads    bool
		cause    error
		want     wire.Code // empty is success
		from, to time.Duration
	}{
		{name: "answered", answers: true, to: leaveTime},
		{name: "not answered", want: wire.CodeResultUnknown, from: leaveTime, to: 4 * leaveTime},
		{name: "a read", reads: true, want: wire.CodeInterrupted, to: leaveTime},
		{name: "with a cause", cause: errCause, want: wire.CodeResultUnknown, to: leaveTime},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			taken, over := make(chan struct{}), make(chan struct{})
			c := unreliable(t, func(conn net.Conn, r *bufio.Reader) {
				take(r)
				close(taken)
				_, err := r.ReadByte() // the caller leaves
				if err == nil {
					t.Error("the caller sent more than its request")
				}
				if tt.answers {
					fmt.Fprint(conn, answer)
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
				t.Errorf("= %v, want %q", err, tt.want)
			}
			if took < tt.from || took > tt.to {
				t.Errorf("it took %v, want %v to %v", took, tt.from, tt.to)
			}
		})
	}
}
