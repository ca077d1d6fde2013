package daemon

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

// quick is an action that we do ourselves, with Playwright's own checks, where the
// element is ready at once (quick.js of launcher/driver). Where it is not, nothing is
// done.
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
)

const (
	// promptTime is how late a page may begin with a fill, which is sent to it in one
	// with the question whether the element is ready. A caller that goes away meanwhile
	// has come too late.
	promptTime = 100 * time.Millisecond
	inputTime  = 2 * time.Second // for what was begun in time
	// stopWatchTime is how long a page may at least take to say what a click has hit.
	stopWatchTime = 100 * time.Millisecond
	// overTime is how long a page that has taken a click's input is waited for to say that
	// the click is over, before it is asked: the page may have kept it from us.
	overTime = 5 * time.Millisecond
)

// actQuickly tries the quick way, where there is one. With an error, or when it was
// done, nothing else is to be tried. Of an element that is not ready it notes why.
func (t *turn) actQuickly(ctx context.Context, p *page, at *target, a action) (quickState, error) {
	if a.quick == nil || !t.engine.shared() || ctx.Err() != nil {
		return quickRefused, nil
	}
	until := time.Now().Add(slice(ctx, firstTry))
	limited, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	act := t.clickQuickly
	if a.quick.verb == "fill" {
		act = t.fillQuickly
	}
	state := quickRefused
	t.ahead = true
	err := t.inWorld(limited, p, func(w *world) (err error) {
		t.direct = true
		state, err = act(ctx, w, at, a, until)
		return err
	})
	switch {
	case errors.Is(err, wire.CodeWedged), errors.Is(err, wire.CodePageCrashed), errors.Is(err, wire.CodeResultUnknown):
		return "", err
	case err != nil:
		return quickRefused, nil // nothing was done; what is wrong is found out in Playwright's way
	}
	return state, nil
}

// seen is what a page says of the element that is to be acted on.
type seen struct {
	Ready bool    `json:"ready"`
	Why   string  `json:"why"` // it is not, empty where only Playwright can tell
	How   string  `json:"how"` // a fill was "done", or "needsinput" from the keyboard
	X     float64 `json:"x"`   // where to click, in CSS pixels
	Y     float64 `json:"y"`
	Count int     `json:"count"` // how many elements there are
	Saves bool    `json:"saves"` // it saves a file
}

// fillQuickly has the page fill the element, where it is ready, or make it ready for the
// keyboard.
func (t *turn) fillQuickly(ctx context.Context, w *world, at *target, a action, until time.Time) (quickState, error) {
	if t.isLeft(ctx) {
		return quickRefused, nil
	}
	ctx = context.WithoutCancel(ctx) // what is begun is seen to its end
	limited, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	var s seen
	err := w.ask(limited, &s, "fill", at.query, a.quick.text, time.Now().Add(promptTime).UnixMilli())
	switch {
	case errors.Is(err, errLost), errors.Is(err, wire.CodePageClosed), isMoved(err) && !neverRun(err):
		return "", unknownError(a)
	case errors.Is(err, wire.CodeTimeout):
		return quickLate, nil
	case err != nil:
		return "", err
	case s.How == "needsinput":
		inputs := []input{{"Input.insertText", map[string]any{"text": a.quick.text}}}
		if a.quick.text == "" {
			inputs = deleteKey()
		}
		err = w.input(ctx, a, until, inputs)
	case s.How != "done":
		at.why = s.Why
		return quickRefused, nil
	}
	if err == nil && at.sel.ref == 0 {
		t.warnSeveral(at.sel, s.Count)
	}
	return quickDone, err
}

func deleteKey() []input {
	key := map[string]any{"type": "rawKeyDown", "key": "Delete", "code": "Delete", "windowsVirtualKeyCode": 46}
	if runtime.GOOS == "darwin" { // where it is a command, not the key, that deletes
		key["commands"] = []string{"deleteForward"}
	}
	return []input{
		{"Input.dispatchKeyEvent", key},
		{"Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": "Delete", "code": "Delete", "windowsVirtualKeyCode": 46}},
	}
}

