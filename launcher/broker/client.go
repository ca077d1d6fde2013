package broker

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/abrowser/abrowser/launcher/broker/queue"
	"github.com/abrowser/abrowser/launcher/broker/socketwatch"
	"github.com/abrowser/abrowser/launcher/broker/upstream"
	"github.com/abrowser/abrowser/patches"
	"github.com/abrowser/abrowser/patches/cdp"
	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	clientLimit = 512 << 20 // a client is disconnected when more bytes than this wait for it
	highWater   = 32 << 20  // while more bytes than this wait for a client, nothing is read from it
	joinTime    = 10 * time.Second
	// departedTime is how long the broker remembers that a group of clients has departed. A client
	// of the group that has already connected may try to join after that.
	departedTime = time.Minute
	flushTime    = 2 * time.Second // to send the queued messages to a client that is being disconnected
)

// cdpClient is the connection of one CDP client. The goroutine of the HTTP request reads from
// it. Another goroutine writes the messages in the queue. The mux's goroutine waits for neither.
type cdpClient struct {
	id   patches.ClientID
	conn *websocket.Conn
	q    *queue.Queue
	once sync.Once
	cut  chan struct{} // closed when the connection has to end
	why  string        // the reason for the end; read only after end has returned
	// socket is the socket file of the session's daemon if the client is that daemon, else nil.
	socket *socketwatch.Socket
	page   *pageClient // nil unless the connection is for one page
}

// end makes write send the messages that are still queued and then disconnect the client. If write
// has not done so after flushTime, the connection is cut. Only the first call of end has an effect.
func (c *cdpClient) end(why string) {
	c.once.Do(func() {
		c.why = why
		c.q.Close()
		close(c.cut)
		time.AfterFunc(flushTime, func() { _ = c.conn.CloseNow() }) // no effect if write has closed it
	})
}

// send queues a message. A client that leaves too much unread is disconnected.
func (c *cdpClient) send(msg []byte) {
	msg, ended := c.page.message(msg)
	if msg != nil && !c.q.Put(msg) {
		c.end("too many bytes are waiting to be read")
	}
	if ended {
		c.end("the page was closed")
	}
}

// checkSocket sends the client an event if it is a daemon whose socket is gone, and reports
// whether the socket is gone. changed is the path that [socketwatch.Run] passes to its callback.
func (c *cdpClient) checkSocket(changed string) (gone bool) {
	gone = c.socket != nil && c.socket.IsGone(changed)
	if gone {
		c.send([]byte(`{"method":"` + wire.EventSocketRemoved + `","params":{}}`))
	}
	return gone
}

// write sends the queued messages until end is called or ctx ends, and then disconnects the client.
// It returns an error if a message could not be sent, such as when the client reads nothing.
func (c *cdpClient) write(ctx context.Context) error {
	if err := c.q.Send(ctx, c.conn); err != nil {
		_ = c.conn.CloseNow()
		return err
	}
	c.end("the broker is ending") // no effect if the connection ends for another reason
	_ = c.conn.Close(websocket.StatusNormalClosure, c.why)
	return nil
}

