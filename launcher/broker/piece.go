package broker

import (
	"context"
	"io"
	"time"

	"github.com/coder/websocket"

	"github.com/abrowser/abrowser/patches"
)

// pieceSize is from where on a message of the browser is handed on as it comes: a
// picture of 30 MB is on its way to its client while the browser still writes it.
const pieceSize = 512 << 10

// piece is a message, or a part of one that has more to come.
type piece struct {
	data []byte
	more bool
}

// large is a message of the browser that comes in pieces.
type large struct {
	running  bool
	streamed bool             // to its client, as it comes
	client   patches.ClientID // whose it is, where it is streamed
	whole    []byte           // what came so far, where it is not
}

// fromBrowser takes a message of the browser, or the next piece of one. A large reply
// to a client's own call is passed on piece by piece; the mux gets all else whole.
func (b *broker) fromBrowser(p piece) {
	switch {
	case !b.large.running && !p.more:
		b.mux.FromBrowser(p.data)
		return
	case !b.large.running:
		b.large = large{running: true}
		if client, head, ok := b.mux.StreamReply(p.data); ok {
			b.large.streamed, b.large.client, p.data = true, client, head
		}
	}
	b.active.Store(true)
	if b.large.streamed {
		b.toClient(b.large.client, p)
	} else {
		b.large.whole = append(b.large.whole, p.data...)
	}
	if p.more {
		return
	}
	whole := b.large.whole
	b.large = large{}
	if whole != nil {
		b.mux.FromBrowser(whole)
	}
}

// toClient queues a piece for a client. What else it is told meanwhile comes behind
// the last one.
func (b *broker) toClient(id patches.ClientID, p piece) {
	l := b.lines[id]
	if l == nil {
		return // it has left
	}
	l.midway = p.more
	l.give(p)
	if p.more {
		return
	}
	behind := l.behind
	l.behind = nil
	for _, msg := range behind {
		l.give(piece{data: msg})
	}
}

// give queues a piece, unless too much is waiting.
func (l *line) give(p piece) {
	if !l.q.putPiece(p) {
		l.end("too much is waiting to be read")
	}
}

// streaming is a message that a client is given in pieces.
type streaming struct {
	writer io.WriteCloser
	cancel context.CancelFunc
}

// writePiece gives the client a piece, within limit.
func (l *line) writePiece(ctx context.Context, s *streaming, p piece, limit time.Duration) error {
	if s.writer == nil {
		if !p.more {
			ctx, cancel := context.WithTimeout(ctx, limit)
			defer cancel()
			return l.conn.Write(ctx, websocket.MessageText, p.data)
		}
		var err error
		ctx, s.cancel = context.WithCancel(ctx)
		if s.writer, err = l.conn.Writer(ctx, websocket.MessageText); err != nil {
			return err
		}
	}
	late := time.AfterFunc(limit, s.cancel)
	defer late.Stop()
	if _, err := s.writer.Write(p.data); err != nil || p.more {
		return err
	}
	err := s.writer.Close()
	s.end()
	return err
}

// end forgets the message, whole or not.
func (s *streaming) end() {
	if s.cancel != nil {
		s.cancel()
	}
	*s = streaming{}
}
