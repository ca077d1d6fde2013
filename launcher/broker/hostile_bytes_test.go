package broker

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/abrowser/abrowser/sockets/wire"
)

// A message that is invalid, or that two parsers could read differently, is answered with an
// error. The next message is handled as usual.
func TestInvalidMessages(t *testing.T) {
	t.Parallel()
	r := start(t, wire.Settings{})
	page := r.connect("victim").open()
	hostile := r.connect("hostile")
	own := hostile.open()
	on := `"sessionId":"` + own.session + `"`
	conn := r.bare("hostile")
	for _, tt := range []struct{ name, message, want string }{
		{"empty", "", `"error"`},
		{"a list", `[{"id":1,"method":"Target.getTargets"}]`, `"error"`},
		{"half", `{"id":1,"method":"Target.getTar`, `"error"`},
		{"two in one", `{"id":1,"method":"Target.getTargets"}{"id":2,"method":"Target.getTargets"}`, `"error"`},
		{"two with a NUL", `{"id":1,"method":"Target.getTargets"}` + "\x00" + `{"id":2,"method":"Target.getTargets"}`, `"error"`},
		{"a NUL in a string", `{"id":1,"method":"Target.getTargetInfo","params":{"targetId":"` + "\x00" + `"}}`, `"error"`},
		{"a NUL in a method", `{"id":1,"method":"Schema.get` + "\x00" + `Domains"}`, `"error"`},
		{"no id", `{"method":"Target.getTargets"}`, `"error"`},
		{"an id in quotes", `{"id":"1","method":"Target.getTargets"}`, `"error"`},
		{"a broken id", `{"id":1.5,"method":"Target.getTargets"}`, `"error"`},
		{"an id with an exponent", `{"id":1e3,"method":"Target.getTargets"}`, `"error"`},
		{"a large id", `{"id":4294967297,"method":"Target.getTargets"}`, `"error"`},
		{"a null id", `{"id":null,"method":"Target.getTargets"}`, `"error"`},
		{"an id twice", `{"id":1,"id":2,"method":"Target.getTargets"}`, `"error"`},
		{"a method twice", `{"id":1,"method":"Target.getTargets","method":"Browser.close"}`, `"error"`},
		{"a method with an escape", `{"id":1,"method":"Browser.clos\u0065"}`, `"error"`},
		{"no method", `{"id":1}`, `"error"`},
		{"an empty method", `{"id":1,"method":""}`, `"error"`},
		{"a method without a domain", `{"id":1,"method":"close"}`, `"error"`},
		{"params that are a list", `{"id":1,"method":"Target.getTargets","params":[]}`, `"error"`},
		{"too deep", `{"id":1,"method":"Target.getTargets","params":{"x":` + strings.Repeat(`[`, 5000) + strings.Repeat(`]`, 5000) + `}}`, `"error"`},
		{"invalid UTF-8", `{"id":1,"method":"Runtime.evaluate","params":{"expression":"'` + "\xff\xfe" + `'"},` + on + `}`, `"error"`},
		{"invalid UTF-8 in a method", `{"id":1,"method":"Runtime.` + "\xff" + `"}`, `"error"`},
		{"an unknown session", `{"id":1,"method":"Page.enable","sessionId":"` + strings.Repeat("A", 32) + `"}`, `-32001`},
		{"another client's session", `{"id":1,"method":"Page.enable",` + on + `}`, `-32001`},
		{"a negative id", `{"id":-7,"method":"Target.getTargets"}`, `"id":-7,"result"`},
		{"an escaped NUL", `{"id":9,"method":"Target.getTargets","params":{"filter":[{"type":"\u0000"}]}}`, `"id":9,"result"`},
	} {
		conn.send(websocket.MessageText, tt.message)
		if got := conn.read(); !strings.Contains(got, tt.want) || strings.Contains(got, page.target) {
			t.Errorf("%s: the response is %.300s, want %s", tt.name, got, tt.want)
		}
	}
	conn.send(websocket.MessageBinary, `{"id":1,"method":"Browser.close"}`) // binary messages are ignored
	for range 3 {
		conn.send(websocket.MessageText, `{"id":5,"method":"Browser.getVersion"}`)
	}
	for range 3 {
		if got := conn.read(); !strings.HasPrefix(got, `{"id":5,"result"`) {
			t.Errorf("the response to one of three calls with one id is %.300s", got)
		}
	}
	if got := page.eval("6*7") + own.eval("6*7"); got != "4242" {
		t.Errorf("afterwards 6*7 is %s in the two pages", got)
	}
}

