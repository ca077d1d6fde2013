package broker

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/abrowser/abrowser/launcher/broker/queue"
	"github.com/abrowser/abrowser/patches"
)

// connected returns n clients that are connected to this process and are not written to.
func connected(t *testing.T, n int) (clients []*cdpClient) {
	t.Helper()
	accepted, done := make(chan *cdpClient, n), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c := acceptClient(t, w, r, clientLimit); c != nil {
			accepted <- c
			<-done
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(done) })
	for range n {
		conn, _, err := websocket.Dial(t.Context(), server.URL, nil) //nolint:bodyclose // the dialer has closed it
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.CloseNow() })
		clients = append(clients, <-accepted)
	}
	return clients
}

func isCut(c *cdpClient) bool { return isClosed(c.cut) }

// If all clients together leave too much unread, the client that leaves most is disconnected, and
// its messages are dropped.
func TestClientsTogetherLeaveTooMuchUnread(t *testing.T) {
	t.Parallel()
	all := connected(t, 3)
	b := &broker{clients: map[patches.ClientID]*cdpClient{1: all[0], 2: all[1], 3: all[2]}}
	for i, size := range []int{300, 500, 200} {
		all[i].send(make([]byte, size))
	}
	b.limitUnread(1000)
	if isCut(all[0]) || isCut(all[1]) || isCut(all[2]) {
		t.Error("a client is disconnected at the limit")
	}
	all[2].send(make([]byte, 1))
	b.limitUnread(1000)
	if isCut(all[0]) || !isCut(all[1]) || isCut(all[2]) || all[1].q.Waiting() != 0 {
		t.Errorf("beyond the limit, the clients are disconnected: %t %t %t, and the second has %d bytes", isCut(all[0]), isCut(all[1]), isCut(all[2]), all[1].q.Waiting())
	}
}

// Clients that begin large messages and do not end them are disconnected when another client needs
// the memory, in the order in which they began. A message for which even that is not enough is
// refused.
func TestLargeMessagesThatDoNotEnd(t *testing.T) {
	t.Parallel()
	all := connected(t, 4)
	r := reading{limit: 1000}
	for i, size := range []int{100, 400, 300} {
		if !r.grow(all[i], size) {
			t.Fatalf("message %d has no room", i)
		}
	}
	r.done(all[2])
	if !r.grow(all[3], 500) || isCut(all[0]) || isCut(all[1]) {
		t.Error("a message has no room while there is enough memory")
	}
	if !r.grow(all[3], 600) || !isCut(all[0]) || isCut(all[1]) {
		t.Error("the client that began first is not the one that is disconnected")
	}
	if r.grow(all[3], 1001) || !isCut(all[1]) {
		t.Error("a message larger than the memory has room")
	}
	r.done(all[0]) // has nothing any more
	r.done(all[3])
	if r.used != 0 {
		t.Errorf("afterwards %d bytes are used", r.used)
	}
}

// A large message waits while the browser has much to read, and a small one does not. Otherwise
// clients could make the broker give up a browser that is only slow.
func TestLargeMessageWaitsForTheBrowser(t *testing.T) {
	t.Parallel()
	b := &broker{toBrowser: queue.New(browserLimit), large: make(chan struct{}, 1), done: make(chan struct{})}
	b.toBrowser.Put(make([]byte, highWater+1))
	passed := make(chan int, 3)
	pass := func(size int) { _ = b.passLarge(t.Context(), size, func() error { passed <- size; return nil }) }
	go pass(largeMessage + 1)
	go pass(largeMessage + 2)
	pass(largeMessage)
	if got := <-passed; got != largeMessage {
		t.Errorf("a message of %d bytes does not wait", got)
	}
	select {
	case got := <-passed:
		t.Fatalf("a message of %d bytes does not wait", got)
	case <-time.After(20 * time.Millisecond):
	}
	b.toBrowser.Written(highWater + 1)
	for range 2 {
		select {
		case <-passed:
		case <-time.After(testTime):
			t.Fatal("a large message waits for ever")
		}
	}
}

// A client sends a large message in parts. It arrives complete, and its memory is free afterwards.
func TestLargeMessageIsReadInParts(t *testing.T) {
	t.Parallel()
	b := &broker{reading: reading{limit: readLimit}}
	got := make(chan int, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := acceptClient(t, w, r, clientLimit)
		if c == nil {
			return
		}
		c.conn.SetReadLimit(-1)
		_, msg, err := b.readMessage(r.Context(), c)
		if err != nil || b.reading.used < len(msg) {
			t.Errorf("a message of %d bytes used %d: %v", len(msg), b.reading.used, err)
		}
		b.reading.done(c)
		got <- len(msg)
	}))
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), testTime)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, server.URL, nil) //nolint:bodyclose // the dialer has closed it
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	const size = 5<<20 + 3
	if err := conn.Write(ctx, websocket.MessageText, make([]byte, size)); err != nil {
		t.Fatal(err)
	}
	if n := <-got; n != size || b.reading.used != 0 {
		t.Errorf("a message of %d bytes arrived with %d, and %d bytes are used", size, n, b.reading.used)
	}
}
