package web

import (
	"context"
	"strconv"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/daemon/web/aria"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const snapshotTime = 5 * time.Second

// capture is the whole page as it is now. Playwright's own refs are good until the
// next capture of the same page, so this is always the whole page.
func (c *call) capture(ctx context.Context, p *page) (*aria.Node, error) {
	limit := daemon.TimeLeft(ctx, snapshotTime)
	text, err := peekFor(c, limit+time.Second, func() (string, error) {
		return p.AriaSnapshot(playwright.PageAriaSnapshotOptions{
			Mode: playwright.AriaSnapshotModeAi, Timeout: playwright.Float(milliseconds(limit)),
		})
	})
	switch {
	case isTimeout(err) && ctx.Err() != nil:
		return nil, daemon.ContextError(ctx)
	case isTimeout(err):
		return nil, wire.Errorf(wire.CodeWedged, "the page does not answer: no snapshot within %v", limit).WithHint("abrowser status")
	case err != nil:
		return nil, codeError(err)
	}
	return aria.Parse(text)
}

// numberedSnapshot is a capture whose elements have our refs.
type numberedSnapshot struct {
	root      *aria.Node
	documents map[string]string
}

const captureTries = 3

// capturedWithRefs captures the page and gives its elements refs. A page that navigates
// meanwhile is captured again.
func (c *call) capturedWithRefs(ctx context.Context, p *page) (numberedSnapshot, error) {
	var last error
	for range captureTries {
		_, _ = c.documentNow(ctx, p) // which is what is captured, where none comes meanwhile
		root, err := c.capture(ctx, p)
		if err != nil {
			return numberedSnapshot{}, err
		}
		documents, err := c.documents(ctx, p, root)
		if err != nil {
			if last = err; ctx.Err() != nil || isGone(err) {
				break
			}
			continue
		}
		o := numberedSnapshot{root, documents}
		alive := map[string]bool{}
		for _, id := range documents {
			alive[id] = true
		}
		c.refs.forget(p.target, p.conn.at.Party, alive)
		return o, c.number(p, o, root)
	}
	if ctx.Err() != nil {
		return numberedSnapshot{}, daemon.ContextError(ctx)
	}
	if isGone(last) {
		return numberedSnapshot{}, codeError(last)
	}
	return numberedSnapshot{}, wire.Errorf(wire.CodeTimeout, "the page kept navigating while it was read").WithHint("abrowser wait --load load")
}

// number gives the elements below root their refs.
func (c *call) number(p *page, o numberedSnapshot, root *aria.Node) error {
	var failed error
	root.Walk(func(n *aria.Node) bool {
		if !n.HasRef() {
			return true
		}
		n.Ref, failed = c.refs.number(element{
			target: p.target, connection: p.conn.at.Party, document: o.documents[aria.FrameOf(n.PlaywrightRef)],
			pwRef: n.PlaywrightRef, role: n.Role, name: n.Name,
		})
		return failed == nil
	})
	return failed
}

// snapshot shows the page, or a part of it.
func (c *call) snapshot(ctx context.Context, in verbs.SnapshotIn) (verbs.SnapshotOut, error) {
	var sel selector
	if in.Selector != "" {
		var err error
		if sel, err = parseSelector(in.Selector); err != nil {
			return verbs.SnapshotOut{}, err
		}
	}
	ctx, cancel, err := c.Limit(ctx, 0, actionTime)
	if err != nil {
		return verbs.SnapshotOut{}, err
	}
	defer cancel()
	p, err := c.currentPage(ctx)
	if err != nil {
		return verbs.SnapshotOut{}, err
	}
	whole, err := c.capturedWithRefs(ctx, p)
	if err != nil {
		return verbs.SnapshotOut{}, err
	}
	out := verbs.SnapshotOut{Origin: p.URL(), Refs: map[string]verbs.Ref{}}
	whole.root.Walk(func(n *aria.Node) bool {
		if n.Ref > 0 {
			out.Refs["e"+strconv.Itoa(n.Ref)] = verbs.Ref{Role: n.ShownRole(), Name: n.Name}
		}
		return true
	})
	shown := whole.root
	if in.Selector != "" {
		if shown, err = c.part(ctx, p, whole, sel); err != nil {
			return verbs.SnapshotOut{}, err
		}
	}
	out.Snapshot = aria.Print(shown, in, out.Origin)
	return out, nil
}

// part is the subtree of one element, with the refs of the whole.
func (c *call) part(ctx context.Context, p *page, whole numberedSnapshot, sel selector) (*aria.Node, error) {
	if sel.ref != 0 {
		e, err := c.refs.lookup(sel.ref)
		if err != nil {
			return nil, err
		}
		n := whole.root.Find(e.pwRef)
		if n == nil || n.Ref != sel.ref {
			return nil, staleError(sel.ref, "its element is gone or another one now")
		}
		return &aria.Node{Children: []*aria.Node{n}}, nil
	}
	at, err := c.findFirst(ctx, p, sel)
	if err != nil {
		return nil, err
	}
	limit := daemon.TimeLeft(ctx, snapshotTime)
	text, err := peekFor(c, limit+time.Second, func() (string, error) {
		return at.AriaSnapshot(playwright.LocatorAriaSnapshotOptions{
			Mode: playwright.AriaSnapshotModeAi, Timeout: playwright.Float(milliseconds(limit)),
		})
	})
	if err != nil {
		return nil, codeError(err)
	}
	root, err := aria.Parse(text)
	if err != nil {
		return nil, err
	}
	// The part was read after the whole: what is new in it has no ref yet.
	root.Walk(func(n *aria.Node) bool {
		if twin := whole.root.Find(n.PlaywrightRef); n.PlaywrightRef != "" && twin != nil && twin.Role == n.Role && twin.Name == n.Name {
			n.Ref = twin.Ref
		}
		return true
	})
	return root, nil
}
