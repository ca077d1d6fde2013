package broker

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/abrowser/abrowser/sockets/wire"
)

// The limits below apply to all clients together. A single client has limits of its own, see
// clientLimit and highWater.
const (
	unreadLimit  = 768 << 20 // bytes that may wait for all clients
	readLimit    = 512 << 20 // bytes of large messages that are being read
	largeMessage = 1 << 20   // a message of more bytes than this is large
)

// limitUnread disconnects the client that leaves most bytes unread, if more bytes than limit wait
// for all clients. It drops that client's messages. Only the mux's goroutine calls it.
func (b *broker) limitUnread(limit int) {
	var worst *cdpClient
	all, most := 0, 0
	for _, c := range b.clients {
		n := c.q.Waiting()
		if all += n; n > most {
			worst, most = c, n
		}
	}
	if all > limit && worst != nil {
		worst.end("too many bytes are waiting to be read by all clients")
		worst.q.Discard()
		time.AfterFunc(0, func() { _ = worst.conn.CloseNow() }) // frees the messages that are being written
	}
}

// reading is the memory for the large messages that clients are sending.
type reading struct {
	limit int

	mu    sync.Mutex // guards the fields below
	used  int
	large map[*cdpClient]*largeRead
}

// largeRead is a large message that has not arrived completely.
type largeRead struct {
	bytes int
	since time.Time
}

// grow makes room for the message that client c is sending, which has the given size so far. If the
// memory does not suffice, grow disconnects the clients whose large messages began first: they may
// never end. It returns false if the message has no room even so.
func (r *reading) grow(c *cdpClient, size int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	own := r.large[c]
	if own == nil {
		own = &largeRead{since: time.Now()}
		if r.large == nil {
			r.large = map[*cdpClient]*largeRead{}
		}
		r.large[c] = own
	}
	for r.used-own.bytes+size > r.limit {
		oldest := r.oldestLocked(c)
		if oldest == nil {
			return false
		}
		r.used -= r.large[oldest].bytes
		delete(r.large, oldest)
		oldest.end("its message took too long while others needed the memory")
		time.AfterFunc(0, func() { _ = oldest.conn.CloseNow() }) // ends the reading of the message
	}
	r.used += size - own.bytes
	own.bytes = size
	return true
}

// oldestLocked returns the client other than c whose large message began first, or nil.
func (r *reading) oldestLocked(c *cdpClient) (oldest *cdpClient) {
	for other, read := range r.large {
		if other != c && (oldest == nil || read.since.Before(r.large[oldest].since)) {
			oldest = other
		}
	}
	return oldest
}

// done frees the memory of the message that client c has sent.
func (r *reading) done(c *cdpClient) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if own := r.large[c]; own != nil {
		r.used -= own.bytes
		delete(r.large, c)
	}
}

// readMessage reads a message of a client. The caller must then call b.reading.done.
func (b *broker) readMessage(ctx context.Context, c *cdpClient) (websocket.MessageType, []byte, error) {
	kind, r, err := c.conn.Reader(ctx)
	if err != nil {
		return kind, nil, err
	}
	msg := make([]byte, 0, 512)
	for {
		if len(msg) == cap(msg) {
			size := 2 * cap(msg)
			if size > largeMessage && !b.reading.grow(c, size) {
				return kind, nil, wire.Errorf(wire.CodeBadInput, "the message is too large")
			}
			larger := make([]byte, len(msg), size)
			copy(larger, msg)
			msg = larger
		}
		n, err := r.Read(msg[len(msg):cap(msg)])
		msg = msg[:len(msg)+n]
		if err == io.EOF {
			return kind, msg, nil
		}
		if err != nil {
			return kind, nil, err
		}
	}
}

// passLarge runs pass, which passes a client's message to the browser. Of large messages, it passes
// one at a time, when the browser has read most of what was sent before. Otherwise clients could
// fill the queue of the browser, which is given up if it does not read (see [broker.ToBrowser]).
func (b *broker) passLarge(ctx context.Context, size int, pass func() error) error {
	if size <= largeMessage {
		return pass()
	}
	select {
	case b.large <- struct{}{}:
	case <-b.done:
		return errGone()
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-b.large }()
	b.toBrowser.AwaitBelow(highWater, ctx.Done())
	return pass()
}
