package daemon

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/sockets/wire"
)

// documents names the document of each frame that has refs in the capture. The
// question goes through an element of the capture itself, so that the answer is
// of the captured document and of no later one.
func (t *turn) documents(ctx context.Context, p *page, root *node) (map[string]string, error) {
	named := map[string]string{}
	var failed error
	root.walk(func(n *node) bool {
		frame := frameOf(n.pwRef)
		if n.pwRef == "" || named[frame] != "" {
			return true
		}
		var id string
		if id, failed = t.documentOf(ctx, p, n.pwRef); failed != nil {
			return false
		}
		named[frame] = id
		return true
	})
	return named, failed
}

// documentOf names the document of an element of the last capture. A script on the
// element is seven messages to the page, one on the page is one: where the main frame
// has the document still that was read before the capture, the capture is of that.
func (t *turn) documentOf(ctx context.Context, p *page, pwRef string) (string, error) {
	if frameOf(pwRef) != "" {
		return t.documentAt(ctx, p, pwRef)
	}
	if last := p.document.Load(); last != nil {
		now, err := t.pageClock(ctx, p)
		if err == nil && "@"+now == *last {
			return *last, nil
		}
	}
	document, err := t.documentAt(ctx, p, pwRef)
	if err == nil {
		p.document.Store(&document)
	}
	return document, err
}

// foresee reads the document before a capture, where none is known.
func (t *turn) foresee(ctx context.Context, p *page) {
	if p.document.Load() != nil {
		return
	}
	if now, err := t.pageClock(ctx, p); err == nil {
		document := "@" + now
		p.document.Store(&document)
	}
}

func (t *turn) pageClock(ctx context.Context, p *page) (string, error) {
	return t.clock(ctx, p.clock)
}

// began asks the page when its document began.
func (p *page) began(limit time.Duration) (any, error) {
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
func (t *turn) documentAt(ctx context.Context, p *page, pwRef string) (string, error) {
	now, err := t.clock(ctx, func(limit time.Duration) (any, error) {
		return p.Locator("aria-ref="+pwRef).Evaluate("e => e.ownerDocument.defaultView.performance.timeOrigin", nil,
			playwright.LocatorEvaluateOptions{Timeout: playwright.Float(milliseconds(limit))})
	})
	return frameOf(pwRef) + "@" + now, err
}

// clockTime is how long a document may take to answer, and an element that went away
// since the capture to come back.
const clockTime = 2 * time.Second

// clock asks for when a document began, which no other of its frame did.
func (t *turn) clock(ctx context.Context, ask func(limit time.Duration) (any, error)) (string, error) {
	limit := slice(ctx, clockTime)
	origin, err := look(t, limit+time.Second, func() (any, error) { return ask(limit) })
	if err != nil {
		return "", err
	}
	switch at := origin.(type) {
	case float64:
		return strconv.FormatFloat(at, 'f', -1, 64), nil
	case int:
		return strconv.Itoa(at), nil
	}
	return "", wire.Errorf(wire.CodeInternal, "the page's clock is %T", origin)
}
