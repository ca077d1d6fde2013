package client

import (
	"context"
	"time"
)

// Lock asks for something that the caller then has for a time. When err is nil it
// lasts until end is called, or this process ends. ctx is for the asking alone.
func (c *Client) Lock(ctx context.Context, path string) (end func(), err error) {
	q := question{method: methodPost, path: path, body: []byte("{}"), reads: true}
	message, err := c.message(ctx, q)
	if err != nil {
		return nil, err
	}
	fresh := *c
	fresh.kept = nil
	l, err := fresh.line(ctx)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = l.conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	if _, err := l.conn.Write(message); err != nil {
		l.conn.Close()
		return nil, c.unsent(ctx, q, err)
	}
	a, err := l.answers.next()
	if err != nil {
		err = c.unanswered(ctx, q, err)
	} else {
		_, err = replyOf(a)
	}
	if err != nil {
		l.conn.Close()
		return nil, err
	}
	return func() { l.conn.Close() }, nil
}
