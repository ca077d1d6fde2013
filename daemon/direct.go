package daemon

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
)

// direct is a connection of our own to the session's endpoint, beside Playwright's:
// for what Playwright would only pass on. It saves the way through the driver.
type direct struct {
	conn *websocket.Conn
	over chan struct{} // closed when it carries nothing any more
	// quiet is whether by the last answer there was nothing else to know: the session's
	// tabs are those that it was told of, and nothing has happened to them.
	quiet atomic.Bool

	mu      sync.Mutex // guards the fields below
	last    int
	waiting map[int]chan<- cdpAnswer
}

// cdpAnswer is what came of a command.
type cdpAnswer struct {
	ID     int             `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *cdpError       `json:"error"`
	Quiet  bool            `json:"quiet"` // says the broker, see [direct]
}

type cdpError struct {
	Message string `json:"message"`
}

func (e *cdpError) Error() string { return e.Message }

// noSession reports whether the browser does not know the session that a command was
// for. Nothing was done.
func (e *cdpError) noSession() bool {
	return e != nil && strings.Contains(e.Message, "Session with given id not found")
}

const (
	mostAnswer = 256 << 20 // bytes, as the broker passes on
	dialTime   = 2 * time.Second
	writeTime  = 10 * time.Second // for a large script; a broker that reads nothing is replaced before
)

func dialDirect(ctx context.Context, place home.Endpoint, path string) (*direct, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return sockets.Dial(ctx, place) }}
	conn, _, err := websocket.Dial(ctx, "ws://localhost"+path, &websocket.DialOptions{ //nolint:bodyclose // a handshake has none that is to be closed
		HTTPClient: &http.Client{Transport: transport}, CompressionMode: websocket.CompressionDisabled,
	})
	if err != nil {
		return nil, err
	}
	conn.SetReadLimit(mostAnswer)
	d := &direct{conn: conn, over: make(chan struct{}), waiting: map[int]chan<- cdpAnswer{}}
	asked, err := d.send(ctx, "", "Abrowser.tellQuiet", nil)
	if err != nil {
		_ = conn.CloseNow() // nothing was said
		return nil, err
	}
	d.forget(asked) // a broker that cannot do it never says that there is nothing else
	return d, nil
}

// read hands the answers out until the connection ends. Of events it takes no note:
// Playwright tells of them.
func (d *direct) read() {
	defer close(d.over)
	for {
		_, raw, err := d.conn.Read(context.Background()) // until it is closed
		if err != nil {
			_ = d.conn.CloseNow() // nobody is there
			return
		}
		var a cdpAnswer
		if json.Unmarshal(raw, &a) != nil || a.ID == 0 {
			continue
		}
		d.quiet.Store(a.Quiet)
		d.mu.Lock()
		waits := d.waiting[a.ID]
		delete(d.waiting, a.ID)
		d.mu.Unlock()
		if waits != nil {
			waits <- a // it has room
		}
	}
}

// asking is a command that was sent.
type asking struct {
	id     int
	answer chan cdpAnswer // has room for it
}

// arrives waits for some time until the answer is there, and leaves it there.
func (a asking) arrives(limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case answer := <-a.answer:
		a.answer <- answer
		return true
	case <-timer.C:
		return false
	}
}

// isTrue reports whether the answer has come and is the value true. It puts the answer
// back.
func (a asking) isTrue() bool {
	select {
	case answer := <-a.answer:
		a.answer <- answer
		var is evaluation
		return answer.Error == nil && json.Unmarshal(answer.Result, &is) == nil && string(is.Result.Value) == "true"
	default:
		return false
	}
}

// forget has nobody wait for the answer any more.
func (d *direct) forget(a asking) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.waiting, a.id)
}

// send asks. With an error nothing was asked.
func (d *direct) send(ctx context.Context, session, method string, params any) (asking, error) {
	a := asking{answer: make(chan cdpAnswer, 1)}
	d.mu.Lock()
	d.last++
	a.id = d.last
	d.waiting[a.id] = a.answer
	d.mu.Unlock()
	raw, err := json.Marshal(struct {
		ID      int    `json:"id"`
		Session string `json:"sessionId,omitempty"`
		Method  string `json:"method"`
		Params  any    `json:"params,omitempty"`
	}{a.id, session, method, params})
	if err == nil {
		// One that is cut off half way ends the connection, so not with the caller.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTime)
		defer cancel()
		err = d.conn.Write(ctx, websocket.MessageText, raw)
	}
	if err != nil {
		d.forget(a)
		return a, goneError()
	}
	return a, nil
}

func (d *direct) isOver() bool { return isClosed(d.over) }

// isQuiet reports whether by the last answer there was nothing else to know.
func (l *link) isQuiet() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.own != nil && !l.own.isOver() && l.own.quiet.Load()
}

// direct is the link's own connection, made at the first need and where the last one
// was lost.
func (l *link) direct(ctx context.Context) (*direct, error) {
	l.mu.Lock()
	d, closing := l.own, l.closing
	l.mu.Unlock()
	if closing {
		return nil, goneError()
	}
	if d != nil && !d.isOver() {
		return d, nil
	}
	d, err := dialDirect(ctx, l.place, l.path)
	if err != nil {
		return nil, goneError()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closing || l.own != nil && !l.own.isOver() { // meanwhile
		_ = d.conn.CloseNow() // as above
		if l.closing {
			return nil, goneError()
		}
		return l.own, nil
	}
	l.own = d
	l.work.Go(d.read) // until the link is closed
	return d, nil
}
