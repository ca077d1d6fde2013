package web

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/daemon/web/aria"
	"github.com/abrowser/abrowser/sockets/wire"
)

// target is the element that an action is for.
type target struct {
	sel   selector
	query string             // in Playwright's words
	find  playwright.Locator // of one element
	all   playwright.Locator
	why   string // it was not ready when it was first looked at, where that is known

	began float64 // when the document of a ref began; 0 of no ref
}

// target makes a selector ready to read. A ref is checked here: the element must be
// there, in the same document, with the same role and name, or the ref is stale.
func (c *call) target(ctx context.Context, p *page, given string) (target, error) {
	sel, err := parseSelector(given)
	if err != nil {
		return target{}, err
	}
	if sel.ref == 0 {
		all := p.Locator(sel.query)
		return target{sel: sel, query: sel.query, all: all, find: all.First()}, nil
	}
	e, err := c.checkRef(ctx, p, sel.ref)
	if err != nil {
		return target{}, err
	}
	at := target{sel: sel, query: "aria-ref=" + e.pwRef}
	at.find = p.Locator(at.query)
	at.all = at.find
	return at, nil
}

// aim makes a selector ready for an action. Whether the element of a ref is still the one
// that got it is checked where the action is performed.
func (c *call) aim(p *page, given string) (target, error) {
	sel, err := parseSelector(given)
	if err != nil {
		return target{}, err
	}
	if sel.ref == 0 {
		return target{sel: sel, query: sel.query}, nil
	}
	e, err := c.referenced(p, sel.ref)
	if err != nil {
		return target{}, err
	}
	return target{sel: sel, query: "aria-ref=" + e.pwRef, began: e.began()}, nil
}

// referenced returns what a ref stands for, if that is an element of the page.
func (c *call) referenced(p *page, ref int) (element, error) {
	e, err := c.refs.lookup(ref)
	switch {
	case err != nil:
		return e, err
	case e.target != p.target:
		return e, staleError(ref, "it is of another tab")
	case e.connection != p.conn.at.Party: // its number may be another element's now
		return e, staleError(ref, "the connection to the page was lost since its snapshot")
	}
	return e, nil
}

// began is when the element's document began: its name is that number, behind its frame's.
func (e element) began() float64 {
	_, number, _ := strings.Cut(e.document, "@")
	at, _ := strconv.ParseFloat(number, 64)
	return at
}

// isUnchanged reports whether the element is plainly what it was when it got its ref: one
// message to the page, where a capture has all that the page has in it.
func (c *call) isUnchanged(ctx context.Context, p *page, e element) bool {
	if aria.FrameOf(e.pwRef) != "" {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, daemon.TimeLeft(ctx, firstTry))
	defer cancel()
	var answer struct {
		Same  bool    `json:"same"`
		Began float64 `json:"began"`
	}
	err := c.inUtilityWorld(ctx, p, func(w *utilityWorld) error { return w.query(ctx, &answer, "same", e.pwRef) })
	return err == nil && answer.Same && "@"+formatClock(answer.Began) == e.document
}

func (c *call) checkRef(ctx context.Context, p *page, ref int) (element, error) {
	e, err := c.referenced(p, ref)
	if err != nil {
		return e, err
	}
	if c.isUnchanged(ctx, p, e) {
		return e, nil
	}
	root, err := c.capture(ctx, p)
	if err != nil {
		return e, err
	}
	n := root.Find(e.pwRef)
	if n == nil {
		return e, staleError(ref, "its element is gone or changed its role or name")
	}
	if n.Role != e.role || n.Name != e.name {
		return e, staleError(ref, "its element has another role or name now")
	}
	// The main frame's that is there after the capture was there during it, if it is the
	// one in which the ref was given out: none comes back.
	document, err := "", error(nil)
	if aria.FrameOf(e.pwRef) == "" {
		document, err = c.documentNow(ctx, p)
	} else {
		document, err = c.documentAt(ctx, p, e.pwRef)
	}
	if isGone(err) || ctx.Err() != nil {
		return e, codeError(err)
	}
	if err != nil || document != e.document {
		return e, staleError(ref, "its page was loaded anew")
	}
	return e, nil
}

// findOne is the only or first of the elements that match now; of several it warns.
// It does not wait.
func (c *call) findOne(ctx context.Context, p *page, given string) (playwright.Locator, error) {
	at, err := c.target(ctx, p, given)
	if err != nil {
		return nil, err
	}
	if at.sel.ref != 0 {
		return at.find, nil
	}
	return c.findFirst(ctx, p, at.sel)
}

func (c *call) findFirst(ctx context.Context, p *page, sel selector) (playwright.Locator, error) {
	all := p.Locator(sel.query)
	n, err := c.count(ctx, all)
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, notFoundError(sel)
	}
	c.warnSeveral(sel, n)
	return all.First(), nil
}

func (c *call) count(ctx context.Context, all playwright.Locator) (int, error) {
	for {
		n, err := peekFor(c, daemon.TimeLeft(ctx, readTime)+time.Second, all.Count)
		if isDocumentGone(err) && daemon.Sleep(ctx, 50*time.Millisecond) {
			continue
		}
		return n, codeError(err)
	}
}

func (c *call) warnSeveral(sel selector, n int) {
	if n > 1 {
		c.Warn("%d elements match %q; the first is taken", n, sel.given)
	}
}

func notFoundError(sel selector) error {
	return wire.Errorf(wire.CodeNotFound, "no element matches %q", sel.given).WithHint(daemon.HintSnapshot)
}
