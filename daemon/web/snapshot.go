package daemon

import (
	"context"
	"strconv"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/daemon/web/aria"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const snapshotTime = 5 * time.Second

// capture is the whole page as it is now. Playwright's own refs are good until the
// next capture of the same page, so this is always the whole page.
func (t *turn) capture(ctx context.Context, p *page) (*aria.Node, error) {
	limit := slice(ctx, snapshotTime)
	text, err := look(t, limit+time.Second, func() (string, error) {
		return p.AriaSnapshot(playwright.PageAriaSnapshotOptions{
			Mode: playwright.AriaSnapshotModeAi, Timeout: playwright.Float(milliseconds(limit)),
		})
	})
	switch {
	case isTimeout(err) && ctx.Err() != nil:
		return nil, ended(ctx)
	case isTimeout(err):
		return nil, wire.Errorf(wire.CodeWedged, "the page does not answer: no snapshot within %v", limit).WithHint("abrowser status")
	case err != nil:
		return nil, coded(err)
	}
	return aria.Parse(text)
}

// outlined is a capture whose elements have our refs.
type outlined struct {
	root      *aria.Node
	documents map[string]string
}

const captureTries = 3

// outline captures the page and gives its elements refs. A page that navigates
// meanwhile is captured again.
func (t *turn) outline(ctx context.Context, p *page) (outlined, error) {
	var last error
	for range captureTries {
		_, _ = t.documentNow(ctx, p) // which is what is captured, where none comes meanwhile
		root, err := t.capture(ctx, p)
		if err != nil {
			return outlined{}, err
		}
		documents, err := t.documents(ctx, p, root)
		if err != nil {
			if last = err; ctx.Err() != nil || isGone(err) {
				break
			}
			continue
		}
		o := outlined{root, documents}
		alive := map[string]bool{}
		for _, id := range documents {
			alive[id] = true
		}
		t.refs.forget(p.target, p.link.party, alive)
		return o, t.number(p, o, root)
	}
	if ctx.Err() != nil {
		return outlined{}, ended(ctx)
	}
	if isGone(last) {
		return outlined{}, coded(last)
	}
	return outlined{}, wire.Errorf(wire.CodeTimeout, "the page kept navigating while it was read").WithHint("abrowser wait --load load")
}

// number gives the elements below root their refs.
func (t *turn) number(p *page, o outlined, root *aria.Node) error {
	var failed error
	root.Walk(func(n *aria.Node) bool {
		if !n.HasRef() {
			return true
		}
		n.Ref, failed = t.refs.number(element{
			target: p.target, connection: p.link.party, document: o.documents[aria.FrameOf(n.PlaywrightRef)],
			pwRef: n.PlaywrightRef, role: n.Role, name: n.Name,
		})
		return failed == nil
	})
	return failed
}

// snapshot shows the page, or a part of it.
func (t *turn) snapshot(ctx context.Context, in verbs.SnapshotIn) (verbs.SnapshotOut, error) {
	var sel selector
	if in.Selector != "" {
		var err error
		if sel, err = parseSelector(in.Selector); err != nil {
			return verbs.SnapshotOut{}, err
		}
	}
	ctx, cancel, err := t.within(ctx, 0, actionTime)
	if err != nil {
		return verbs.SnapshotOut{}, err
	}
	defer cancel()
	p, err := t.current(ctx)
	if err != nil {
		return verbs.SnapshotOut{}, err
	}
	whole, err := t.outline(ctx, p)
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
		if shown, err = t.part(ctx, p, whole, sel); err != nil {
			return verbs.SnapshotOut{}, err
		}
	}
	out.Snapshot = aria.Print(shown, in, out.Origin)
	return out, nil
}

// part is the subtree of one element, with the refs of the whole.
func (t *turn) part(ctx context.Context, p *page, whole outlined, sel selector) (*aria.Node, error) {
	if sel.ref != 0 {
		e, err := t.refs.lookup(sel.ref)
		if err != nil {
			return nil, err
		}
		n := whole.root.Find(e.pwRef)
		if n == nil || n.Ref != sel.ref {
			return nil, staleError(sel.ref, "its element is gone or another one now")
		}
		return &aria.Node{Children: []*aria.Node{n}}, nil
	}
	at, err := t.present(ctx, p, sel)
	if err != nil {
		return nil, err
	}
	limit := slice(ctx, snapshotTime)
	text, err := look(t, limit+time.Second, func() (string, error) {
		return at.AriaSnapshot(playwright.LocatorAriaSnapshotOptions{
			Mode: playwright.AriaSnapshotModeAi, Timeout: playwright.Float(milliseconds(limit)),
		})
	})
	if err != nil {
		return nil, coded(err)
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
