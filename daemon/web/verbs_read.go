package web

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/daemon/web/refs"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// findToRead tries to read a value of an element on the fast path. The parameter q names the value.
// If that succeeds, findToRead stores the value in out and returns no target. Otherwise it returns
// the target, and the caller reads the value through Playwright. findToRead does not wait for an
// element that does not exist.
func (c *pageCall) findToRead(ctx context.Context, given string, q reading, out any) (*target, error) {
	at, err := c.target(ctx, given)
	if err != nil {
		return nil, err
	}
	count, err := c.readFast(ctx, at, q, out)
	switch {
	case err != nil && at.sel.ref == 0:
		_, err = c.findFirst(ctx, at.sel)
		return &at, err
	case err != nil:
		return &at, nil
	case count == 0:
		return nil, notFoundError(at.sel)
	case at.sel.ref == 0:
		c.warnSeveral(at.sel, count)
	}
	return nil, nil
}

// unreadError returns the error of a read that Playwright has not completed in time. Playwright
// does not say whether the element is missing or the page is busy. So unreadError asks the page how
// many elements match. It returns a not-found error only if the page answers that none match.
func (c *pageCall) unreadError(ctx context.Context, at target) error {
	if ctx.Err() != nil && !errors.Is(daemon.ContextError(ctx), wire.CodeTimeout) {
		return daemon.ContextError(ctx)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), checkTime)
	defer cancel()
	count, err := c.count(ctx, at.all)
	switch {
	case err == nil && count > 0:
		return wire.Errorf(wire.CodeTimeout, "%q was not read in time", at.sel.given).WithHint("abrowser status")
	case err == nil && at.sel.ref != 0:
		return refs.StaleError(at.sel.ref, "its element went away")
	case err == nil:
		return notFoundError(at.sel)
	case errors.Is(err, wire.CodeTimeout), errors.Is(err, wire.CodeWedged):
		return wire.Errorf(wire.CodeTimeout, "%q was not read in time: the page did not answer", at.sel.given).WithHint("abrowser status")
	}
	return err
}

// checkTime is how long unreadError waits for the page's answer.
const checkTime = 500 * time.Millisecond

// readFast reads a value of an element by one query, and returns how many elements match. If it
// returns an error, Playwright may still be able to read the value.
func (c *pageCall) readFast(ctx context.Context, at target, q reading, out any) (int, error) {
	if q.what == "" || c.frame != "" {
		return 0, errNotFast
	}
	ctx, cancel := context.WithTimeout(ctx, daemon.TimeLeft(ctx, time.Second))
	defer cancel()
	var answer struct {
		Ready bool            `json:"ready"`
		Count int             `json:"count"`
		Value json.RawMessage `json:"value"`
	}
	err := c.inUtilityWorld(ctx, func(w *utilityWorld) error { return w.query(ctx, &answer, "read", at.query, q.what, q.name) })
	if err == nil && !answer.Ready {
		err = errNotFast
	}
	if err != nil {
		return 0, err
	}
	if answer.Count == 0 || len(answer.Value) == 0 {
		return answer.Count, nil
	}
	return answer.Count, json.Unmarshal(answer.Value, out)
}

// reading names a value that quick.js of launcher/driver can read from an element. For a value that
// quick.js cannot read, it is the zero reading.
type reading struct {
	what string // "text", "html", "value", "attribute", "styles"
	name string // the name of the attribute; empty for other values
}

// read reads a value from an element, on the fast path or by Playwright, without waiting for
// the element. It also returns the URL of the page.
func read[T any](ctx context.Context, c *pageCall, given string, q reading, ask func(at playwright.Locator, limit *float64) (T, error)) (value T, origin string, err error) {
	at, err := c.findToRead(ctx, given, q, &value)
	if err != nil || at == nil {
		return value, c.page.URL(), err
	}
	value, err = readFound(ctx, c, *at, func(limit *float64) (T, error) { return ask(at.find, limit) })
	if err != nil && strings.Contains(err.Error(), "Node is not") {
		return value, "", wire.Errorf(wire.CodeNotActionable, "%q: %s", given, firstLine(errorText(err))).WithHint(daemon.HintSnapshot)
	}
	return value, c.page.URL(), codeError(err)
}

