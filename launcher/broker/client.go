package broker

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/abrowser/abrowser/patches"
	"github.com/abrowser/abrowser/patches/cdp"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	maxMessage = 256 << 20 // of a client
	lineLimit  = 512 << 20 // what may wait for a client that does not read
	lineCalm   = 32 << 20  // with more than that waiting nothing new is taken from it
	writeTime  = 60 * time.Second
	joinTime   = 10 * time.Second
	lastTime   = 2 * time.Second // for what is queued when a client is cut
)

// line is one client's connection. Its reader is the request's goroutine, its
// writer takes from the queue; the mux's goroutine waits for neither.
type line struct {
	id   patches.ClientID
	conn *websocket.Conn
	q    *queue
	once sync.Once
	cut  chan struct{} // closed when the connection is to end
	why  string        // of end, which has returned before it is read
}

func (l *line) end(why string) {
	l.once.Do(func() {
		l.why = why
		l.q.close()
		close(l.cut)
		time.AfterFunc(lastTime, func() { _ = l.conn.CloseNow() }) // it has ended already, where the client reads
	})
}

// give queues a message for the client, which is cut off when too much is waiting.
func (l *line) give(msg []byte) {
	if !l.q.put(msg) {
		l.end("too much is waiting to be read")
	}
}

// endpoint serves CDP for the session named in the path.
func (b *broker) endpoint(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	if err := home.CheckName(name); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if b.heldUp(r.Context()) {
		http.Error(w, "the browser is being stopped", http.StatusServiceUnavailable)
		return
	}
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		b.log.Debug("no WebSocket", "session", name, "error", err)
		return
	}
	conn.SetReadLimit(maxMessage)
	l := &line{conn: conn, q: newQueue(lineLimit), cut: make(chan struct{})}
	// The request's context ends with the server, not with a hijacked connection.
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	log := b.log.With("session", name)
	if err := b.join(ctx, l, name, r.URL.Query().Get(wire.ParamParty)); err != nil {
		log.Warn("a client could not join", "error", err)
		_ = conn.Close(websocket.StatusTryAgainLater, wire.AsError(err).Message)
		return
	}
	log.Info("client joined", "client", int(l.id))
	var writing sync.WaitGroup
	writing.Go(func() {
		l.write(ctx, log)
		cancel() // the reader ends too
	})
	err = b.listen(ctx, l)
	log.Debug("client says no more", "client", int(l.id), "error", err)
	l.end("the client has left")
	_ = b.do(context.WithoutCancel(ctx), func() {
		b.mux.Leave(l.id)
		delete(b.lines, l.id)
	})
	writing.Wait()
	_ = conn.CloseNow()
	log.Info("client left", "client", int(l.id), "why", l.why)
}

// join makes the line known and waits until the browser has a session for it.
func (b *broker) join(ctx context.Context, l *line, name, group string) error {
	ctx, cancel := context.WithTimeout(ctx, joinTime)
	defer cancel()
	joined := make(chan bool, 1)
	err := b.do(ctx, func() {
		b.lastLine++
		l.id = b.lastLine
		b.lines[l.id], b.idle.met = l, true
		b.mux.Join(l.id, name, group, func(ok bool) { joined <- ok })
	})
	if err != nil {
		return err
	}
	select {
	case ok := <-joined:
		if ok {
			return nil
		}
	case <-l.cut:
	case <-ctx.Done():
	}
	_ = b.do(context.WithoutCancel(ctx), func() {
		b.mux.Leave(l.id)
		delete(b.lines, l.id)
	})
	return wire.Errorf(wire.CodeBrowserGone, "the browser does not answer")
}

// listen takes the client's messages until it leaves. One with too many calls
// unanswered, or answers unread, has to wait, and one that talks on without
// reading them.
func (b *broker) listen(ctx context.Context, l *line) error {
	var pace breath
	for {
		kind, msg, err := l.conn.Read(ctx)
		if err != nil {
			return err
		}
		if kind != websocket.MessageText {
			continue
		}
		b.active.Store(true)
		free := make(chan struct{})
		request, invalid := cdp.ParseRequest(msg)
		err = b.do(ctx, func() {
			b.mux.FromClient(l.id, request, invalid)
			b.mux.WhenReady(l.id, func() { close(free) })
		})
		if err != nil {
			return err
		}
		select {
		case <-free:
		case <-l.cut:
		case <-ctx.Done():
			return ctx.Err()
		}
		l.q.below(lineCalm, ctx.Done())
		if l.q.lying() > fairLying {
			pace.take(ctx)
		}
	}
}

// write gives the client what is queued for it. One that takes none of it for
// too long is cut off.
func (l *line) write(ctx context.Context, log *slog.Logger) {
	for {
		list, ok := l.q.take(ctx.Done())
		if !ok {
			break
		}
		for _, msg := range list {
			if err := l.writeOne(ctx, msg); err != nil {
				log.Warn("writing to a client", "error", err)
				_ = l.conn.CloseNow()
				return
			}
			l.q.wrote(len(msg))
		}
	}
	l.end("the broker ends") // where it is ctx that has ended
	_ = l.conn.Close(websocket.StatusNormalClosure, l.why)
}

func (l *line) writeOne(ctx context.Context, msg []byte) error {
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	return l.conn.Write(ctx, websocket.MessageText, msg)
}
