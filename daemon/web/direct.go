package web

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/daemon/web/direct"
	"github.com/abrowser/abrowser/daemon/web/markdown"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// withCDP returns the handler of a verb that sends CDP commands to the session's page on the direct
// connection. All parameters but serve are those of onPage.
func withCDP[In, Out any](p *pages, v wire.Verb[In, Out], usual time.Duration, check func(In) error, serve func(context.Context, *direct.Page, In) (Out, error)) daemon.Handler {
	return onPage(p, v, usual, check, func(c *pageCall, ctx context.Context, in In) (Out, error) {
		var none Out
		at, err := c.call.directPage(ctx, c.page)
		if err != nil {
			return none, err
		}
		out, err := serve(ctx, at, in)
		if !v.ReadOnly {
			c.mayNavigate()
		}
		return out, err
	})
}

// readMarkdown returns the page, or a URL, as Markdown.
func (c *call) readMarkdown(ctx context.Context, in verbs.ReadIn) (verbs.ReadOut, error) {
	if err := markdown.CheckURL(in, c.CheckAddress); err != nil {
		return verbs.ReadOut{}, err
	}
	ctx, cancel, err := c.limit(ctx, in.TimeoutIn, waitTime)
	if err != nil {
		return verbs.ReadOut{}, err
	}
	defer cancel()
	if in.URL != "" {
		return markdown.OfURL(ctx, in, "", c.CheckAddress)
	}
	at, err := c.currentPage(ctx)
	if err != nil {
		return verbs.ReadOut{}, err
	}
	if in.LLMs != "" {
		return markdown.OfURL(ctx, in, at.URL(), c.CheckAddress)
	}
	on, err := c.directPage(ctx, at)
	if err != nil {
		return verbs.ReadOut{}, err
	}
	return markdown.OfPage(ctx, on, in)
}

// withCDPAt returns the handler of a verb that may first open a page, and then sends CDP commands to
// it. The function urlOf returns the URL of the page to open, or "" for the session's present page.
func withCDPAt[In verbs.Timed, Out any](p *pages, v wire.Verb[In, Out], urlOf func(In) string, serve func(context.Context, *direct.Page, In) (Out, error)) daemon.Handler {
	return queued(p, v, func(c *call, ctx context.Context, in In) (Out, error) {
		var none Out
		ctx, cancel, err := c.limit(ctx, in, waitTime)
		if err != nil {
			return none, err
		}
		defer cancel()
		if to := urlOf(in); to != "" {
			if _, err := c.open(ctx, verbs.OpenIn{URL: to}); err != nil {
				return none, err
			}
		}
		on, err := c.currentPage(ctx)
		if err != nil {
			return none, err
		}
		at, err := c.directPage(ctx, on)
		if err != nil {
			return none, err
		}
		return serve(ctx, at, in)
	})
}

// directPage returns a page in the form that packages without Playwright use.
func (c *call) directPage(ctx context.Context, p *page) (*direct.Page, error) {
	ps, err := p.attachCDP(ctx)
	if err != nil {
		return nil, err
	}
	at := &direct.Page{Call: c.Call, Target: p.target, URL: p.URL()}
	for _, frame := range p.Frames() {
		at.Frames = append(at.Frames, frame.URL())
	}
	at.Send = func(method string, params, out any) error {
		err := ps.call(ctx, method, params, out)
		if errors.Is(err, errLost) {
			return c.on(p).pageGone()
		}
		return err
	}
	at.AwaitCookies = func() { c.on(p).awaitCookies(ctx) }
	at.Others = func() ([]*direct.Page, error) { return c.otherPages(ctx, p) }
	at.AtOrigin = func(origin string, use func(*direct.Page) error) error { return c.atOrigin(ctx, origin, use) }
	return at, nil
}

// otherPages returns the session's pages except the page own and pages that have crashed.
func (c *call) otherPages(ctx context.Context, own *page) ([]*direct.Page, error) {
	conn, err := c.connected(ctx)
	if err != nil {
		return nil, err
	}
	tabs, err := c.Tabs.List(ctx)
	if err != nil {
		return nil, err
	}
	var all []*direct.Page
	for _, tab := range tabs {
		if tab.TargetID == own.target || tab.Crashed {
			continue
		}
		p, err := conn.awaitPage(ctx, tab)
		if err != nil {
			return nil, err
		}
		at, err := c.directPage(ctx, p)
		if err != nil {
			return nil, err
		}
		all = append(all, at)
	}
	return all, nil
}

// atOrigin opens a tab of the session with an empty page of the origin, calls use() with this page,
// and closes the tab. It sends no request to the origin's server. If no tab can be opened without
// closing another tab of the session, atOrigin returns [wire.CodePoolFull].
func (c *call) atOrigin(ctx context.Context, origin string, use func(*direct.Page) error) error {
	if err := c.checkRoom(ctx, origin); err != nil {
		return err
	}
	own := c.page
	defer func() { c.page = own }()
	p, tab, err := c.openTab(ctx)
	if err != nil {
		return err
	}
	err = c.watchTabs(daemon.TimeLeft(ctx, readTime), func() error { return p.showEmpty(origin) })
	if err == nil {
		var at *direct.Page
		if at, err = c.directPage(ctx, p); err == nil {
			err = use(at)
		}
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), readTime)
	defer cancel()
	_, closed := c.closeTab(closing, c.current(), tab)
	return codeError(errors.Join(err, closed))
}

// showEmpty loads an empty document of an origin, without a request to the origin's server or its
// service worker.
func (p *page) showEmpty(origin string) error {
	for method, params := range map[string]any{"Network.enable": nil, "Network.setBypassServiceWorker": map[string]any{"bypass": true}} {
		given, _ := params.(map[string]any)
		if _, err := p.cdp.Send(method, given); err != nil {
			return err
		}
	}
	err := p.Route("**/*", func(r playwright.Route) {
		p.conn.spawn(func() {
			_ = r.Fulfill(playwright.RouteFulfillOptions{ContentType: playwright.String("text/html"), Body: "<!doctype html>"}) // if this fails, Goto returns an error
		})
	})
	if err != nil {
		return err
	}
	_, err = p.Goto(origin, playwright.PageGotoOptions{Timeout: playwright.Float(milliseconds(readTime))})
	return err
}

// checkRoom returns an error if the broker would have to close a tab of the session before the
// session could open another one.
func (c *call) checkRoom(ctx context.Context, origin string) error {
	pool, err := c.Broker.Pool(ctx, c.Agent())
	if err != nil {
		return err
	}
	var used, most int
	if n, _ := fmt.Sscanf(pool.TabPool, "%d/%d", &used, &most); n == 2 && used >= most && !pool.YouHaveReservation {
		return wire.Errorf(wire.CodePoolFull, "no tab is free to visit %s", origin).WithHint("abrowser tab close frees a tab")
	}
	return nil
}
