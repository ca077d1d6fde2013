package web

import (
	"context"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/daemon/web/cdp"
	"github.com/abrowser/abrowser/sockets/wire"
)

// isQuiet reports whether by the last answer there was nothing else to know.
func (conn *connection) isQuiet() bool {
	conn.mu.Lock()
	defer conn.mu.Unlock()
	return conn.cdp != nil && conn.cdp.IsQuiet()
}

// dialCDP is the link's own connection, made at the first need and where the last one
// was lost.
func (conn *connection) dialCDP(ctx context.Context) (*cdp.Conn, error) {
	conn.mu.Lock()
	d, closing := conn.cdp, conn.closing
	conn.mu.Unlock()
	if closing {
		return nil, daemon.ConnectionLostError()
	}
	if d != nil && !d.IsOver() {
		return d, nil
	}
	d, err := cdp.Dial(ctx, conn.at.Place, conn.at.Path+"&"+wire.ParamDaemon)
	if err != nil {
		return nil, daemon.ConnectionLostError()
	}
	conn.mu.Lock()
	defer conn.mu.Unlock()
	if conn.closing || conn.cdp != nil && !conn.cdp.IsOver() { // meanwhile
		d.Close()
		if conn.closing {
			return nil, daemon.ConnectionLostError()
		}
		return conn.cdp, nil
	}
	conn.cdp = d
	conn.workers.Go(func() { d.Read(conn.onSocketRemoved) }) // until the link is closed
	return d, nil
}