// endpoint serves CDP for the session named in the path.
func (b *broker) endpoint(w http.ResponseWriter, r *http.Request) {
	name, query := r.PathValue("name"), r.URL.Query()
	place, err := b.Root.Session(name)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if b.awaitStop(r.Context()) {
		http.Error(w, "the browser is being stopped", http.StatusServiceUnavailable)
		return
	}
	target := query.Get(wire.ParamTarget)
	if target != "" {
		known := false
		if err := b.do(r.Context(), func() { known = b.mux.HasTarget(name, target) }); err != nil || !known {
			http.Error(w, "No such target id: "+target, http.StatusNotFound)
			return
		}
	}
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		b.log.Debug("accepting a WebSocket", "session", name, "error", err)
		return
	}
	conn.SetReadLimit(upstream.MaxMessage)
	c := &cdpClient{conn: conn, q: queue.New(clientLimit), cut: make(chan struct{})}
	// After the hijack, the request's context ends when the server ends, but not when the client
	// disconnects.
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	log := b.log.With("session", name)
	if target != "" {
		c.page = &pageClient{target: target, attached: make(chan error, 1)}
	}
	if query.Has(wire.ParamDaemon) {
		socket := socketwatch.Of(place.Socket)
		c.socket = &socket
	}
	if err := b.join(ctx, c, name, query.Get(wire.ParamParty)); err != nil {
		log.Warn("adding a client", "error", err)
		_ = conn.Close(websocket.StatusTryAgainLater, wire.AsError(err).Message)
		return
	}
	log.Info("client connected", "client", int(c.id))
	c.checkSocket("")
	var writing sync.WaitGroup
	writing.Go(func() {
		defer cancel() // this ends the reader too
		if err := c.write(ctx); err != nil {
			log.Warn("writing to a client", "error", err)
		}
	})
	err = b.receive(ctx, c)
	log.Debug("client has closed its connection", "client", int(c.id), "error", err)
	c.end("the client has disconnected")
	b.leave(ctx, c)
	writing.Wait()
	_ = conn.CloseNow()
	log.Info("client disconnected", "client", int(c.id), "why", c.why)
}

// join adds the client to the mux and waits until the mux has a CDP session for the client. It
// rejects a client whose group has departed. A daemon may depart and release its session while the
// broker still accepts the daemon's last connection. If that client joined, the session's tabs
// would count as used again, although the session has no daemon.
func (b *broker) join(ctx context.Context, c *cdpClient, name, group string) error {
	ctx, cancel := context.WithTimeout(ctx, joinTime)
	defer cancel()
	joined := make(chan bool, 1)
	stopping, departed := false, false
	err := b.do(ctx, func() {
		stopping = b.idle.stopping // the stop may have begun after awaitStop was called
		if _, departed = b.departed[group]; stopping || departed {
			return
		}
		b.lastClient++
		c.id = b.lastClient
		b.clients[c.id] = c
		b.idle.join()
		b.mux.Join(c.id, name, group, func(ok bool) { joined <- ok })
	})
	if err != nil {
		return err
	}
	if departed {
		return wire.Errorf(wire.CodeBrowserGone, "the client's daemon has departed")
	}
	if stopping && b.awaitStop(ctx) {
		return wire.Errorf(wire.CodeBrowserGone, "the browser is being stopped")
	}
	select {
	case ok := <-joined:
		if !ok {
			break
		}
		if err := b.attachPage(ctx, c); err != nil {
			b.leave(ctx, c)
			return err
		}
		return nil
	case <-c.cut:
	case <-ctx.Done():
	}
	b.leave(ctx, c)
	return wire.Errorf(wire.CodeBrowserGone, "the browser does not answer")
}

// leave removes the client from the mux, even if ctx has ended.
func (b *broker) leave(ctx context.Context, c *cdpClient) {
	_ = b.do(context.WithoutCancel(ctx), func() { // an error means that the broker is ending
		b.mux.Leave(c.id)
		delete(b.clients, c.id)
	})
}

// receive passes the client's messages to the mux until the client disconnects. It pauses
// while the client has too many unanswered calls or unread bytes.
func (b *broker) receive(ctx context.Context, c *cdpClient) error {
	defer b.reading.done(c)
	p := pacer{clients: &b.paced}
	defer p.set(false)
	for {
		b.reading.done(c)
		kind, msg, err := b.readMessage(ctx, c)
		if err != nil {
			return err
		}
		if kind != websocket.MessageText {
			continue
		}
		b.jar.Touch()
		ready := make(chan struct{})
		request, invalid := cdp.ParseRequest(msg)
		err = b.passLarge(ctx, len(msg), func() error {
			return b.do(ctx, func() {
				b.mux.FromClient(c.id, c.page.request(request), invalid)
				b.mux.WhenReady(c.id, func() { close(ready) })
			})
		})
		if err != nil {
			return err
		}
		select {
		case <-ready:
		case <-c.cut:
		case <-ctx.Done():
			return ctx.Err()
		}
		c.q.AwaitBelow(highWater, ctx.Done())
		if p.set(c.q.Waiting() > paceUnread); p.paced {
			p.wait(ctx)
		}
	}
}
