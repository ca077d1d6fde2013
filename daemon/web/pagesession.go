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

// pageSession is a page as we ask it ourselves, in a CDP session of our own.
type pageSession struct {
	*cdp.Conn
	page *page
	id   string
}

// lostTime is how long after the end of its pages the end of a connection may be noticed.
const lostTime = 100 * time.Millisecond

// errLost is an answer that will not come: the connection has ended.
var errLost = errors.New("the connection ended before the answer")

// attachCDP attaches to the page where that is still to be done. With an error nothing
// was asked of the page.
func (p *page) attachCDP(ctx context.Context) (*pageSession, error) {
	d, err := p.conn.dialCDP(ctx)
	if err != nil {
		p.conn.Drop() // it has the same broker
		return nil, err
	}
	select { // one attaches: what one session knows, another does not
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

// dropSession gives a session up, with all that it waits for.
func (p *page) dropSession(ps *pageSession) {
	p.mu.Lock()
	if p.session == ps {
		p.session = nil
	}
	p.mu.Unlock()
	a, err := ps.Send(context.Background(), "", "Target.detachFromTarget", map[string]any{"sessionId": ps.id})
	if err == nil {
		ps.Forget(a) // whether it was still there makes no difference
	}
}

// call asks the page and waits for its answer until ctx ends. A page that is gone or
// has crashed is not waited for.
func (ps *pageSession) call(ctx context.Context, method string, params, out any) error {
	asked, err := ps.send(ctx, method, params)
	if err != nil {
		return err
	}
	return ps.await(ctx, asked, out)
}

// send is the first half of call. With an error nothing was asked.
func (ps *pageSession) send(ctx context.Context, method string, params any) (cdp.Pending, error) {
	asked, err := ps.Send(ctx, ps.id, method, params)
	if err != nil {
		ps.page.conn.Drop() // as above
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
	case <-ps.page.crash: // Chromium does not always answer then
		return wire.Errorf(wire.CodePageCrashed, "the page crashed").WithHint("abrowser open")
	case <-ps.page.gone:
	case <-ps.Over():
	case <-ctx.Done():
		return daemon.ContextError(ctx)
	}
	// Of a connection that is lost the pages end first; of one that is closed the answer
	// may have come before.
	timer := time.NewTimer(lostTime)
	defer timer.Stop()
	lost := false
	select {
	case a := <-answer:
		return a.Decode(out)
	case <-ps.Over():
		lost = true
	case <-ps.page.conn.lost:
		lost = true
	case <-timer.C:
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

// mayLogIn has the cookies saved before the command answers. What a script sets that does
// not name them is saved a moment later; what a server sets, the broker sees.
func (p *page) mayLogIn(ctx context.Context) {
	ps, err := p.attachCDP(ctx)
	if err != nil {
		return // nor is anything else asked of the page
	}
	if asked, err := ps.Send(ctx, "", "Abrowser.mayLogIn", nil); err == nil {
		ps.Forget(asked)
	}
}

// evaluate asks for the value of an expression that does nothing.
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
