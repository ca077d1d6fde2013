package client

import (
	"context"
)

// Lock acquires the lock that the server offers at the given request path. It returns a function
// that releases the lock. The lock is also released when this process exits. ctx limits only the
// acquisition.
func (c *Client) Lock(ctx context.Context, path string) (unlock func(), err error) {
	r := request{method: methodPost, path: path, body: []byte("{}"), readOnly: true}
	message, err := c.encode(ctx, r)
	if err != nil {
		return nil, err
	}
	conn, err := c.dial(ctx) // not from the pool, since closing this connection releases the lock
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { conn.cancel(ctx, r) })
	defer stop()
	res, err := c.exchange(ctx, conn, r, message)
	if err == nil {
		_, err = res.reply()
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return func() { conn.Close() }, nil
}
