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

// documents names the document of each frame that has refs in the capture. The
// question goes through an element of the capture itself, so that the answer is
// of the captured document and of no later one.
func (c *call) documents(ctx context.Context, p *page, root *aria.Node) (map[string]string, error) {
	named := map[string]string{}
	var failed error
	root.Walk(func(n *aria.Node) bool {
		frame := aria.FrameOf(n.PlaywrightRef)
		if n.PlaywrightRef == "" || named[frame] != "" {
			return true
		}
		var id string
		if id, failed = c.documentOf(ctx, p, n.PlaywrightRef); failed != nil {
			return false
		}
		named[frame] = id
		return true
	})
	return named, failed
}

// document is that of a page's main frame, by the name that refs have for it.
type document struct {
	name    string
	commits int64 // of the page, before it was asked
}

// knownDocument is the name of the main frame's document, where none has come since it was
// asked for. Playwright tells of a new one before it answers anything of it, for which it
// has to bring its functions there first; so behind an answer of Playwright's this is the
// document that the answer is of.
func (p *page) knownDocument() (name string, ok bool) {
	d := p.document.Load()
	if d == nil || d.commits != p.commits.Load() {
		return "", false
	}
	return d.name, true
}

// documentOf names the document of an element of the last capture, which is seven
// messages to the page where it is not known.
func (c *call) documentOf(ctx context.Context, p *page, pwRef string) (string, error) {
	if aria.FrameOf(pwRef) != "" {
		return c.documentAt(ctx, p, pwRef)
	}
	if name, ok := p.knownDocument(); ok {
		return name, nil
	}
	commits := p.commits.Load()
	name, err := c.documentAt(ctx, p, pwRef)
	if err == nil {
		p.document.Store(&document{name, commits})
	}
	return name, err
}

// documentNow names the document that the main frame has now: one message to the page,
// where it is not known. What is read of a document that Playwright has not told of yet,
// is not known any more when it has.
func (c *call) documentNow(ctx context.Context, p *page) (string, error) {
	if name, ok := p.knownDocument(); ok {
		return name, nil
	}
	commits := p.commits.Load()
	now, err := c.clock(ctx, p.clock)
	if err != nil {
		return "", err
	}
	p.document.Store(&document{"@" + now, commits})
	return "@" + now, nil
}

// documentStart asks the page when its document began.
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

// documentAt asks an element of the last capture for its document.
func (c *call) documentAt(ctx context.Context, p *page, pwRef string) (string, error) {
	now, err := c.clock(ctx, func(limit time.Duration) (any, error) {
		return p.Locator("aria-ref="+pwRef).Evaluate("e => e.ownerDocument.defaultView.performance.timeOrigin", nil,
			playwright.LocatorEvaluateOptions{Timeout: playwright.Float(milliseconds(limit))})
	})
	return aria.FrameOf(pwRef) + "@" + now, err
}

// clockTime is how long a document may take to answer, and an element that went away
// since the capture to come back.
const clockTime = 2 * time.Second

// clock asks for when a document began, which no other of its frame did.
func (c *call) clock(ctx context.Context, ask func(limit time.Duration) (any, error)) (string, error) {
	limit := daemon.TimeLeft(ctx, clockTime)
	origin, err := peekFor(c, limit+time.Second, func() (any, error) { return ask(limit) })
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
