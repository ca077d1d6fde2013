package web

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/daemon/web/cdp"
	"github.com/abrowser/abrowser/sockets/wire"
)

// pageSession is a CDP session with a page on the daemon's direct connection.
type pageSession struct {
	*cdp.Conn
	page *page
	id   string
}

// lostTime is how long the daemon waits after a report that a page was closed, because a report
// that the connection is lost may follow. When a connection is lost, its pages are reported as
// closed before the loss itself is reported.
const lostTime = 100 * time.Millisecond

// errLost means that the connection has ended and no response will come.
var errLost = errors.New("the connection ended before the response")

// attachCDP returns the page's CDP session on the direct connection. If there is no such session,
// attachCDP attaches to the page. If it returns an error, nothing was sent to the page.
func (p *page) attachCDP(ctx context.Context) (*pageSession, error) {
	d, err := p.conn.dialCDP(ctx)
	if err != nil {
		p.conn.Drop() // Playwright's connection leads to the same broker, so it is lost, too
		return nil, err
	}
	select { // all calls share one session, because the object ids of one session are not valid in another
	case p.attaching <- struct{}{}:
		defer func() { <-p.attaching }()
	case <-ctx.Done():
		return nil, daemon.ContextError(ctx)
	}
	p.mu.Lock()
	ps := p.session
	p.mu.Unlock()
	if ps != nil && ps.Conn == d {
		return ps, nil
	}
	ctx, cancel := context.WithTimeout(ctx, attachTime)
	defer cancel()
	var out struct {
		SessionID string `json:"sessionId"`
	}
	root := &pageSession{Conn: d, page: p}
	if err := root.call(ctx, "Target.attachToTarget", map[string]any{"targetId": p.target, "flatten": true}, &out); err != nil {
		if errors.Is(err, errLost) {
			err = daemon.ConnectionLostError()
		}
		return nil, err
	}
	ps = &pageSession{Conn: d, page: p, id: out.SessionID}
	p.mu.Lock()
	p.session = ps
	p.mu.Unlock()
	return ps, nil
}

// dropSession detaches from a CDP session. Commands that were sent in it and have no response yet
// never get one.
func (p *page) dropSession(ps *pageSession) {
	p.mu.Lock()
	if p.session == ps {
		p.session = nil
	}
	p.mu.Unlock()
	a, err := ps.Send(context.Background(), "", "Target.detachFromTarget", map[string]any{"sessionId": ps.id})
	if err == nil {
		ps.Forget(a) // the response does not matter; the session may be gone already
	}
}

// call sends a command, waits for its response, and decodes the result into out. It stops waiting
// and returns an error when ctx ends, when the page crashes or is closed, or when the connection is
// lost.
func (ps *pageSession) call(ctx context.Context, method string, params, out any) error {
	asked, err := ps.send(ctx, method, params)
	if err != nil {
		return err
	}
	return ps.await(ctx, asked, out)
}

// send sends a command. If it returns an error, nothing was sent.
func (ps *pageSession) send(ctx context.Context, method string, params any) (cdp.Pending, error) {
	asked, err := ps.Send(ctx, ps.id, method, params)
	if err != nil {
		ps.page.conn.Drop() // Playwright's connection leads to the same broker, so it is lost, too
		return asked, daemon.ConnectionLostError()
	}
	return asked, nil
}

func (ps *pageSession) await(ctx context.Context, asked cdp.Pending, out any) error {
	defer ps.Forget(asked)
	answer := asked.Response()
	select {
	case a := <-answer:
		return a.Decode(out)
	case <-ps.page.crash: // after a crash Chromium does not always respond
		return wire.Errorf(wire.CodePageCrashed, "the page crashed").WithHint("abrowser open")
	case <-ps.page.gone:
	case <-ps.Over():
	case <-ctx.Done():
		return daemon.ContextError(ctx)
	}
	// If the connection is lost, the page is reported as closed before the loss is reported: see
	// lostTime. If only the page was closed, its last response may have arrived before that report.
	lost := false
	select {
	case a := <-answer:
		return a.Decode(out)
	case <-ps.Over():
		lost = true
	case <-ps.page.conn.lost:
		lost = true
	case <-time.After(lostTime):
	}
	select {
	case a := <-answer:
		return a.Decode(out)
	default:
	}
	if lost {
		return errLost
	}
	return wire.Errorf(wire.CodePageClosed, "the page was closed").WithHint(daemon.HintTabs)
}

