package web

import (
	"context"
	"errors"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	// documentTime is how long a command waits for a document that the page has committed
	// to and is still parsing. After that the document is used as far as it is parsed.
	documentTime = 3 * time.Second
	// deferTime is how long, after its reply, a command may delay the next one to find out whether
	// the page navigates. If that is not known after deferTime, the next command has to find out.
	deferTime = 100 * time.Millisecond
	// maxRedirects is how many documents in a row a command waits for, if each of them navigates
	// to the next.
	maxRedirects = 20
)

// followNavigation makes the driver report navigations, and keeps page.pending up to date.
func (p *page) followNavigation() {
	p.cdp.On("Abrowser.pending", func(params any) {
		members, _ := params.(map[string]any)
		pending, _ := members["pending"].(bool)
		p.pending.Store(pending)
	})
	p.conn.spawn(func() { _, _ = p.cdp.Send("Abrowser.follow", map[string]any{"target": p.target}) })
}

// mayNavigate records that the command may have made the page navigate, and defers the wait for the
// navigation until after the reply. It does nothing for the verb wait, or if it is already known
// whether the page navigates.
func (c *call) mayNavigate() {
	p := c.page
	if p == nil || c.settled || c.Verb == verbs.Wait.Name {
		return
	}
	p.mayNavigate.Store(true)
	c.Ticket.Defer(func() { c.on(p).settle(deferTime) })
}

// settle waits up to limit until a navigation that the page has requested is committed, and until
// Playwright has reported the navigation.
func (c *pageCall) settle(limit time.Duration) {
	err := c.watch(limit, func() error { return c.page.settle(limit) })
	c.aheadOfEvents = false
	if err != nil {
		// The error is only logged, because the command's action has been done.
		c.Log.Warn("waiting for a navigation", "error", firstLine(errorText(err)))
	}
}

// settle waits up to limit for a pending navigation. It sets page.mayNavigate, and clears it when
// the driver reports that no navigation is pending.
func (p *page) settle(limit time.Duration) error {
	p.mayNavigate.Store(true)
	given, err := p.cdp.Send("Abrowser.settled", map[string]any{"target": p.target, "limit": milliseconds(limit)})
	answer, _ := given.(map[string]any)
	if pending, _ := answer["pending"].(bool); err == nil && !pending {
		p.mayNavigate.Store(false)
	}
	return err
}

// awaitArrival waits until a pending navigation of the page is committed. If ctx ends before the
// commit, awaitArrival returns an error, because until the commit Chromium delays every CDP
// command that the page has to handle.
func (c *pageCall) awaitArrival(ctx context.Context) error {
	if !c.page.mayNavigate.Load() && !c.page.pending.Load() {
		return nil
	}
	limit := daemon.TimeLeft(ctx, maxTime)
	_, err := askAside(ctx, c.page.conn, func() (struct{}, error) { return struct{}{}, c.page.settle(limit) })
	switch {
	case err != nil && ctx.Err() == nil:
		return codeError(err)
	case ctx.Err() != nil && !errors.Is(daemon.ContextError(ctx), wire.CodeTimeout):
		return daemon.ContextError(ctx)
	case c.page.mayNavigate.Load():
		return wire.Errorf(wire.CodeTimeout, "the page is loading another document, which did not come in time").
			WithHint("abrowser wait --load domcontentloaded")
	}
	return nil
}

// awaitDocument waits until the page has parsed its document. If the page is navigating, this is
// the document to which it navigates. awaitDocument sends nothing if events have shown that the
// document is parsed and that no navigation is pending. If a document is not parsed within
// documentTime, or within four fifths of the time until ctx ends, awaitDocument warns and returns
// nil. Later calls do not wait for that document again.
func (c *pageCall) awaitDocument(ctx context.Context) error {
	for range maxRedirects {
		if err := c.awaitArrival(ctx); err != nil {
			return err
		}
		commits := c.page.commits.Load()
		if c.page.parsed.Load() == commits+1 {
			return nil
		}
		short, cancel := context.WithTimeout(ctx, min(documentTime, daemon.TimeLeft(ctx, maxTime)*4/5))
		err := c.awaitLoadState(short, playwright.LoadStateDomcontentloaded)
		cancel()
		late := errors.Is(err, wire.CodeTimeout) && ctx.Err() == nil
		if late {
			c.Warn("the page's document is not complete yet")
		} else if err != nil {
			return err
		}
		if late || !c.page.pending.Load() && c.page.commits.Load() == commits {
			c.page.parsed.Store(commits + 1)
			return nil
		}
	}
	return nil
}

// awaitBriefly waits for the document in the same way as awaitDocument, but up to documentTime at
// most. After that it warns and returns nil. It is for commands that can be answered without the
// document.
func (c *pageCall) awaitBriefly(ctx context.Context) error {
	short, cancel := context.WithTimeout(ctx, documentTime)
	defer cancel()
	err := c.awaitDocument(short)
	if errors.Is(err, wire.CodeTimeout) && ctx.Err() == nil {
		c.Warn("the page is loading another document")
		return nil
	}
	return err
}
