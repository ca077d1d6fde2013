package web

import (
	"context"
	"errors"
	"time"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// adoptTime is how long a command waits for a page to respond for the first time on a new
// connection. It applies to commands that navigate, and to commands that can be answered from the
// broker's list of tabs. A page that is not navigating responds at once. A page that is navigating
// responds only when the server of the next document has responded.
const adoptTime = time.Second

// adopt returns the page in a tab. If a restarted browser has just opened the tab again, the page
// may still be blank although the tab is listed with a URL. What adopt does then depends on the
// command:
//
//   - A command that navigates needs no document, so adopt returns the blank page.
//   - For a command that can be answered from the broker's list of tabs, adopt waits up to adoptTime
//     for the document, and then returns an error.
//   - For any other command, adopt waits up to attachTime for the document, because the command is
//     meant for it, and then warns.
func (c *call) adopt(ctx context.Context, conn *connection, tab verbs.Tab) (*page, error) {
	p, err := c.attached(ctx, conn, tab)
	if err != nil || c.replacesLoad || isBlank(tab.URL) || !isBlank(p.URL()) {
		return p, err
	}
	limit := min(attachTime, daemon.TimeLeft(ctx, maxTime)*4/5) // leaves time for the command
	if c.acceptsListed {
		limit = adoptTime
	}
	switch {
	case awaitDocumentURL(ctx, p, limit):
	case c.acceptsListed:
		return nil, noAnswerError(tab)
	default:
		c.Warn("tab %s is blank: its document has not come yet", tab.TabID)
	}
	return p, nil
}

// noAnswerError returns the error of a command whose tab does not respond.
func noAnswerError(tab verbs.Tab) error {
	return wire.Errorf(wire.CodeWedged, "tab %s does not answer", tab.TabID).WithHint("abrowser tab new")
}

// attached returns the page in a tab as soon as the page can be used. The longest wait depends on
// the command:
//
//   - A command that can be answered from the broker's list of tabs waits up to adoptTime.
//   - A command that navigates waits up to adoptTime. If the page has not responded by then, a load
//     may be the reason. attached stops the load, and waits like any other command.
//   - Any other command waits for half of its time, or for attachTime if that is longer. In a browser
//     that was just started on a slow machine, a page may take longer than attachTime, although
//     nothing is wrong with it.
func (c *call) attached(ctx context.Context, conn *connection, tab verbs.Tab) (*page, error) {
	if c.replacesLoad || c.acceptsListed {
		p, err := conn.awaitPageFor(ctx, tab, adoptTime)
		if !c.replacesLoad || !errors.Is(err, wire.CodeWedged) || ctx.Err() != nil {
			return p, err
		}
		if err := conn.stopLoading(ctx, tab.TargetID); err != nil {
			c.Log.Warn("stopping a load", "error", err) // the page may respond even so
		}
	}
	return conn.awaitPageFor(ctx, tab, max(attachTime, daemon.TimeLeft(ctx, maxTime)/2))
}

// stopLoading stops the load of a target that Playwright has not reported yet. It works although
// the page does not respond: Chromium's browser process handles Page.stopLoading itself, and
// delays only the commands that the page has to handle.
func (conn *connection) stopLoading(ctx context.Context, target string) error {
	p := &page{conn: conn, target: target, attaching: make(chan struct{}, 1), gone: make(chan struct{}), crash: make(chan struct{})}
	ps, err := p.attachCDP(ctx)
	if err != nil {
		return err
	}
	defer p.dropSession(ps)
	ctx, cancel := context.WithTimeout(ctx, adoptTime)
	defer cancel()
	return ps.call(ctx, "Page.stopLoading", nil, nil)
}

// activeOrListed returns the same page as activePage, and a zero tab. If the page does not respond,
// activeOrListed returns a nil page, and the tab as the broker lists it.
func (c *call) activeOrListed(ctx context.Context) (*page, verbs.Tab, error) {
	c.acceptsListed = true
	p, err := c.activePage(ctx)
	if !errors.Is(err, wire.CodeWedged) || ctx.Err() != nil {
		return p, verbs.Tab{}, err
	}
	tabs, lost := c.Tabs.List(ctx)
	if lost != nil {
		return nil, verbs.Tab{}, err
	}
	active := c.Tabs.Active()
	tab, ok := c.Successor(tabs, active)
	if c.Tab != "" {
		tab, lost = pick(tabs, c.Tab)
		ok = lost == nil
	}
	if !ok {
		return nil, verbs.Tab{}, err
	}
	c.Warn("tab %s does not answer yet", tab.TabID)
	return nil, tab, nil
}
