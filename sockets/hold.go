package sockets

import (
	"context"
	"net/http"
	"time"
)

// Hold asks for something that the caller then has for a time. When err is nil it
// lasts until end is called, or this process ends. ctx is for the asking alone.
func (c *Caller) Hold(ctx context.Context, path string) (end func(), err error) {
	q := question{method: http.MethodPost, path: path, body: []byte("{}"), reads: true}
	head, err := c.head(ctx, q)
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
	if err := l.send(q, head); err != nil {
		l.conn.Close()
		return nil, c.unsent(ctx, q, err)
	}
	status, answer, _, err := l.receive(q)
	if err != nil {
		err = c.unanswered(ctx, q, err)
	} else {
		_, err = replyOf(status, answer)
	}
	if err != nil {
		l.conn.Close()
		return nil, err
	}
	return func() { l.conn.Close() }, nil
}
