package client

import (
	"context"
	"io"
	"time"
)

// unlockWait limits how long the release of a lock waits until the server has released it.
const unlockWait = time.Second

// Lock acquires the lock that the server offers at the given request path. It returns a function
// that releases the lock and returns when the server has done so, or after 1 s (unlockWait). The
// lock is also released when this process exits. ctx limits only the acquisition.
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
	return conn.unlock, nil
}

// unlock tells the server to release the lock that is held by the connection c, and waits until
// the server closes the connection, which it does after the release. Without this wait, the next
// request for the lock could find it still held.
func (c *connection) unlock() {
	defer c.Close()
	conn, ok := c.Conn.(interface{ CloseWrite() error })
	if !ok || conn.CloseWrite() != nil || c.SetReadDeadline(time.Now().Add(unlockWait)) != nil {
		return
	}
	_, _ = io.Copy(io.Discard, c)
}
