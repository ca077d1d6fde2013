//go:build linux

package main_test

import (
	"context"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
)

// A hundred clients of one session read nothing. Four of them send as fast as they can, and a third
// of the others each sends nothing, half a message, or half a request. The command `abrowser cdp`
// and the broker need little memory for them, and soon little processor time, so that another
// session goes on.
func TestCDPCrowd(t *testing.T) {
	s, h := site.Start(t), e2e.NewHome(t)
	h.Text(t, "b", "open", s.URL("/page/other"))
	neighbour := e2e.DialCDP(t, h.StartCDP(t, "b").URL)
	page := attach(t, neighbour)
	pace := func() time.Duration {
		var all []time.Duration
		for range 200 {
			began := time.Now()
			titleOf(neighbour, page)
			all = append(all, time.Since(began))
		}
		slices.Sort(all)
		return all[len(all)/2]
	}
	server := h.StartCDP(t, "a")
	at, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	broker := h.Of(e2e.KindBroker)[0]
	command := e2e.Process{PID: server.Process.Process.Pid}
	alone, before := pace(), broker.Memory()+command.Memory()
	crowd, cancel := context.WithCancel(t.Context())
	defer cancel()
	const third, floods = 32, 4
	for i := range third {
		half, err := (&net.Dialer{}).DialContext(crowd, "tcp", at.Host)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { half.Close() })
		_, _ = io.WriteString(half, "GET "+at.Path+" HTTP/1.1\r\n") // it is refused if this fails
		var conns []*websocket.Conn
		for range 2 {
			conn, _, err := websocket.Dial(crowd, server.URL, nil) //nolint:bodyclose // the dialer has closed it
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = conn.CloseNow() })
			conns = append(conns, conn)
		}
		begun, err := conns[0].Writer(crowd, websocket.MessageText)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(begun, `{"id":1,"method":"Runtime.evaluate","params":{"expression":"`+strings.Repeat("x", 64<<10))
		if i >= floods {
			continue
		}
		flood, _, err := websocket.Dial(crowd, server.URL, nil) //nolint:bodyclose // the dialer has closed it
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = flood.CloseNow() })
		go func() {
			for flood.Write(crowd, websocket.MessageText, []byte(`{"id":1,"method":"Target.getTargets"}`)) == nil {
			}
		}()
	}
	used := func() time.Duration {
		before := broker.ProcessorTime()
		time.Sleep(time.Second) // the test measures the processor time of one second
		return broker.ProcessorTime() - before
	}
	// The connections first buffer the responses that nobody reads.
	if !e2e.Await(e2e.CommandDeadline, func() bool { return used() < 300*time.Millisecond }) {
		t.Errorf("100 clients keep the broker busy: it uses %v of processor time in a second", used())
	}
	beside := pace()
	grown := (broker.Memory() + command.Memory() - before) / 1000
	if grown > 128 {
		t.Errorf("100 clients need %d MB", grown)
	}
	t.Logf("a call takes %v alone and %v beside 100 clients, which need %d MB", alone, beside, grown)
	cancel()
	if got := h.Text(t, "a", "open", s.URL("/page/first")); got == "" {
		t.Error("after that, the session does not work")
	}
}