// readFound reads a value through Playwright from an element that the page has just found. The page
// has responded, so it gets [daemon.SlowTime] for the value, even if the command's time is
// nearly over: the command may have waited for its document first, and the page may be slow.
func readFound[T any](ctx context.Context, c *pageCall, at target, ask func(limit *float64) (T, error)) (T, error) {
	limit := daemon.SlowTime
	value, err := readFor(c.call, limit+time.Second, func() (T, error) { return ask(playwright.Float(milliseconds(limit))) })
	if isTimeout(err) {
		return value, c.unreadError(ctx, at)
	}
	return value, err
}

// script returns a function that evaluates JavaScript on an element.
func script(code string, arg any) func(playwright.Locator, *float64) (any, error) {
	return func(at playwright.Locator, limit *float64) (any, error) {
		return at.Evaluate(code, arg, playwright.LocatorEvaluateOptions{Timeout: limit})
	}
}

func (c *pageCall) getText(ctx context.Context, in verbs.GetIn) (verbs.GetTextOut, error) {
	text, origin, err := read(ctx, c, in.Selector, reading{what: "text"}, script("e => e.innerText ?? e.textContent ?? ''", nil))
	shown, _ := text.(string)
	return verbs.GetTextOut{Value: shown, Origin: origin}, err
}

func (c *pageCall) getInnerText(ctx context.Context, in verbs.GetIn) (verbs.GetTextOut, error) {
	return c.getText(ctx, in)
}

// getAttributes reads all attributes of an element.
func (c *pageCall) getAttributes(ctx context.Context, in verbs.GetIn) (verbs.GetAttributesOut, error) {
	answer, origin, err := read(ctx, c, in.Selector, reading{}, script("e => Object.fromEntries(Array.from(e.attributes, a => [a.name, a.value]))", nil))
	out := verbs.GetAttributesOut{Attributes: map[string]string{}, Origin: origin}
	all, _ := answer.(map[string]any)
	for name, value := range all {
		out.Attributes[name], _ = value.(string)
	}
	return out, err
}

func (c *pageCall) getHTML(ctx context.Context, in verbs.GetIn) (verbs.GetHTMLOut, error) {
	html, _, err := read(ctx, c, in.Selector, reading{what: "html"}, func(at playwright.Locator, limit *float64) (string, error) {
		return at.InnerHTML(playwright.LocatorInnerHTMLOptions{Timeout: limit})
	})
	return verbs.GetHTMLOut{HTML: html}, err
}

func (c *pageCall) getValue(ctx context.Context, in verbs.GetIn) (verbs.GetValueOut, error) {
	value, origin, err := read(ctx, c, in.Selector, reading{what: "value"}, func(at playwright.Locator, limit *float64) (string, error) {
		return at.InputValue(playwright.LocatorInputValueOptions{Timeout: limit})
	})
	return verbs.GetValueOut{Value: value, Origin: origin}, err
}

func (c *pageCall) getAttr(ctx context.Context, in verbs.GetAttrIn) (verbs.GetAttrOut, error) {
	value, origin, err := read(ctx, c, in.Selector, reading{"attribute", in.Attribute}, script("(e, name) => e.getAttribute(name)", in.Attribute))
	out := verbs.GetAttrOut{Origin: origin}
	if text, ok := value.(string); ok {
		out.Value = &text
	}
	return out, err
}

func (c *pageCall) getBox(ctx context.Context, in verbs.GetIn) (verbs.GetBoxOut, error) {
	box, _, err := read(ctx, c, in.Selector, reading{}, func(at playwright.Locator, limit *float64) (*playwright.Rect, error) {
		return at.BoundingBox(playwright.LocatorBoundingBoxOptions{Timeout: limit})
	})
	if err != nil {
		return verbs.GetBoxOut{}, err
	}
	if box == nil {
		return verbs.GetBoxOut{}, wire.Errorf(wire.CodeNotActionable, "%q is not shown and has no box", in.Selector).WithHint(daemon.HintSnapshot)
	}
	return verbs.GetBoxOut{X: box.X, Y: box.Y, Width: box.Width, Height: box.Height}, nil
}

