package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

func TestCall(t *testing.T) {
	p := newPlace(t, "a")
	c := serve(t, p, &Server{Hello: helloOf("a"), Handlers: handlers(nil)})
	c.Settings.Headed = true
	for _, caller := range []*client.Client{c, c.KeepAlive()} {
		for range 3 {
			reply, err := caller.Call(soon(t), spec(echo), echoIn{Text: "<ä>\n"})
			must(t, err)
			var out echoOut
			must(t, json.Unmarshal(reply.Data, &out))
			if out.Text != "<ä>\n" || out.Size != 7 || out.Session != "a" || !out.Headed || len(reply.Warnings) != 1 {
				t.Errorf("Call() = %+v %q", out, reply.Warnings)
			}
			if out.Left < 5000 || out.Left >= 19_800 {
				t.Errorf("the handler has %d ms left, want a little less than the client's 20000", out.Left)
			}
		}
		must(t, caller.Close())
	}
}

func TestErrorsCrossTheSocket(t *testing.T) {
	p := newPlace(t, "a")
	c := serve(t, p, &Server{Hello: helloOf("a"), Handlers: handlers(nil)})
	reply, err := c.Call(soon(t), spec(fail), echoIn{Text: "e1"})
	if !errors.Is(fmt.Errorf("clicking: %w", err), wire.CodeStaleRef) || errors.Is(err, wire.CodeNotFound) {
		t.Errorf("Call() = %v, want %s", err, wire.CodeStaleRef)
	}
	got := wire.AsError(err)
	if got.Message != "failing: e1 is gone" || got.Hint != "abrowser snapshot" || got.Details["ref"] != "e1" || reply.Error == nil || len(reply.Warnings) != 1 {
		t.Errorf("Call() = %+v, %+v", got, reply)
	}
	for path, code := range map[string]wire.Code{
		"/v1/dance": wire.CodeUnknownVerb, "/v1/ä": wire.CodeUnknownVerb, "/v1/a\r\nX: y": wire.CodeUnknownVerb, crash: wire.CodeInternal,
	} {
		if _, err := c.Call(soon(t), spec(path), nil); !errors.Is(err, code) {
			t.Errorf("Call(%q) = %v, want %s", path, err, code)
		}
	}
	if _, err := c.Call(t.Context(), spec(echo), echoIn{Text: strings.Repeat("x", wire.MaxRequest)}); !errors.Is(err, wire.CodeTooLarge) {
		t.Errorf("Call() with too much = %v, want %s", err, wire.CodeTooLarge)
	}
	if _, err := (&client.Client{Endpoint: newPlace(t, "b")}).Call(t.Context(), spec(echo), nil); !errors.Is(err, wire.CodeNotRunning) {
		t.Errorf("Call() without a server = %v, want %s", err, wire.CodeNotRunning)
	}
}

func TestDisconnectCancelsTheVerb(t *testing.T) {
	p := newPlace(t, "a")
	h := &hung{make(chan struct{}, 1), make(chan error, 1)}
	c := serve(t, p, &Server{Hello: helloOf("a"), Handlers: handlers(h)})
	for name, caller := range map[string]*client.Client{"once": c, "kept alive": c.KeepAlive()} {
		ctx, cancel := context.WithCancel(t.Context())
		answered := make(chan error, 1)
		go func() {
			_, err := caller.Call(ctx, spec(hang), nil)
			answered <- err
		}()
		<-h.began
		cancel()
		if err := <-answered; !errors.Is(err, wire.CodeInterrupted) {
			t.Errorf("%s: Call() = %v, want %s", name, err, wire.CodeInterrupted)
		}
		select {
		case err := <-h.ended:
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: the context of the verb ended with %v, want context.Canceled", name, err)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("%s: the verb still runs after its client has disconnected", name)
		}
		if _, err := caller.Hello(soon(t)); err != nil {
			t.Errorf("%s: Hello() afterwards = %v", name, err)
		}
		must(t, caller.Close())
	}
}

func TestDeadlines(t *testing.T) {
	p := newPlace(t, "a")
	c := serve(t, p, &Server{Hello: helloOf("a"), Handlers: handlers(nil)})
	brief, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond)
	defer cancel()
	// The server's deadline is before the client's, so the server responds in time.
	_, err := c.Call(brief, spec(hang), nil)
	if !errors.Is(err, wire.CodeTimeout) || brief.Err() != nil {
		t.Errorf("Call() = %v and the client's context has %v, want %s from the server", err, brief.Err(), wire.CodeTimeout)
	}
}

func TestKeepAlive(t *testing.T) {
	p := newPlace(t, "a")
	s := &Server{Hello: helloOf("a"), Handlers: handlers(nil)}
	ctx, cancel := context.WithCancel(t.Context())
	l, err := sockets.TryAcquire(p.Lock)
	must(t, err)
	defer l.Close()
	listener, err := sockets.Listen(p, l)
	must(t, err)
	counted := &countingListener{Listener: listener}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, counted) }()
	c := (&client.Client{Endpoint: p}).KeepAlive()
	defer c.Close()
	if c.IsConnected() {
		t.Error("IsConnected() = true before the first call")
	}
	for range 5 {
		_, err := c.Call(soon(t), spec(echo), echoIn{Text: "x"})
		must(t, err)
		if !c.IsConnected() || (&client.Client{Endpoint: p}).IsConnected() {
			t.Error("IsConnected() = false after a call, or true for a client without KeepAlive")
		}
	}
	if n := counted.count(); n != 1 {
		t.Errorf("five calls made %d connections, want 1", n)
	}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if _, err := c.Call(soon(t), spec(echo), echoIn{Text: "x"}); err != nil {
				t.Errorf("Call() = %v", err)
			}
		})
	}
	wg.Wait()
	cancel()
	must(t, <-ended)
	if c.IsConnected() {
		t.Error("IsConnected() = true after the server has ended")
	}
	// When the daemon is replaced, the client connects again at the same endpoint.
	second, err := sockets.Listen(p, l)
	must(t, err)
	again, stop := context.WithCancel(t.Context())
	go func() { ended <- s.Serve(again, second) }()
	if _, err := c.Call(soon(t), spec(echo), echoIn{Text: "x"}); err != nil {
		t.Errorf("Call() to the successor = %v", err)
	}
	stop()
	must(t, <-ended)
}

type countingListener struct {
	net.Listener
	mu sync.Mutex // guards n
	n  int
}

func (l *countingListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		l.n++
	}
	return conn, err
}

func (l *countingListener) count() int { l.mu.Lock(); defer l.mu.Unlock(); return l.n }

func BenchmarkCall(b *testing.B) {
	dir := b.TempDir()
	p := home.Endpoint{Name: "a", Socket: dir + "/s", Lock: dir + "/l"}
	l, err := sockets.TryAcquire(p.Lock)
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	listener, err := sockets.Listen(p, l)
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	var wg sync.WaitGroup
	s := &Server{Hello: helloOf("a"), Handlers: handlers(nil)}
	wg.Go(func() { _ = s.Serve(ctx, listener) })
	defer wg.Wait()
	defer cancel()
	once := &client.Client{Endpoint: p}
	kept := once.KeepAlive()
	defer kept.Close()
	b.Run("dial", func(b *testing.B) {
		for b.Loop() {
			conn, err := sockets.Dial(ctx, p)
			if err != nil {
				b.Fatal(err)
			}
			conn.Close()
		}
	})
	for name, c := range map[string]*client.Client{"once": once, "kept": kept} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Call(ctx, spec(echo), echoIn{Text: "x"}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
