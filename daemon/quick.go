package daemon

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

// quick is an action that the shared driver does with one question to the page, with
// Playwright's own checks, where the element is ready at once (quick.js of
// launcher/driver). Where it is not, nothing is done.
type quick struct {
	verb   string // "click" or "fill"
	button string // "" is left
	count  int    // of clicks
	text   string
	saves  *bool // set where the element is in a link that saves a file; may be nil
}

type quickState string

const (
	quickReady   quickState = "ready" // and nothing done yet
	quickDone    quickState = "done"
	quickRefused quickState = "refused" // nothing was done
	quickLate    quickState = "late"    // the page did not answer; a fill may be on its way there
	quickBegun   quickState = "begun"   // and not seen to end
)

// actQuickly tries the quick way, where there is one. With an error, or when it was
// done, nothing else is to be tried.
func (t *turn) actQuickly(ctx context.Context, p *page, at target, a action) (quickState, error) {
	if a.quick == nil || !t.engine.shared() || ctx.Err() != nil {
		return quickRefused, nil
	}
	id := rand.Text()
	limit := slice(ctx, firstTry)
	seen, err := t.askQuickly(p, limit, "Abrowser.look", map[string]any{
		"id": id, "target": p.target, "selector": at.query, "verb": a.quick.verb, "text": a.quick.text,
		"button": cmp.Or(a.quick.button, "left"), "clickCount": a.quick.count, "limit": milliseconds(limit),
	})
	switch {
	case errors.Is(err, wire.CodeWedged), errors.Is(err, wire.CodePageCrashed):
		return "", err
	case err != nil || seen.state != quickReady:
		return quickRefused, nil // nothing is on its way to the page; what is wrong is found out in Playwright's way
	}
	// Nothing is done for a caller that has gone away while the page was asked.
	if ctx.Err() != nil {
		p.link.hand(func() { _, _ = p.cdp.Send("Abrowser.leave", map[string]any{"id": id}) }) // there is nobody to tell
		return quickRefused, nil
	}
	if seen.saves && a.quick.saves != nil {
		*a.quick.saves = true
	}
	limit = slice(ctx, firstTry)
	acted, err := t.askQuickly(p, limit, "Abrowser.act", map[string]any{"id": id, "limit": milliseconds(limit)})
	switch {
	case err != nil && neverSent(err):
		return quickRefused, nil
	case err != nil && (p.isGone() || isGone(err)):
		return "", unknownError(a)
	case errors.Is(err, wire.CodeWedged), errors.Is(err, wire.CodePageCrashed):
		return "", err
	case err != nil:
		return quickRefused, nil // for a reason that Playwright has better words for
	case acted.state == quickBegun:
		return "", unknownError(a)
	case acted.state == quickDone && at.sel.ref == 0:
		t.warnSeveral(at.sel, seen.count)
	}
	return acted.state, nil
}

// quickAnswer is what quick.js answers.
type quickAnswer struct {
	state quickState
	count int  // how many elements there are
	saves bool // the element saves a file
}

func (t *turn) askQuickly(p *page, limit time.Duration, method string, params map[string]any) (out quickAnswer, err error) {
	err = t.watch(limit, func() error {
		given, err := p.cdp.Send(method, params)
		answer, _ := given.(map[string]any)
		state, _ := answer["state"].(string)
		count, _ := answer["count"].(float64)
		out.state, out.count = quickState(state), int(count)
		out.saves, _ = answer["saves"].(bool)
		return err
	})
	if err != nil {
		return quickAnswer{}, err // the call may still run
	}
	return out, nil
}
