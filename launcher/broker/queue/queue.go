// Package queue passes messages to the one goroutine that writes them to a connection.
//
// A [Queue] is bounded in bytes, and never blocks the sender. If a receiver reads so slowly that
// the queue is full, [Queue.Put] returns false, and its caller disconnects the receiver.
package queue

import (
	"context"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// writeTime is how long a peer may take to read one message.
const writeTime = 60 * time.Second

// Queue holds messages until they are written.
type Queue struct {
	limit int
	wake  chan struct{} // holds one token: a message has been added, or the queue closed
	drain chan struct{} // holds one token: fewer bytes are waiting than before, or the queue is closed

	mu     sync.Mutex // guards the fields below
	list   [][]byte
	bytes  int // of all messages that are not written yet, including those that Take has returned
	closed bool
}

// New returns a queue of at most limit bytes.
func New(limit int) *Queue {
	return &Queue{limit: limit, wake: make(chan struct{}, 1), drain: make(chan struct{}, 1)}
}

// Put adds a message and reports whether there was room. An empty queue has room for any message.
// A closed queue drops the message, and Put returns true.
func (q *Queue) Put(msg []byte) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return true
	}
	if q.bytes+len(msg) > q.limit && q.bytes > 0 {
		return false
	}
	q.list = append(q.list, msg)
	q.bytes += len(msg)
	signal(q.wake)
	return true
}

// Take waits for messages and returns all of them. It returns false if no message is waiting, and
// either done or the queue is closed.
func (q *Queue) Take(done <-chan struct{}) ([][]byte, bool) {
	for {
		q.mu.Lock()
		list, closed := q.list, q.closed
		q.list = nil
		q.mu.Unlock()
		if len(list) > 0 {
			return list, true
		}
		if closed {
			return nil, false
		}
		select {
		case <-q.wake:
		case <-done:
			return nil, false
		}
	}
}

// Written frees the room of a message of n bytes, which was taken and has been written.
func (q *Queue) Written(n int) {
	q.mu.Lock()
	q.bytes -= n
	signal(q.drain)
	q.mu.Unlock()
}

// Send writes the messages to a WebSocket until ctx ends, or the queue is closed and empty. It
// returns an error if writing fails, or if the peer does not read a message within writeTime.
func (q *Queue) Send(ctx context.Context, conn *websocket.Conn) error {
	for {
		list, ok := q.Take(ctx.Done())
		if !ok {
			return nil
		}
		for _, msg := range list {
			if err := sendOne(ctx, conn, msg); err != nil {
				return err
			}
			q.Written(len(msg))
		}
	}
}

func sendOne(ctx context.Context, conn *websocket.Conn, msg []byte) error {
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	return conn.Write(ctx, websocket.MessageText, msg)
}

// Waiting returns how many bytes are not written yet.
func (q *Queue) Waiting() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.bytes
}

// AwaitBelow blocks until the queue is closed, done is closed, or fewer than n bytes of messages
// are still unwritten. Only one goroutine at a time may call it.
func (q *Queue) AwaitBelow(n int, done <-chan struct{}) {
	for {
		q.mu.Lock()
		ok := q.bytes < n || q.closed
		q.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-q.drain:
		case <-done:
			return
		}
	}
}

// Close ends the queue. The messages in it can still be taken.
func (q *Queue) Close() {
	q.mu.Lock()
	q.closed = true
	signal(q.wake)
	signal(q.drain)
	q.mu.Unlock()
}

// Discard ends the queue and drops the messages that have not been taken.
func (q *Queue) Discard() {
	q.mu.Lock()
	for _, msg := range q.list {
		q.bytes -= len(msg)
	}
	q.list, q.closed = nil, true
	signal(q.wake)
	signal(q.drain)
	q.mu.Unlock()
}

// signal adds a token to a channel that has room for one token, unless a token is in it.
func signal(token chan<- struct{}) {
	select {
	case token <- struct{}{}:
	default:
	}
}
