package cdp

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Conn is a connection to a session's endpoint at the session's broker. Except for [Conn.Read], its
// methods may be called from several goroutines at the same time.
type Conn struct {
	ws   *websocket.Conn
	over chan struct{} // closed when the connection has ended
	// quiet is true if the last response was marked as quiet: see [Conn.IsQuiet].
	quiet atomic.Bool

	mu      sync.Mutex // guards the fields below
	last    int
	waiting map[int]chan<- Response
}

// ErrNotSent means that a command was not sent, since the connection has ended.
var ErrNotSent = errors.New("the connection to the session's endpoint has ended")

const (
	maxMessage = 256 << 20 // bytes, the limit of the broker too
	dialTime   = 2 * time.Second
	// writeTime is how long writing a command may take. It is enough for a large script, and
	// longer than the time after which a broker that reads nothing is replaced.
	writeTime = 10 * time.Second
)

// Dial connects to a session's endpoint. The parameter place is where the broker listens, and path
// is the URL path of the endpoint. The caller must run [Conn.Read] in a goroutine, because Read
// delivers the responses.
func Dial(ctx context.Context, place home.Endpoint, path string) (*Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return sockets.Dial(ctx, place) }}
	ws, _, err := websocket.Dial(ctx, "ws://localhost"+path, &websocket.DialOptions{ //nolint:bodyclose // the response to a handshake has no body to close
		HTTPClient: &http.Client{Transport: transport}, CompressionMode: websocket.CompressionDisabled,
	})
	if err != nil {
		return nil, err
	}
	ws.SetReadLimit(maxMessage)
	c := &Conn{ws: ws, over: make(chan struct{}), waiting: map[int]chan<- Response{}}
	for _, m := range []struct {
		method string
		params any
	}{
		{"Abrowser.tellQuiet", nil}, // a broker that does not know the method marks no response as quiet
		{"Browser.setDownloadBehavior", map[string]any{"behavior": "default", "eventsEnabled": true}}, // makes the browser send the event for onDownload
	} {
		sent, err := c.Send(ctx, "", m.method, m.params)
		if err != nil {
			c.Close()
			return nil, err
		}
		c.Forget(sent)
	}
	return c, nil
}

// Read delivers the responses until the connection ends. When the broker sends
// [wire.EventSocketRemoved], Read calls onSocketRemoved. When a page starts a download, Read calls
// onDownload. It ignores the browser's other events, which Playwright reports.
func (c *Conn) Read(onSocketRemoved, onDownload func()) {
	defer close(c.over)
	for {
		_, raw, err := c.ws.Read(context.Background()) // until the connection is closed
		if err != nil {
			c.Close()
			return
		}
		var r Response
		if json.Unmarshal(raw, &r) != nil || r.ID == 0 {
			switch r.Method {
			case wire.EventSocketRemoved:
				onSocketRemoved()
			case "Browser.downloadWillBegin":
				onDownload()
			}
			continue
		}
		c.quiet.Store(r.Quiet)
		c.mu.Lock()
		waits := c.waiting[r.ID]
		delete(c.waiting, r.ID)
		c.mu.Unlock()
		if waits != nil {
			waits <- r // the channel has room
		}
	}
}

// Send sends a command in a CDP session. If session is empty, the command goes to the browser. If
// Send returns an error, the command has no effect.
func (c *Conn) Send(ctx context.Context, session, method string, params any) (Pending, error) {
	p := Pending{response: make(chan Response, 1)}
	c.mu.Lock()
	c.last++
	p.id = c.last
	c.waiting[p.id] = p.response
	c.mu.Unlock()
	raw, err := json.Marshal(struct {
		ID      int    `json:"id"`
		Session string `json:"sessionId,omitempty"`
		Method  string `json:"method"`
		Params  any    `json:"params,omitempty"`
	}{p.id, session, method, params})
	if err == nil {
		// A write that is interrupted ends the whole connection. Therefore the end of the caller's
		// ctx does not interrupt the write.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTime)
		defer cancel()
		err = c.ws.Write(ctx, websocket.MessageText, raw)
	}
	if err != nil {
		c.Forget(p)
		return p, ErrNotSent
	}
	return p, nil
}

// Forget makes Read discard the response to a command.
func (c *Conn) Forget(p Pending) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.waiting, p.id)
}

// Over returns a channel that is closed when the connection has ended.
func (c *Conn) Over() <-chan struct{} { return c.over }

// IsOver reports whether the connection has ended.
func (c *Conn) IsOver() bool {
	select {
	case <-c.over:
		return true
	default:
		return false
	}
}

// IsQuiet reports whether the broker marked the last response as quiet. The mark means that
// nothing has happened in the session since the daemon last listed the tabs at the end of a
// command: no tab was opened or closed, no download started, no page event was sent, and the
// pages have neither navigated nor exchanged data with a server.
func (c *Conn) IsQuiet() bool { return !c.IsOver() && c.quiet.Load() }

// Close ends the connection without waiting for the peer.
func (c *Conn) Close() { _ = c.ws.CloseNow() }
