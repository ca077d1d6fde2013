package web

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/daemon/web/aria"
	"github.com/abrowser/abrowser/sockets/wire"
)

// documents returns the names of the documents in a capture. The keys of the map are the frames:
// see [aria.FrameOf]. Frames in which no element has a ref are left out. The name of a document
// contains the time at which the document started: see clock. If a name is not known, documents
// reads it through an element of the capture. So the name is that of the captured document, and not
// of a later one.
func (c *pageCall) documents(ctx context.Context, root *aria.Node) (map[string]string, error) {
	named := map[string]string{}
	var failed error
	root.Walk(func(n *aria.Node) bool {
		frame := aria.FrameOf(n.PlaywrightRef)
		if n.PlaywrightRef == "" || named[frame] != "" {
			return true
		}
		var id string
		if id, failed = c.documentOf(ctx, n.PlaywrightRef); failed != nil {
			return false
		}
		named[frame] = id
		return true
	})
	return named, failed
}

// document is the document of a page's main frame.
type document struct {
	name    string // the name by which refs refer to the document
	commits int64  // the page's number of commits before the name was read
}

// knownDocument returns the name of the main frame's document. The result ok is false if the name
// was never read, or if the frame has navigated since then.
//
// If knownDocument is called after a response of Playwright, it returns the name of the document
// that responded. The response cannot come from a newer document that Playwright has not reported
// yet, because Playwright reports a new document first, then installs its functions there, and only
// then asks the document anything.
func (p *page) knownDocument() (name string, ok bool) {
	d := p.document.Load()
	if d == nil || d.commits != p.commits.Load() {
		return "", false
	}
	return d.name, true
}

// documentOf returns the name of the document that contains an element of the last capture. If
// the name is not known, documentOf reads it, which takes seven messages to the page.
func (c *pageCall) documentOf(ctx context.Context, pwRef string) (string, error) {
	if aria.FrameOf(pwRef) != "" {
		return c.documentAt(ctx, pwRef)
	}
	if name, ok := c.page.knownDocument(); ok {
		return name, nil
	}
	commits := c.page.commits.Load()
	name, err := c.documentAt(ctx, pwRef)
	if err == nil {
		c.page.document.Store(&document{name, commits})
	}
	return name, err
}

// documentNow returns the name of the main frame's present document. If the name is not known,
// documentNow reads it, which takes one message to the page. If Playwright reports this document
// only after documentNow has read its name, the name counts as unknown again from that report on.
func (c *pageCall) documentNow(ctx context.Context) (string, error) {
	if name, ok := c.page.knownDocument(); ok {
		return name, nil
	}
	commits := c.page.commits.Load()
	now, err := c.clock(ctx, c.page.clock)
	if err != nil {
		return "", err
	}
	c.page.document.Store(&document{"@" + now, commits})
	return "@" + now, nil
}

// documentStart asks the page when its document started.
func (p *page) documentStart(limit time.Duration) (any, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	value, err := p.evaluate(ctx, "performance.timeOrigin")
	if err != nil {
		return nil, err
	}
	var at float64
	err = json.Unmarshal(value, &at)
	return at, err
}

// documentAt asks an element of the last capture for the name of its document.
func (c *pageCall) documentAt(ctx context.Context, pwRef string) (string, error) {
	now, err := c.clock(ctx, func(limit time.Duration) (any, error) {
		return c.page.Locator("aria-ref="+pwRef).Evaluate("e => e.ownerDocument.defaultView.performance.timeOrigin", nil,
			playwright.LocatorEvaluateOptions{Timeout: playwright.Float(milliseconds(limit))})
	})
	return aria.FrameOf(pwRef) + "@" + now, err
}

// clockTime is how long a document may take to respond. If the element was removed after the
// capture, Playwright waits all of this time for it.
const clockTime = 2 * time.Second

// clock calls ask() to get the time at which a document started, and returns the time as text. This
// text serves as the document's name, because no two documents of a frame start at the same time.
func (c *call) clock(ctx context.Context, ask func(limit time.Duration) (any, error)) (string, error) {
	limit := daemon.TimeLeft(ctx, clockTime)
	origin, err := readFor(c, limit+time.Second, func() (any, error) { return ask(limit) })
	if err != nil {
		return "", err
	}
	switch at := origin.(type) {
	case float64:
		return formatClock(at), nil
	case int:
		return strconv.Itoa(at), nil
	}
	return "", wire.Errorf(wire.CodeInternal, "the page's clock is %T", origin)
}

func formatClock(began float64) string { return strconv.FormatFloat(began, 'f', -1, 64) }