func (c *pageCall) getStyles(ctx context.Context, in verbs.GetIn) (verbs.GetStylesOut, error) {
	answer, _, err := read(ctx, c, in.Selector, reading{what: "styles"}, script("e => { const s = getComputedStyle(e); return Array.from(s, p => [p, s.getPropertyValue(p)]) }", nil))
	out := verbs.GetStylesOut{Styles: map[string]string{}}
	pairs, _ := answer.([]any)
	for _, entry := range pairs {
		if pair, ok := entry.([]any); ok && len(pair) == 2 {
			name, _ := pair[0].(string)
			out.Styles[name], _ = pair[1].(string)
		}
	}
	return out, err
}

func (c *pageCall) getCount(ctx context.Context, in verbs.GetIn) (verbs.GetCountOut, error) {
	out := verbs.GetCountOut{Selector: in.Selector}
	sel, err := parseSelector(in.Selector)
	if err != nil {
		return out, err
	}
	if sel.ref != 0 {
		_, err := c.checkRef(ctx, sel.ref)
		switch {
		case err == nil:
			out.Count = 1
		case errors.Is(err, wire.CodeStaleRef), errors.Is(err, wire.CodeNotFound):
			err = nil
		}
		return out, err
	}
	out.Count, err = c.count(ctx, c.page.Locator(c.inFrame(sel)))
	return out, err
}

func (c *pageCall) isVisible(ctx context.Context, in verbs.GetIn) (verbs.IsVisibleOut, error) {
	is, origin, err := read(ctx, c, in.Selector, reading{}, func(at playwright.Locator, _ *float64) (bool, error) {
		for {
			commits := c.page.commits.Load()
			is, err := at.IsVisible()
			if is || err != nil && !isDocumentGone(err) {
				return is, err
			}
			// Playwright also returns false while the document is being replaced. So ask the page
			// for another response, after which it is known whether the document was replaced.
			if _, after := c.page.Evaluate("0"); err == nil && !isDocumentGone(after) && c.page.commits.Load() == commits {
				return false, codeError(after)
			}
			if ctx.Err() != nil {
				return false, daemon.ContextError(ctx)
			}
		}
	})
	return verbs.IsVisibleOut{Visible: is, Origin: origin}, err
}

func (c *pageCall) isEnabled(ctx context.Context, in verbs.GetIn) (verbs.IsEnabledOut, error) {
	is, origin, err := read(ctx, c, in.Selector, reading{}, func(at playwright.Locator, limit *float64) (bool, error) {
		return at.IsEnabled(playwright.LocatorIsEnabledOptions{Timeout: limit})
	})
	return verbs.IsEnabledOut{Enabled: is, Origin: origin}, err
}

// isChecked reports whether an element is checked. It returns false for an element that cannot be
// checked.
func (c *pageCall) isChecked(ctx context.Context, in verbs.GetIn) (verbs.IsCheckedOut, error) {
	is, origin, err := read(ctx, c, in.Selector, reading{}, func(at playwright.Locator, limit *float64) (bool, error) {
		is, err := at.IsChecked(playwright.LocatorIsCheckedOptions{Timeout: limit})
		if err != nil && strings.Contains(err.Error(), "Not a checkbox") {
			return false, nil
		}
		return is, err
	})
	return verbs.IsCheckedOut{Checked: is, Origin: origin}, err
}

// knownPage returns the session's active tab and page as the daemon last saw them. It asks neither
// the broker nor the page, so it can be used without a ticket.
func (c *call) knownPage() (verbs.Tab, *page) {
	tab, conn := c.Tabs.Active(), c.current()
	if conn == nil {
		return tab, nil
	}
	return tab, conn.page(tab.TargetID)
}

const titleTime = 500 * time.Millisecond

