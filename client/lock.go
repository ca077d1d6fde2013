package client

import (
	"context"
	"io"
	"time"
)

// unlockWait is how long the function that [Client.Lock] returns waits, at most, until the server
// has released the lock.
const unlockWait = time.Second

// Lock acquires the lock that the server offers at the given request path. It returns the function
// unlock, which releases the lock and waits up to 1 s (unlockWait) until the server has released
// it. The lock is also released when this process exits. ctx limits only the acquisition.
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

// unlock asks the server to release the lock that belongs to the connection c, by closing the
// sending side of c. The server closes the connection after it has released the lock, and unlock
// waits for that. Without this wait, the next request for the lock could find it still held.
func (c *connection) unlock() {
	defer c.Close()
	conn, ok := c.Conn.(interface{ CloseWrite() error })
	if !ok || conn.CloseWrite() != nil || c.SetReadDeadline(time.Now().Add(unlockWait)) != nil {
		return
	}
	_, _ = io.Copy(io.Discard, c)
}
