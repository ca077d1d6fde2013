package broker

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/abrowser/abrowser/launcher/broker/queue"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// acceptClient accepts a client with a queue of limit bytes. It returns nil on failure.
func acceptClient(t *testing.T, w http.ResponseWriter, r *http.Request, limit int) *cdpClient {
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		t.Error(err)
		return nil
	}
	return &cdpClient{conn: conn, q: queue.New(limit), cut: make(chan struct{})}
}

// Messages for a client that reads nothing are queued up to a limit. When the limit is exceeded,
// the client is disconnected, and the call of write ends soon after that.
func TestClientThatDoesNotReadIsDisconnected(t *testing.T) {
	t.Parallel()
	const limit, size = 4 << 20, 64 << 10
	clients := make(chan *cdpClient, 1)
	ended := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := acceptClient(t, w, r, limit)
		if c == nil {
			return
		}
		clients <- c
		_ = c.write(context.WithoutCancel(r.Context())) // the test ends the connection
		close(ended)
	}))
	defer server.Close()
	ctx, cancel := context.WithTimeout(t.Context(), testTime)
	defer cancel()
	dialer := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if err == nil {
			err = conn.(*net.TCPConn).SetReadBuffer(64 << 10)
		}
		return conn, err
	}}}
	conn, _, err := websocket.Dial(ctx, server.URL, &websocket.DialOptions{HTTPClient: dialer}) //nolint:bodyclose // the dialer has closed it
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	c := <-clients
	sent := 0
	for {
		c.send(make([]byte, size))
		sent += size
		select {
		case <-c.cut:
		default:
			if sent < 64<<20 { // more than fits into the queue and the buffers of both sockets
				continue
			}
			t.Error("the client is not disconnected")
			c.end("the test is over")
		}
		break
	}
	if c.why == "" || sent < limit {
		t.Errorf("disconnected after %d bytes because %q", sent, c.why)
	}
	began := time.Now()
	select {
	case <-ended:
	case <-ctx.Done():
	}
	if took := time.Since(began); took > 4*flushTime {
		t.Errorf("the connection ends %v later", took)
	}
}

// The broker ends at the moment when it notices that a client has disconnected. The close frame
// that it sends to the client still contains a reason.
func TestBrokerEndsAsTheClientLeaves(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := acceptClient(t, w, r, 1<<20)
		if c == nil {
			return
		}
		go func() {
			defer close(ended)
			_ = c.write(ctx) // the test ends the connection
		}()
		cancel()
		time.Sleep(20 * time.Millisecond) // so that the writer notices ctx first
		c.end("the client has disconnected")
		<-ended
	}))
	defer server.Close()
	conn, _, err := websocket.Dial(t.Context(), server.URL, nil) //nolint:bodyclose // the dialer has closed it
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	_, _, err = conn.Read(t.Context())
	if end := (websocket.CloseError{}); !errors.As(err, &end) || end.Reason == "" {
		t.Errorf("Read() = %v, want a reason", err)
	}
	<-ended
}

// A client cannot join after its daemon has departed and released the session, even if the client
// had connected before that. If it joined, the session's released tabs would count as used again.
func TestDepartedClientDoesNotJoin(t *testing.T) {
	t.Parallel()
	r := start(t, wire.Settings{})
	const session = "a?" + wire.ParamParty + "=left"
	r.connect(session).open()
	ask(r, verbs.BrokerDepart, verbs.DepartIn{Session: "a", Party: "left"})
	ask(r, verbs.BrokerRelease, verbs.ReleaseIn{Session: "a"})
	late := r.dial(session)
	select {
	case <-late.gone:
	case <-time.After(testTime):
		t.Fatal("the client is not disconnected")
	}
	if pruned := ask(r, verbs.TabPrune, verbs.TabPruneIn{All: true}); len(pruned.Pruned) != 1 {
		t.Errorf("tab prune --all closes %+v, want the released tab", pruned)
	}
}
