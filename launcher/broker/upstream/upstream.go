// Package upstream implements the broker's connection to its browser. This is a pipe if the keeper
// started the browser, and a WebSocket if the browser is external.
//
// The package passes whole messages on, and does not interpret them.
package upstream

import (
	"context"

	"github.com/coder/websocket"

	"github.com/abrowser/abrowser/launcher/broker/queue"
)

// MaxMessage is the size in bytes of the largest message.
const MaxMessage = 256 << 20

// Conn is the connection to the browser. The messages to write are taken from a queue.
type Conn interface {
	// Read calls onMessage with each message of the browser, until the connection ends.
	Read(onMessage func([]byte)) error
	// Write writes the queued messages until ctx ends, or the queue is closed and empty.
	Write(ctx context.Context) error
	Close() error
}

// remote is the connection to an external browser.
type remote struct {
	conn *websocket.Conn
	q    *queue.Queue
}

func (r *remote) Read(onMessage func([]byte)) error {
	for {
		_, msg, err := r.conn.Read(context.Background()) // Close ends this call
		if err != nil {
			return err
		}
		onMessage(msg)
	}
}

func (r *remote) Write(ctx context.Context) error { return r.q.Send(ctx, r.conn) }
func (r *remote) Close() error                    { return r.conn.CloseNow() }
