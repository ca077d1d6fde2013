package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/abrowser/abrowser/sockets/server"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// serve runs a server with the given handlers until the test ends, and returns a client of it.
func serve(t *testing.T, handlers ...wire.Handler) *Client {
	t.Helper()
	e := newEndpoint(t, "a")
	l, _ := listen(t, e)
	ctx, cancel := context.WithCancel(context.Background())
	s := &server.Server{
		Hello:    func() wire.Hello { return wire.Hello{Name: "a", Role: "daemon", Protocol: wire.Protocol()} },
		Handlers: handlers,
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := s.Serve(ctx, l); err != nil {
			t.Errorf("Serve() = %v", err)
		}
	})
	t.Cleanup(func() { cancel(); wg.Wait() })
	c := Client{Endpoint: e, Session: "a"}.KeepAlive()
	t.Cleanup(func() { c.Close() })
	return c
}

func TestDo(t *testing.T) {
	c := serve(t,
		wire.Bind(verbs.Click, func(_ context.Context, call *wire.Call, in verbs.ClickIn) (verbs.ClickOut, error) {
			call.Warn("clicking")
			if in.Selector == "#gone" {
				return verbs.ClickOut{}, wire.Errorf(wire.CodeNotFound, "no element matches %q", in.Selector).WithHint("abrowser snapshot")
			}
			return verbs.ClickOut{}, nil
		}),
		wire.Bind(verbs.GetTitle, func(context.Context, *wire.Call, verbs.TabIn) (verbs.GetTitleOut, error) {
			return verbs.GetTitleOut{Title: "Seite <1>"}, nil
		}),
	)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	title, _, err := Do(ctx, c, verbs.GetTitle, verbs.TabIn{})
	if err != nil || title.Title != "Seite <1>" {
		t.Errorf("Do(get title) = %+v, %v", title, err)
	}
	if _, warnings, err := Do(ctx, c, verbs.Click, verbs.ClickIn{Element: verbs.Element{Selector: "#buy"}}); err != nil || len(warnings) != 1 {
		t.Errorf("Do(click) = %q, %v, want one warning", warnings, err)
	}
	_, warnings, err := Do(ctx, c, verbs.Click, verbs.ClickIn{Element: verbs.Element{Selector: "#gone"}})
	if !errors.Is(err, wire.CodeNotFound) || wire.AsError(err).Hint != "abrowser snapshot" || len(warnings) != 1 {
		t.Errorf("Do(click #gone) = %q, %v, want a warning and %s", warnings, err, wire.CodeNotFound)
	}
	if _, _, err := Do(ctx, c, verbs.Back, verbs.StepIn{}); !errors.Is(err, wire.CodeUnknownVerb) {
		t.Errorf("Do(back) = %v, want %s", err, wire.CodeUnknownVerb)
	}
	if hello, err := c.Hello(ctx); err != nil || hello.Name != "a" {
		t.Errorf("Hello() = %+v, %v", hello, err)
	}
}

func TestCall(t *testing.T) {
	c := serve(t, wire.Bind(verbs.GetTitle, func(_ context.Context, call *wire.Call, _ verbs.TabIn) (verbs.GetTitleOut, error) {
		call.Warn("slow")
		return verbs.GetTitleOut{Title: "one"}, nil
	}))
	for _, body := range []json.RawMessage{nil, json.RawMessage("{}"), json.RawMessage(" { } ")} {
		reply, err := c.Call(t.Context(), verbs.GetTitle.Spec, body)
		if err != nil || !strings.Contains(string(reply.Data), `"one"`) || len(reply.Warnings) != 1 {
			t.Errorf("Call(%s) = %+v, %v", body, reply, err)
		}
	}
	reply, err := c.Call(t.Context(), verbs.GetTitle.Spec, json.RawMessage(`{"x":1}`))
	if !errors.Is(err, wire.CodeBadInput) || reply.Error == nil {
		t.Errorf("Call() = %+v, %v, want %s in both", reply, err, wire.CodeBadInput)
	}
}

// TestLostResponse checks that, if the response is lost, the error's code says whether the verb may
// be repeated. The verb "get title" may be repeated, and the verb "reload" may not.
func TestLostResponse(t *testing.T) {
	e := newEndpoint(t, "a")
	l, _ := listen(t, e)
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			if r, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
				_, _ = io.Copy(io.Discard, r.Body)
			}
			fmt.Fprint(conn, "HTTP/1.1 200 OK\r\n")
			conn.Close()
		}
	})
	t.Cleanup(func() { l.Close(); wg.Wait() })
	c := Client{Endpoint: e}.KeepAlive()
	defer c.Close()
	_, _, read := Do(t.Context(), c, verbs.GetTitle, verbs.TabIn{})
	_, _, acted := Do(t.Context(), c, verbs.Reload, verbs.StepIn{})
	_, rawRead := c.Call(t.Context(), verbs.GetTitle.Spec, nil)
	_, rawActed := c.Call(t.Context(), verbs.Reload.Spec, nil)
	for name, tt := range map[string]struct {
		err  error
		want wire.Code
	}{
		"Do(get title)":   {read, wire.CodeNotRunning},
		"Do(reload)":      {acted, wire.CodeResultUnknown},
		"Call(get title)": {rawRead, wire.CodeNotRunning},
		"Call(reload)":    {rawActed, wire.CodeResultUnknown},
	} {
		if !errors.Is(tt.err, tt.want) {
			t.Errorf("%s = %v, want %s", name, tt.err, tt.want)
		}
	}
}

func TestNoServer(t *testing.T) {
	e := newEndpoint(t, "a")
	l, _ := listen(t, e)
	l.Close()
	c := Client{Endpoint: e}.KeepAlive()
	defer c.Close()
	if _, _, err := Do(t.Context(), c, verbs.Reload, verbs.StepIn{}); !errors.Is(err, wire.CodeNotRunning) {
		t.Errorf("Do() = %v, want %s", err, wire.CodeNotRunning)
	}
}
