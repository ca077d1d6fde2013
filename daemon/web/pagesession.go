package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/abrowser/abrowser/daemon/web/cdp"
	"github.com/abrowser/abrowser/sockets/wire"
)

// channel is a page as we ask it ourselves, in a CDP session of our own.
type channel struct {
	*cdp.Conn
	page    *page
	session string
}

// errLost is an answer that will not come: the connection has ended.
var errLost = errors.New("the connection ended before the answer")

// channel attaches to the page where that is still to be done. With an error nothing
// was asked of the page.
func (p *page) channel(ctx context.Context) (*channel, error) {
	d, err := p.link.direct(ctx)
	if err != nil {
		p.link.lost() // it has the same broker
		return nil, err
	}
	select { // one attaches: what one session knows, another does not
	case p.attaching <- struct{}{}:
		defer func() { <-p.attaching }()
	case <-ctx.Done():
		return nil, ended(ctx)
	}
	p.mu.Lock()
	c := p.own
	p.mu.Unlock()
	if c != nil && c.Conn == d {
		return c, nil
	}
	ctx, cancel := context.WithTimeout(ctx, attachTime)
	defer cancel()
	var out struct {
		SessionID string `json:"sessionId"`
	}
	root := &channel{Conn: d, page: p}
	if err := root.call(ctx, "Target.attachToTarget", map[string]any{"targetId": p.target, "flatten": true}, &out); err != nil {
		if errors.Is(err, errLost) {
			err = goneError()
		}
		return nil, err
	}
	c = &channel{Conn: d, page: p, session: out.SessionID}
	p.mu.Lock()
	p.own = c
	p.mu.Unlock()
	return c, nil
}

// drop gives a session up, with all that it waits for.
func (p *page) drop(c *channel) {
	p.mu.Lock()
	if p.own == c {
		p.own = nil
	}
	p.mu.Unlock()
	a, err := c.Send(context.Background(), "", "Target.detachFromTarget", map[string]any{"sessionId": c.session})
	if err == nil {
		c.Forget(a) // whether it was still there makes no difference
	}
}

// call asks the page and waits for its answer until ctx ends. A page that is gone or
// has crashed is not waited for.
func (c *channel) call(ctx context.Context, method string, params, out any) error {
	asked, err := c.ask(ctx, method, params)
	if err != nil {
		return err
	}
	return c.await(ctx, asked, out)
}

// ask is the first half of call. With an error nothing was asked.
func (c *channel) ask(ctx context.Context, method string, params any) (cdp.Pending, error) {
	asked, err := c.Send(ctx, c.session, method, params)
	if err != nil {
		c.page.link.lost() // as above
		return asked, goneError()
	}
	return asked, nil
}

func (c *channel) await(ctx context.Context, asked cdp.Pending, out any) error {
	defer c.Forget(asked)
	answer := asked.Response()
	select {
	case a := <-answer:
		return a.Decode(out)
	case <-c.page.crash: // Chromium does not always answer then
		return wire.Errorf(wire.CodePageCrashed, "the page crashed").WithHint("abrowser open")
	case <-c.page.gone:
	case <-c.Over():
	case <-ctx.Done():
		return ended(ctx)
	}
	// Of a connection that is lost the pages end first; of one that is closed the answer
	// may have come before.
	timer := time.NewTimer(lostTime)
	defer timer.Stop()
	lost := false
	select {
	case a := <-answer:
		return a.Decode(out)
	case <-c.Over():
		lost = true
	case <-c.page.link.gone:
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
	return wire.Errorf(wire.CodePageClosed, "the page was closed").WithHint(hintTabs)
}

// mayLogIn has the cookies saved before the command answers. What a script sets that does
// not name them is saved a moment later; what a server sets, the broker sees.
func (p *page) mayLogIn(ctx context.Context) {
	c, err := p.channel(ctx)
	if err != nil {
		return // nor is anything else asked of the page
	}
	if asked, err := c.Send(ctx, "", "Abrowser.mayLogIn", nil); err == nil {
		c.Forget(asked)
	}
}

// evaluate asks for the value of an expression that does nothing.
func (p *page) evaluate(ctx context.Context, expression string) (json.RawMessage, error) {
	c, err := p.channel(ctx)
	if err != nil {
		return nil, err
	}
	var out cdp.Evaluation
	if err := c.call(ctx, "Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true}, &out); err != nil {
		return nil, err
	}
	return out.Result.Value, out.Thrown()
}
