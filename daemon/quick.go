package daemon

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"

	"github.com/abrowser/abrowser/sockets/wire"
)

// quick is an action that the shared driver does in one question to the page, with
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
	limit := slice(ctx, firstTry)
	var answer map[string]any
	id := rand.Text()
	// A caller that goes away is heard while the page is being asked.
	stop := context.AfterFunc(ctx, func() {
		p.link.hand(func() { _, _ = p.cdp.Send("Abrowser.cancel", map[string]any{"id": id}) }) // there is nobody to tell
	})
	defer stop()
	err := t.watch(limit, func() error {
		given, err := p.cdp.Send("Abrowser.act", map[string]any{
			"id": id, "target": p.target, "selector": at.query, "verb": a.quick.verb, "text": a.quick.text,
			"button": cmp.Or(a.quick.button, "left"), "clickCount": a.quick.count, "limit": milliseconds(limit),
		})
		answer, _ = given.(map[string]any)
		return err
	})
	switch {
	case err != nil && neverSent(err):
		return quickRefused, nil // which is found out by who tries the other way
	case err != nil && (p.isGone() || isGone(err)):
		return "", unknownError(a)
	case errors.Is(err, wire.CodeWedged), errors.Is(err, wire.CodePageCrashed):
		return "", err
	case err != nil:
		return quickRefused, nil // for a reason that Playwright has better words for
	}
	state, _ := answer["state"].(string)
	if saves, _ := answer["saves"].(bool); saves && a.quick.saves != nil {
		*a.quick.saves = true
	}
	switch quickState(state) {
	case quickBegun:
		return "", unknownError(a)
	case quickDone:
		if n, ok := answer["count"].(float64); ok && at.sel.ref == 0 {
			t.warnSeveral(at.sel, int(n))
		}
	}
	return quickState(state), nil
}
