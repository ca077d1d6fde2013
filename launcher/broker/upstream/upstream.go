package broker

import (
	"context"

	"github.com/coder/websocket"
)

// upstream is the way to the browser: the pipe of one that the keeper started, or
// the WebSocket of one that somebody else did. What is to be written is queued.
type upstream interface {
	// read hands every message of the browser to take, until the browser is gone.
	read(take func([]byte)) error
	// write writes what is queued, until ctx ends.
	write(ctx context.Context) error
	close() error
}

// remote is the line to a browser that somebody else started.
type remote struct {
	conn *websocket.Conn
	q    *queue
}

func (r *remote) read(take func([]byte)) error {
	for {
		// Its end is close: a context's would be no other, and this has none.
		_, msg, err := r.conn.Read(context.Background())
		if err != nil {
			return err
		}
		take(msg)
	}
}

func (r *remote) write(ctx context.Context) error {
	for {
		list, ok := r.q.take(ctx.Done())
		if !ok {
			return nil
		}
		for _, msg := range list {
			if err := r.writeOne(ctx, msg); err != nil {
				return err
			}
			r.q.wrote(len(msg))
		}
	}
}

func (r *remote) writeOne(ctx context.Context, msg []byte) error {
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	return r.conn.Write(ctx, websocket.MessageText, msg)
}

func (r *remote) close() error { return r.conn.CloseNow() }
