package daemon

import (
	"context"
	"errors"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	// documentTime is how long a command waits for a document that the page has committed
	// to and is still parsing. After that the document is used as far as it is parsed.
	documentTime = 3 * time.Second
	// laterTime is how long the queue is kept after a command, to learn whether the page
	// navigates because of it. Where that is not known by then, the next command asks.
	laterTime = 100 * time.Millisecond
	// mostRedirects is how many documents that replace each other a command waits for.
	mostRedirects = 20
)

// follow keeps page.pending up to date.
func (p *page) follow() {
	p.cdp.On("Abrowser.pending", func(params any) {
		members, _ := params.(map[string]any)
		pending, _ := members["pending"].(bool)
		p.pending.Store(pending)
	})
	p.link.hand(func() { _, _ = p.cdp.Send("Abrowser.follow", map[string]any{"target": p.target}) })
}

// mayNavigate records that the command may have made the page navigate, unless the command
// knows that it has not. The page is asked after the command has been answered.
func (t *turn) mayNavigate() {
	p := t.page
	if p == nil || t.arrived || t.verb == verbs.Wait.Name {
		return
	}
	p.acted.Store(true)
	t.slot.later(func() { t.settle(p, laterTime) })
}

// settle waits, for limit at most, until a navigation that the page has asked for is
// committed, and until the daemon knows what Playwright knows of it.
func (t *turn) settle(p *page, limit time.Duration) {
	err := t.watch(limit, func() error { return p.settle(limit) })
	t.ahead = false
	if err != nil {
		t.log.Warn("waiting for a navigation", "error", firstLine(briefly(err))) // the action has been done
	}
}

// settle leaves page.acted set if the navigation is still pending after limit.
func (p *page) settle(limit time.Duration) error {
	p.acted.Store(true)
	given, err := p.cdp.Send("Abrowser.settled", map[string]any{"target": p.target, "limit": milliseconds(limit)})
	answer, _ := given.(map[string]any)
	if pending, _ := answer["pending"].(bool); err == nil && !pending {
		p.acted.Store(false)
	}
	return err
}

// awaitArrival waits until a pending navigation of the page is committed. If it is not
// when ctx ends, that is an error: Chromium holds every question for the page until then.
func (t *turn) awaitArrival(ctx context.Context, p *page) error {
	if !p.acted.Load() && !p.pending.Load() {
		return nil
	}
	limit := slice(ctx, maxTime)
	_, err := ask(ctx, p.link, func() (struct{}, error) { return struct{}{}, p.settle(limit) })
	switch {
	case err != nil && ctx.Err() == nil:
		return coded(err)
	case ctx.Err() != nil && !errors.Is(ended(ctx), wire.CodeTimeout):
		return ended(ctx)
	case p.acted.Load():
		return wire.Errorf(wire.CodeTimeout, "the page is loading another document, which did not come in time").
			WithHint("abrowser wait --load domcontentloaded")
	}
	return nil
}

// awaitDocument waits until the page has parsed the document that it has committed to or
// is navigating to. A page at rest is not asked: the state is known from events. A document
// that is not parsed within documentTime is waited for once, and used with a warning.
func (t *turn) awaitDocument(ctx context.Context, p *page) error {
	for range mostRedirects {
		if err := t.awaitArrival(ctx, p); err != nil {
			return err
		}
		commits := p.commits.Load()
		if p.waited.Load() == commits+1 {
			return nil
		}
		short, cancel := context.WithTimeout(ctx, min(documentTime, slice(ctx, maxTime)*4/5))
		err := t.reached(short, p, playwright.LoadStateDomcontentloaded)
		cancel()
		late := errors.Is(err, wire.CodeTimeout) && ctx.Err() == nil
		if late {
			t.call.Warn("the page's document is not complete yet")
		} else if err != nil {
			return err
		}
		if late || !p.pending.Load() && p.commits.Load() == commits {
			p.waited.Store(commits + 1)
			return nil
		}
	}
	return nil
}

// awaitBriefly is awaitDocument for commands that can also be answered without the
// document: after documentTime it returns nil, with a warning.
func (t *turn) awaitBriefly(ctx context.Context, p *page) error {
	short, cancel := context.WithTimeout(ctx, documentTime)
	defer cancel()
	err := t.awaitDocument(short, p)
	if errors.Is(err, wire.CodeTimeout) && ctx.Err() == nil {
		t.call.Warn("the page is loading another document")
		return nil
	}
	return err
}
