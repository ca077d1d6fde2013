package web

import (
	"context"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/daemon/web/aria"
	"github.com/abrowser/abrowser/daemon/web/refs"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// snapshotTime is how long a snapshot of a page that responds may take. Pages with tens of thousands
// of elements need seconds. Before that, the page has [readTime] to respond.
const snapshotTime = waitTime - readTime

// capture returns Playwright's snapshot of the whole page. It never captures only a part, because
// each capture replaces Playwright's own refs.
func (c *pageCall) capture(ctx context.Context) (*aria.Node, error) {
	return c.captureWith(ctx, false)
}

// captureWith captures as capture does. If boxes is true, the nodes have the attribute box: see
// [aria.Node.Box].
func (c *pageCall) captureWith(ctx context.Context, boxes bool) (*aria.Node, error) {
	if err := c.responds(ctx, c.awaitPage); err != nil {
		return nil, err
	}
	return c.ariaSnapshot(ctx, func(limit *float64) (string, error) {
		return c.page.AriaSnapshot(playwright.PageAriaSnapshotOptions{Mode: playwright.AriaSnapshotModeAi, Timeout: limit, Boxes: &boxes})
	})
}

// responds returns an error if the page or the frame that await waits for does not respond within
// readTime. An error of await is a response; the snapshot then fails, too. The page is asked before a
// snapshot, because afterwards a page that does not respond and a large page look the same.
func (c *pageCall) responds(ctx context.Context, await func(context.Context) error) error {
	_, err := readFor(c.call, daemon.TimeLeft(ctx, readTime), func() (struct{}, error) {
		_ = await(ctx)
		return struct{}{}, nil
	})
	return codeError(err)
}

// ariaSnapshot calls capture to make a snapshot within the given number of milliseconds, and parses
// the snapshot.
func (c *pageCall) ariaSnapshot(ctx context.Context, capture func(limit *float64) (string, error)) (*aria.Node, error) {
	limit := daemon.TimeLeft(ctx, snapshotTime)
	text, err := readFor(c.call, limit+time.Second, func() (string, error) { return capture(playwright.Float(milliseconds(limit))) })
	switch {
	case isTimeout(err) && ctx.Err() != nil:
		return nil, daemon.ContextError(ctx)
	case isTimeout(err):
		return nil, wire.Errorf(wire.CodeTimeout, "the page responded, but its snapshot takes more than %v", limit.Round(time.Second)).WithHint("abrowser get text body")
	case err != nil:
		return nil, codeError(err)
	}
	return aria.Parse(text)
}

// numberedSnapshot is a capture whose elements have the session's refs.
type numberedSnapshot struct {
	root      *aria.Node
	documents map[string]string
}

const captureTries = 3

// capturedWithRefs captures the page and gives refs to its elements. If the page navigates in
// between, capturedWithRefs captures it again. It makes captureTries captures at most. For the
// parameter boxes see captureWith.
func (c *pageCall) capturedWithRefs(ctx context.Context, boxes bool) (numberedSnapshot, error) {
	var last error
	for range captureTries {
		// This stores the document's name before the capture. It is the name of the captured
		// document, unless the page navigates in between.
		_, _ = c.documentNow(ctx)
		root, err := c.captureWith(ctx, boxes)
		if err != nil {
			return numberedSnapshot{}, err
		}
		documents, err := c.documents(ctx, root)
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
		c.refs.Forget(c.page.target, c.page.conn.at.Party, alive)
		return o, c.number(o, root)
	}
	if ctx.Err() != nil {
		return numberedSnapshot{}, daemon.ContextError(ctx)
	}
	if isGone(last) {
		return numberedSnapshot{}, codeError(last)
	}
	return numberedSnapshot{}, wire.Errorf(wire.CodeTimeout, "the page kept navigating while it was read").WithHint("abrowser wait --load load")
}

// number gives refs to the elements below root.
func (c *pageCall) number(o numberedSnapshot, root *aria.Node) error {
	var failed error
	root.Walk(func(n *aria.Node) bool {
		if !n.HasRef() {
			return true
		}
		n.Ref, failed = c.refs.Number(refs.Element{
			Target: c.page.target, Connection: c.page.conn.at.Party, Document: o.documents[aria.FrameOf(n.PlaywrightRef)],
			PlaywrightRef: n.PlaywrightRef, Role: n.Role, Name: n.Name,
		})
		return failed == nil
	})
	return failed
}

// snapshot returns a text that describes the elements of the page, or of a part of the page.
func (c *pageCall) snapshot(ctx context.Context, in verbs.SnapshotIn) (verbs.SnapshotOut, error) {
	whole, err := c.capturedWithRefs(ctx, false)
	if err != nil {
		return verbs.SnapshotOut{}, err
	}
	out := verbs.SnapshotOut{Origin: c.page.URL(), Refs: map[string]verbs.Ref{}}
	whole.root.Walk(func(n *aria.Node) bool {
		if n.Ref > 0 {
			out.Refs["e"+strconv.Itoa(n.Ref)] = verbs.Ref{Role: n.ShownRole(), Name: n.Name}
		}
		return true
	})
	shown := whole.root
	if in.Selector != "" || c.frame != "" {
		sel := selector{given: "the frame's document", query: "html"}
		if in.Selector != "" {
			if sel, err = parseSelector(in.Selector); err != nil {
				return verbs.SnapshotOut{}, err
			}
		}
		if shown, err = whole.part(ctx, c, sel); err != nil {
			return verbs.SnapshotOut{}, err
		}
	}
	out.Snapshot = aria.Print(shown, in, out.Origin)
	c.cutToDelta(&out, in, whole.documents[""])
	return out, nil
}

// shownSnapshot is the last snapshot of a page that was returned to the session's caller.
type shownSnapshot struct {
	in       verbs.SnapshotIn // without Delta
	document string
	text     string
}

// shortText is a length in bytes. If a snapshot is not longer than this, cutToDelta returns the
// changes even if they are longer than the snapshot.
const shortText = 200

// cutToDelta replaces the snapshot by its changes since the last snapshot, if the command requests
// this. If the last snapshot is of another document or had other options, or if the changes are
// longer than the snapshot, cutToDelta warns and changes nothing.
func (c *pageCall) cutToDelta(out *verbs.SnapshotOut, in verbs.SnapshotIn, document string) {
	wanted := in.Delta
	in = c.withFrame(in)
	last, now := c.page.shown, &shownSnapshot{in, document, out.Snapshot}
	c.page.shown = now
	switch {
	case !wanted:
	case last == nil || last.in != in:
		c.Warn("there is no earlier snapshot of this tab with these options, so this is all of it")
	case last.document != document:
		c.Warn("the page was replaced since the last snapshot, so this is all of it")
	default:
		changes := aria.Delta(last.text, now.text)
		if len(changes) > len(now.text) && len(now.text) > shortText {
			c.Warn("nearly all of the page has changed since the last snapshot, so this is all of it")
			return
		}
		out.Delta = true
		out.Snapshot = changes
		maps.DeleteFunc(out.Refs, func(ref string, _ verbs.Ref) bool {
			return !strings.Contains(out.Snapshot, "ref="+ref+"]") && !strings.Contains(out.Snapshot, "ref="+ref+",")
		})
	}
}

// withFrame returns the options of a snapshot, without Delta and with the chosen frame, by which it
// is compared with others.
func (c *pageCall) withFrame(in verbs.SnapshotIn) verbs.SnapshotIn {
	in.Delta, in.Selector = false, c.frame+in.Selector
	return in
}

// part returns the subtree of an element in the snapshot, with the same refs as in the whole
// snapshot.
func (whole numberedSnapshot) part(ctx context.Context, c *pageCall, sel selector) (*aria.Node, error) {
	if sel.ref != 0 {
		e, err := c.refs.Lookup(sel.ref)
		if err != nil {
			return nil, err
		}
		n := whole.root.Find(e.PlaywrightRef)
		if n == nil || n.Ref != sel.ref {
			return nil, refs.StaleError(sel.ref, "its element is gone or another one now")
		}
		return &aria.Node{Children: []*aria.Node{n}}, nil
	}
	at, err := c.findFirst(ctx, sel)
	if err != nil {
		return nil, err
	}
	root, err := c.ariaSnapshot(ctx, func(limit *float64) (string, error) {
		return at.AriaSnapshot(playwright.LocatorAriaSnapshotOptions{Mode: playwright.AriaSnapshotModeAi, Timeout: limit})
	})
	if err != nil {
		return nil, err
	}
	// The part was captured after the whole, so new elements in it have no ref yet.
	root.Walk(func(n *aria.Node) bool {
		if twin := whole.root.Find(n.PlaywrightRef); n.PlaywrightRef != "" && twin != nil && twin.Role == n.Role && twin.Name == n.Name {
			n.Ref = twin.Ref
		}
		return true
	})
	return root, nil
}
