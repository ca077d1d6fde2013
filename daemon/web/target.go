package web

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/daemon/web/aria"
	"github.com/abrowser/abrowser/daemon/web/refs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// target is the element that a command acts on.
type target struct {
	sel   selector
	query string             // the selector for Playwright
	find  playwright.Locator // finds the first match
	all   playwright.Locator
	why   string // what the element lacked in the first check, if that is known

	began float64 // when the document of a ref started; 0 if there is no ref
}

// target resolves a selector for reading. If the selector is a ref, target checks that its element
// is still there, in the same document, with the same role and name. Otherwise the ref is stale.
func (c *pageCall) target(ctx context.Context, given string) (target, error) {
	sel, err := parseSelector(given)
	if err != nil {
		return target{}, err
	}
	if sel.ref == 0 {
		query := c.inFrame(sel)
		all := c.page.Locator(query)
		return target{sel: sel, query: query, all: all, find: all.First()}, nil
	}
	e, err := c.checkRef(ctx, sel.ref)
	if err != nil {
		return target{}, err
	}
	at := target{sel: sel, query: "aria-ref=" + e.PlaywrightRef}
	at.find = c.page.Locator(at.query)
	at.all = at.find
	return at, nil
}

// aim resolves a selector for an action. It does not check whether the element of a ref is
// unchanged, because the code that performs the action does so.
func (c *pageCall) aim(given string) (target, error) {
	sel, err := parseSelector(given)
	if err != nil {
		return target{}, err
	}
	if sel.ref == 0 {
		return target{sel: sel, query: c.inFrame(sel)}, nil
	}
	e, err := c.referenced(sel.ref)
	if err != nil {
		return target{}, err
	}
	return target{sel: sel, query: "aria-ref=" + e.PlaywrightRef, began: e.Began()}, nil
}

// referenced returns the element of a ref, if the ref belongs to this page and connection.
func (c *pageCall) referenced(ref int) (refs.Element, error) {
	e, err := c.refs.Lookup(ref)
	switch {
	case err != nil:
		return e, err
	case e.Target != c.page.target:
		return e, refs.StaleError(ref, "it is of another tab")
	case e.Connection != c.page.conn.at.Party: // over the new connection, Playwright may have given this ref to another element
		return e, refs.StaleError(ref, "the connection to the page was lost since its snapshot")
	}
	return e, nil
}

// isUnchanged reports whether the element is known to be unchanged since it got its ref. This check
// takes one message about this element, while a capture transfers the whole page. For an element
// that is not visible or is in a child frame, isUnchanged returns false.
func (c *pageCall) isUnchanged(ctx context.Context, e refs.Element) bool {
	if aria.FrameOf(e.PlaywrightRef) != "" {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, daemon.TimeLeft(ctx, firstTry))
	defer cancel()
	var answer struct {
		Same  bool    `json:"same"`
		Began float64 `json:"began"`
	}
	err := c.inUtilityWorld(ctx, func(w *utilityWorld) error { return w.query(ctx, &answer, "same", e.PlaywrightRef) })
	return err == nil && answer.Same && "@"+formatClock(answer.Began) == e.Document
}

func (c *pageCall) checkRef(ctx context.Context, ref int) (refs.Element, error) {
	e, err := c.referenced(ref)
	if err != nil {
		return e, err
	}
	if c.isUnchanged(ctx, e) {
		return e, nil
	}
	root, err := c.capture(ctx)
	if err != nil {
		return e, err
	}
	n := root.Find(e.PlaywrightRef)
	if n == nil {
		return e, refs.StaleError(ref, "its element is gone or changed its role or name")
	}
	if n.Role != e.Role || n.Name != e.Name {
		return e, refs.StaleError(ref, "its element has another role or name now")
	}
	// If the main frame now has the document in which the ref was given out, it also had that
	// document during the capture: a document that was replaced does not come back.
	document, err := "", error(nil)
	if aria.FrameOf(e.PlaywrightRef) == "" {
		document, err = c.documentNow(ctx)
	} else {
		document, err = c.documentAt(ctx, e.PlaywrightRef)
	}
	if isTimeout(err) || errors.Is(err, wire.CodeWedged) {
		all := c.page.Locator("aria-ref=" + e.PlaywrightRef)
		return e, c.unreadError(ctx, target{sel: selector{given: "e" + strconv.Itoa(ref), ref: ref}, all: all})
	}
	if isGone(err) || ctx.Err() != nil {
		return e, codeError(err)
	}
	if err != nil || document != e.Document {
		return e, refs.StaleError(ref, "its page was loaded anew")
	}
	return e, nil
}

// findOne returns the first element that matches the selector now, and warns if several match. It
// does not wait.
func (c *pageCall) findOne(ctx context.Context, given string) (playwright.Locator, error) {
	at, err := c.target(ctx, given)
	if err != nil {
		return nil, err
	}
	if at.sel.ref != 0 {
		return at.find, nil
	}
	return c.findFirst(ctx, at.sel)
}

func (c *pageCall) findFirst(ctx context.Context, sel selector) (playwright.Locator, error) {
	all := c.page.Locator(c.inFrame(sel))
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

// count returns how many elements match, in the page's present document. It does not use
// Playwright's own count, which is 0 if the document is being replaced.
func (c *call) count(ctx context.Context, all playwright.Locator) (int, error) {
	for {
		answer, err := readFor(c, daemon.TimeLeft(ctx, readTime)+time.Second, func() (any, error) { return all.EvaluateAll("all => all.length") })
		if !isDocumentGone(err) {
			n, _ := answer.(int)
			return n, codeError(err)
		}
		if !daemon.Sleep(ctx, 50*time.Millisecond) {
			return 0, daemon.ContextError(ctx)
		}
	}
}

func (c *call) warnSeveral(sel selector, n int) {
	if n > 1 {
		c.Warn("%d elements match %q; the first is taken", n, sel.given)
	}
}

func notFoundError(sel selector) error {
	return wire.Errorf(wire.CodeNotFound, "element not found: %s", sel.given).WithHint(daemon.HintSnapshot)
}