// title returns the page's title. It asks the page. If the page shows a dialog or does not respond
// within titleTime, it asks the browser process instead, which shows the URL of a page that has no
// title. If the browser's answer may be that URL or is cut, a page without a dialog gets more time:
// see [pageTime]. If it does not respond then, the cut title is reported, or no title instead of the URL.
func (c *pageCall) title(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, titleTime+slowProbeTime)
	defer cancel()
	answer := make(chan *string, 1)
	if _, open := c.dialogs.Current(); open {
		answer <- nil
	} else {
		c.page.conn.spawn(func() { answer <- c.page.documentTitle(ctx) })
	}
	select {
	case title := <-answer:
		if title != nil {
			return *title, nil
		}
		answer <- nil
	case <-time.After(titleTime):
	}
	began := time.Now()
	info, err := askAside(ctx, c.page.conn, c.page.info)
	placeholder := isPlaceholder(info.title, info.url)
	if err != nil || !placeholder && len(info.title) < cutTitle {
		return info.title, codeError(err)
	}
	select {
	case title := <-answer:
		if title != nil {
			return *title, nil
		}
	case <-time.After(pageTime(time.Since(began))):
	}
	if placeholder {
		return "", nil
	}
	return info.title, nil
}

// documentTitle returns the title that the page itself reports, or nil if it reports none before
// ctx ends.
func (p *page) documentTitle(ctx context.Context) *string {
	value, err := p.evaluate(ctx, "document.title")
	var title *string
	if err != nil || json.Unmarshal(value, &title) != nil {
		return nil
	}
	return title
}

func (c *call) getTitle(ctx context.Context, _ verbs.TabIn) (verbs.GetTitleOut, error) {
	if c.Ticket == nil {
		tab, p := c.knownPage()
		if p == nil {
			return verbs.GetTitleOut{Title: tab.Title}, nil
		}
		title, err := c.on(p).title(ctx)
		return verbs.GetTitleOut{Title: title}, err
	}
	ctx, cancel, err := c.Limit(ctx, 0, readTime)
	if err != nil {
		return verbs.GetTitleOut{}, err
	}
	defer cancel()
	p, tab, err := c.activeOrListed(ctx)
	if err != nil || p == nil {
		return verbs.GetTitleOut{Title: tab.Title}, err
	}
	if err := c.on(p).awaitBriefly(ctx); err != nil {
		return verbs.GetTitleOut{}, err
	}
	title, err := c.on(p).title(ctx)
	return verbs.GetTitleOut{Title: title}, err
}

func (c *call) getURL(ctx context.Context, _ verbs.TabIn) (verbs.PageURL, error) {
	if c.Ticket == nil {
		tab, p := c.knownPage()
		if p == nil {
			return verbs.PageURL{URL: tab.URL}, nil
		}
		return verbs.PageURL{URL: p.URL()}, nil
	}
	ctx, cancel, err := c.Limit(ctx, 0, readTime)
	if err != nil {
		return verbs.PageURL{}, err
	}
	defer cancel()
	p, tab, err := c.activeOrListed(ctx)
	if err != nil || p == nil {
		return verbs.PageURL{URL: tab.URL}, err
	}
	if p.mayNavigate.Load() { // do not wait for a navigation that the page has started by itself
		if err := c.on(p).awaitBriefly(ctx); err != nil {
			return verbs.PageURL{}, err
		}
	}
	return verbs.PageURL{URL: p.URL(), Effects: verbs.Effects{Dialogs: c.AddNotices()}}, nil
}

// getCDPURL returns the URL of the session's endpoint. It starts the browser if necessary, but
// needs no page.
func (p *pages) getCDPURL(ctx context.Context, request *wire.Call, _ verbs.Empty) (verbs.GetCDPURLOut, error) {
	socket, err := p.session.StartBrowser(ctx, request, verbs.GetCDPURL.Name)
	if err != nil {
		return verbs.GetCDPURLOut{}, err
	}
	return verbs.GetCDPURLOut{CDPURL: endpointURL(socket, wire.PathSession+p.session.Name)}, nil
}
