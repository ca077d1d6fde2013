package daemon

import (
	"context"
	"errors"
	"time"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// adoptTime is how long a command that does not need the page's answer waits for a page of
// an earlier daemon. A page at rest answers at once, one that is navigating when its server
// has answered.
const adoptTime = time.Second

// attached returns the page in a tab as soon as it can be used. A command that navigates
// first stops a load that keeps the page from answering.
func (t *turn) attached(ctx context.Context, l *link, tab verbs.Tab) (*page, error) {
	if !t.leaves && !t.listed {
		return l.await(ctx, tab.TargetID)
	}
	short, cancel := context.WithTimeout(ctx, adoptTime)
	defer cancel()
	p, err := l.await(short, tab.TargetID)
	if !t.leaves || !errors.Is(err, wire.CodeWedged) || ctx.Err() != nil {
		return p, err
	}
	if err := l.stopLoading(ctx, tab.TargetID); err != nil {
		t.log.Warn("stopping a load", "error", err) // the page may answer nevertheless
	}
	return l.await(ctx, tab.TargetID)
}

// stopLoading stops the load of a target that Playwright has not been told of yet. The
// browser process answers this, while Chromium holds every question for the page.
func (l *link) stopLoading(ctx context.Context, target string) error {
	p := &page{link: l, target: target, attaching: make(chan struct{}, 1), gone: make(chan struct{}), crash: make(chan struct{})}
	c, err := p.channel(ctx)
	if err != nil {
		return err
	}
	defer p.drop(c)
	ctx, cancel := context.WithTimeout(ctx, adoptTime)
	defer cancel()
	return c.call(ctx, "Page.stopLoading", nil, nil)
}

// activeOrListed is active, but returns the tab as the browser lists it, and no page, where
// the page does not answer.
func (t *turn) activeOrListed(ctx context.Context) (*page, verbs.Tab, error) {
	t.listed = true
	p, err := t.active(ctx)
	if !errors.Is(err, wire.CodeWedged) || ctx.Err() != nil {
		return p, verbs.Tab{}, err
	}
	tabs, lost := t.listTabs(ctx)
	if lost != nil {
		return nil, verbs.Tab{}, err
	}
	active, _ := t.known()
	tab, ok := t.successor(tabs, active)
	if t.tab != "" {
		tab, lost = pick(tabs, t.tab)
		ok = lost == nil
	}
	if !ok {
		return nil, verbs.Tab{}, err
	}
	t.call.Warn("tab %s does not answer yet", tab.TabID)
	return nil, tab, nil
}