// A connection that never becomes a valid client has no effect on others.
func TestInvalidConnections(t *testing.T) {
	t.Parallel()
	r := start(t, wire.Settings{})
	page := r.connect("victim").open()
	_, before := r.pids()
	opened := "GET " + wire.PathSession + "hostile HTTP/1.1\r\nHost: x\r\n"
	asked := opened + "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
	long := binary.BigEndian.AppendUint64([]byte{0x81, 0xff}, 1<<63-1)
	t.Run("all", func(t *testing.T) {
		for _, tt := range []struct {
			name, bytes string
			ends        bool // the broker closes the connection, and the test waits for that
		}{
			{"nothing", "", false},
			{"not HTTP", "\x00\x01\x02\x03\r\n\r\n", true},
			{"half a head", opened, false},
			{"an endless head", opened + "X: " + strings.Repeat("x", 1<<20), true},
			{"no upgrade", opened + "\r\n", false},
			{"no key", strings.Replace(asked, "Sec-WebSocket-Key", "X", 1), false},
			{"a name with a slash", strings.Replace(asked, "hostile", "..%2fhostile", 1), false},
			{"no name", strings.Replace(asked, "hostile", "", 1), false},
			{"from a web page", strings.Replace(asked, "Host: x", "Host: x\r\nOrigin: http://x", 1), false},
			{"a client that sends nothing", asked, false},
			{"half a frame", asked + "\x81\xff\x00\x00", false},
			{"an unmasked frame", asked + "\x81\x02{}", true},
			{"an unknown frame", asked + "\x8b\x80\x00\x00\x00\x00", true},
			{"reserved bits", asked + "\xf1\x80\x00\x00\x00\x00", false},
			{"a frame of exabytes", asked + string(long) + "\x00\x00\x00\x00", false},
			{"a continuation without a message", asked + "\x80\x80\x00\x00\x00\x00", false},
			{"a message without an end", asked + "\x01\x81\x00\x00\x00\x00{", false},
		} {
			t.Run(tt.name, func(t *testing.T) {
				t.Parallel() // the broker closes some connections only after seconds
				conn, err := (&net.Dialer{}).DialContext(t.Context(), "unix", r.place.Socket)
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				_, _ = io.WriteString(conn, tt.bytes) // the broker may have closed the connection by then
				if tt.ends {
					_ = conn.SetReadDeadline(time.Now().Add(testTime))
					if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
						t.Error("the broker does not close the connection")
					}
				}
				if got := page.eval("6*7"); got != "42" {
					t.Errorf("meanwhile 6*7 is %s in the other session's page", got)
				}
			})
		}
	})
	if _, after := r.pids(); after != before {
		t.Error("the broker was restarted")
	}
}

// A session is not slowed down much by many other clients and unfinished connections, nor by
// clients that send as fast as they can and read nothing.
func TestManyClientsDoNotSlowOthers(t *testing.T) {
	r := start(t, wire.Settings{})
	victim := r.connect("victim")
	page := victim.open()
	page.show(r.site.URL, "<title>mine</title>")
	alone := page.pace()
	crowd, cancel := context.WithCancel(t.Context())
	defer cancel()
	var open []io.Closer
	t.Cleanup(func() {
		for _, c := range open {
			_ = c.Close()
		}
	})
	const many = 1000
	for i := range many {
		conn, err := (&net.Dialer{}).DialContext(crowd, "unix", r.place.Socket)
		if err != nil {
			t.Fatalf("connection %d: %v", i, err)
		}
		_, _ = io.WriteString(conn, "GET "+wire.PathSession+"hostile HTTP/1.1\r\n")
		open = append(open, conn)
	}
	var conns []*bareConn
	for i := range many {
		conns = append(conns, r.bare(fmt.Sprint("hostile", i%50)))
	}
	idle := min(page.pace(), page.pace(), page.pace()) // the shortest time, since other programs disturb the measurement
	if idle > 4*alone {
		t.Errorf("with many clients a call takes %v, alone %v", idle, alone)
	}
	for i, l := range conns[:4] {
		message := `{"id":1,"method":"Target.getTargets","params":{"x":"` + strings.Repeat("x", 1<<uint(5*i)) + `"}}`
		go func() {
			for crowd.Err() == nil && l.conn.Write(crowd, websocket.MessageText, []byte(message)) == nil {
			}
		}()
	}
	sending := min(page.pace(), page.pace(), page.pace()) // the shortest time, for the same reason
	took := timed(func() {
		if got := r.connect("late").open().eval("6*7"); got != "42" {
			t.Errorf("6*7 is %s in a new session's page", got)
		}
	})
	if sending > 4*alone+busySlack {
		t.Errorf("with sending clients a call takes %v, alone %v", sending, alone)
	}
	t.Logf("a call takes %v alone, %v with many clients, %v with sending ones; then a new session took %s", alone, idle, sending, took)
}

// A client that sends as fast as it can and reads no responses is slowed down to the same rate on
// every machine.
func TestSendingClientIsPaced(t *testing.T) {
	r := start(t, wire.Settings{})
	c := r.bare("sending")
	const long = 2 * time.Second
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	n, began := 0, time.Now()
	for c.conn.Write(ctx, websocket.MessageText, []byte(`{"id":1,"method":"Target.getTargets"}`)) == nil {
		n++
	}
	took := time.Since(began)
	// buffered is how many messages fit into the sockets' buffers. They are sent before the broker
	// notices that the client does not read.
	const buffered = 12_000
	if most := int((took+paceBurst)/paceCost) + buffered; n > most {
		t.Errorf("%d messages were accepted in %v, want at most %d", n, took, most)
	}
	t.Logf("%d messages in %v", n, took)
}

// pace returns the median time of many calls to the page.
func (t *tab) pace() time.Duration {
	var all []time.Duration
	for range 200 {
		all = append(all, timed(func() { t.eval("1") }))
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// bareConn is a WebSocket to the endpoint that sends and reads messages without a CDP client.
type bareConn struct {
	t    *testing.T
	conn *websocket.Conn
}

func (r *rig) bare(session string) *bareConn {
	r.t.Helper()
	conn := r.socket(session)
	r.t.Cleanup(func() { _ = conn.CloseNow() })
	return &bareConn{r.t, conn}
}

func (l *bareConn) send(kind websocket.MessageType, message string) {
	l.t.Helper()
	if err := l.conn.Write(l.t.Context(), kind, []byte(message)); err != nil {
		l.t.Fatalf("sending %.80q: %v", message, err)
	}
}

func (l *bareConn) read() string {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), testTime/2)
	defer cancel()
	_, message, err := l.conn.Read(ctx)
	if err != nil {
		l.t.Fatalf("waiting for a response: %v", err)
	}
	return string(message)
}