// mayLogIn announces to the broker that the command runs a script which mentions cookies. The
// broker then saves the cookies before the command is answered. Cookies that other scripts set
// are saved a moment after the answer. The broker notices by itself when a server sets cookies.
func (p *page) mayLogIn(ctx context.Context) {
	ps, err := p.attachCDP(ctx)
	if err != nil {
		return // the script will not be sent either
	}
	if asked, err := ps.Send(ctx, "", "Abrowser.mayLogIn", nil); err == nil {
		ps.Forget(asked)
	}
}

// cookieTime limits how long a command waits for the cookies that scripts have set. They are usually
// there within a millisecond.
const cookieTime = 2 * time.Second

// cookieScript reads the cookies of a window and of its frames, and returns nothing. Documents of other
// processes refuse to be read.
const cookieScript = `(function read(at) {
  try { at.document.cookie } catch {}
  for (let i = 0; i < at.length; i++) read(at[i])
})(window)`

// awaitCookies waits until the browser has the cookies that scripts have set in the page and in the
// session's frame. Chromium sets document.cookie asynchronously, so the browser's list may lack
// cookies that were set by a script which has ended. A script that reads document.cookie waits for
// them, and awaitCookies runs such a script where the page cannot see it. It waits neither for other
// frames in other processes nor for a page that shows a dialog, and never longer than cookieTime.
func (c *pageCall) awaitCookies(ctx context.Context) {
	if _, open := c.dialogs.Current(); open {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, cookieTime)
	defer cancel()
	err := c.page.readCookies(ctx)
	if err == nil && c.frame != "" && c.page == c.call.page {
		_, err = frameCall{c}.ask(ctx, "Runtime.evaluate", map[string]any{"expression": cookieScript})
	}
	if err != nil {
		c.Log.Warn("waiting for the page's cookies", "error", err)
	}
}

// readCookies runs cookieScript in a world of its own.
func (p *page) readCookies(ctx context.Context) error {
	ps, err := p.attachCDP(ctx)
	if err != nil {
		return err
	}
	world := map[string]any{"frameId": p.target, "worldName": "abrowser cookies", "grantUniveralAccess": true} // CDP's spelling
	var made struct {
		ID int `json:"executionContextId"`
	}
	if err := ps.call(ctx, "Page.createIsolatedWorld", world, &made); err != nil {
		return err
	}
	return ps.call(ctx, "Runtime.evaluate", map[string]any{"expression": cookieScript, "contextId": made.ID}, nil)
}

// evaluate returns the value of an expression that changes nothing.
func (p *page) evaluate(ctx context.Context, expression string) (json.RawMessage, error) {
	ps, err := p.attachCDP(ctx)
	if err != nil {
		return nil, err
	}
	var out cdp.Evaluation
	if err := ps.call(ctx, "Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true}, &out); err != nil {
		return nil, err
	}
	return out.Result.Value, out.Thrown()
}

// isQuiet reports whether the last response on the direct connection had the broker's mark that
// nothing has changed: see [cdp.Conn.IsQuiet].
func (conn *connection) isQuiet() bool {
	conn.mu.Lock()
	defer conn.mu.Unlock()
	return conn.cdp != nil && conn.cdp.IsQuiet()
}

// dialCDP returns the daemon's direct connection to the endpoint. If there is no such connection
// yet, or if it was lost, dialCDP makes a new one.
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
	// During the dialing another call may have connected, or conn may have been closed.
	if conn.closing || conn.cdp != nil && !conn.cdp.IsOver() {
		d.Close()
		if conn.closing {
			return nil, daemon.ConnectionLostError()
		}
		return conn.cdp, nil
	}
	conn.cdp = d
	conn.workers.Go(func() { d.Read(conn.onSocketRemoved, conn.onDownload) }) // until the connection is closed
	return d, nil
}