// clickQuickly looks where the element is, and whether a click arrives there, and clicks.
// What comes in the way by then, the page keeps the click from.
func (t *turn) clickQuickly(ctx context.Context, w *world, at *target, a action, until time.Time) (quickState, error) {
	limited, cancel := context.WithDeadline(ctx, until)
	came, _ := w.begin(limited, "came", a.quick.count) // the click may send the page away
	over, notAsked := w.begin(limited, "over", a.quick.count)
	defer w.forget(came)
	defer w.forget(over)
	var s seen
	err := w.ask(limited, &s, "look", at.query, until.UnixMilli())
	cancel()
	// Nothing is done for a caller that has gone away while the page was asked.
	if late := t.isLeft(ctx) || time.Now().After(until); late || errors.Is(err, wire.CodeTimeout) {
		w.leave(ctx)
		return quickRefused, nil
	}
	if err != nil || !s.Ready {
		at.why = s.Why
		return quickRefused, err
	}
	if a.quick.saves != nil {
		*a.quick.saves = s.Saves
	}
	until = time.Now().Add(slice(ctx, firstTry))
	ctx = context.WithoutCancel(ctx) // as above
	given, err := w.give(ctx, a, clicks(s, cmp.Or(a.quick.button, "left"), a.quick.count))
	if err != nil {
		return "", err
	}
	if err := w.took(ctx, a, until, given); err != nil {
		return "", err
	}
	if soon := time.Now().Add(stopWatchTime); until.Before(soon) {
		until = soon
	}
	limited, cancel = context.WithDeadline(ctx, until)
	defer cancel()
	stopped := struct{ Hit, Moved, Calm bool }{Hit: true, Moved: true} // where the document is gone
	err = notAsked
	if err == nil {
		soon, cancel := context.WithTimeout(limited, overTime)
		err = w.finish(soon, over, &stopped)
		cancel()
	}
	if errors.Is(err, wire.CodeTimeout) {
		err = w.ask(limited, &stopped, "end")
	}
	if err == nil && !stopped.Hit {
		return quickRefused, nil
	}
	if isMoved(err) && !came.isAnswered() { // what followed may have got the click
		return "", unknownError(a)
	}
	switch {
	case stopped.Calm:
		t.endLater(ctx, w, until)
	case stopped.Moved:
		t.settle(w.page, max(0, time.Until(until)))
	}
	if at.sel.ref == 0 {
		t.warnSeveral(at.sel, s.Count)
	}
	return quickDone, nil
}

// endLater has the lane wait for what a large page has put off that has heard of a click,
// and the next command, not the caller: it paints before, which takes longer than the click.
func (t *turn) endLater(ctx context.Context, w *world, until time.Time) {
	asked, err := w.begin(ctx, "end")
	if err != nil {
		return
	}
	t.slot.later(func() {
		limited, cancel := context.WithDeadline(context.WithoutCancel(ctx), until)
		defer cancel()
		stopped := struct{ Moved bool }{true} // as above
		_ = w.finish(limited, asked, &stopped)
		t.owes.Store(!t.isQuiet()) // before Playwright is asked
		if stopped.Moved {
			t.settle(w.page, max(0, time.Until(until)))
		}
	})
}

// clicks are the pointer's way to a place and what it does there.
func clicks(at seen, button string, count int) []input {
	down := map[string]int{"left": 1, "right": 2, "middle": 4}[button]
	mouse := func(kind, button string, buttons, clicks int) input {
		event := map[string]any{"type": kind, "x": at.X, "y": at.Y, "button": button, "buttons": buttons, "clickCount": clicks}
		if buttons != 0 {
			event["force"] = 0.5
		}
		return input{"Input.dispatchMouseEvent", event}
	}
	inputs := []input{mouse("mouseMoved", "none", 0, 0)}
	for i := range count {
		inputs = append(inputs, mouse("mousePressed", button, down, i+1), mouse("mouseReleased", button, 0, i+1))
	}
	return inputs
}

// settle waits for what the page navigates to, as long as there is time, and until we
// know what Playwright tells of it.
func (t *turn) settle(p *page, limit time.Duration) {
	err := t.watch(limit, func() error {
		_, err := p.cdp.Send("Abrowser.settled", map[string]any{"target": p.target, "limit": milliseconds(limit)})
		return err
	})
	t.ahead = false
	if err != nil {
		t.log.Warn("waiting for a navigation", "error", firstLine(briefly(err))) // the click has been done
	}
}

// input is a command of CDP's Input domain.
type input struct {
	method string
	params map[string]any
}

// input has the page do all of it, at once and in order.
func (c *channel) input(ctx context.Context, a action, until time.Time, inputs []input) error {
	given, err := c.give(ctx, a, inputs)
	if err != nil {
		return err
	}
	return c.took(ctx, a, until, given)
}

// give is the first half of input. ctx does not end.
func (c *channel) give(ctx context.Context, a action, inputs []input) ([]asking, error) {
	var all []asking
	for _, in := range inputs {
		asked, err := c.ask(ctx, in.method, in.params)
		if err != nil {
			return all, unknownError(a)
		}
		all = append(all, asked)
	}
	return all, nil
}

// took is its second half.
func (c *channel) took(ctx context.Context, a action, until time.Time, given []asking) error {
	ctx, cancel := context.WithDeadline(ctx, until.Add(inputTime))
	defer cancel()
	for _, asked := range given {
		if err := c.await(ctx, asked, nil); errors.Is(err, wire.CodePageCrashed) {
			return err
		} else if err != nil {
			return unknownError(a)
		}
	}
	return nil
}
