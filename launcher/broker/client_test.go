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
)

// accepted is the line of a client for which so many bytes are kept, nil where it fails.
func accepted(t *testing.T, w http.ResponseWriter, r *http.Request, limit int) *line {
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		t.Error(err)
		return nil
	}
	return &line{conn: conn, q: newQueue(limit), cut: make(chan struct{})}
}

// A client that reads nothing has what it is told kept for it up to a limit; with more
// it is cut off, soon, and what was kept is let go of.
func TestWhoDoesNotReadIsCutOff(t *testing.T) {
	const limit, message = 4 << 20, 64 << 10
	lines := make(chan *line, 1)
	over := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l := accepted(t, w, r, limit)
		if l == nil {
			return
		}
		lines <- l
		l.write(context.WithoutCancel(r.Context()), logger(nil))
		close(over)
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
	l := <-lines
	given := 0
	for {
		l.give(make([]byte, message))
		given++
		select {
		case <-l.cut:
		default:
			if given*message < 64<<20 { // more than any socket on the way takes
				continue
			}
			t.Error("it is not cut off")
			l.end("the test is over")
		}
		break
	}
	if l.why == "" || given*message < limit {
		t.Errorf("it is cut off after %d bytes, since %q", given*message, l.why)
	}
	began := time.Now()
	select {
	case <-over:
	case <-ctx.Done():
	}
	if took := time.Since(began); took > 4*lastTime {
		t.Errorf("its connection ends %v after it was cut off", took)
	}
}

// The broker ends and the client leaves at the same moment: the client is told why, by
// whichever was first.
func TestBrokerEndsAsTheClientLeaves(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	over := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l := accepted(t, w, r, 1<<20)
		if l == nil {
			return
		}
		go func() {
			defer close(over)
			l.write(ctx, logger(nil))
		}()
		cancel()
		time.Sleep(20 * time.Millisecond) // the writer sees the one before the other
		l.end("the client has left")
		<-over
	}))
	defer server.Close()
	conn, _, err := websocket.Dial(t.Context(), server.URL, nil) //nolint:bodyclose // the dialer has closed it
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	_, _, err = conn.Read(t.Context())
	if end := (websocket.CloseError{}); !errors.As(err, &end) || end.Reason == "" {
		t.Errorf("the client is told %v, want why", err)
	}
	<-over
}
