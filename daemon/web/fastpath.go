package daemon

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/abrowser/abrowser/daemon/web/cdp"
	"github.com/abrowser/abrowser/sockets/wire"
)

// quick is an action that the daemon performs itself, with Playwright's own checks, if the
// element is ready at once (quick.js of launcher/driver). If it is not, nothing is done.
type quick struct {
	verb   string // "click" or "fill"
	button string // "" is left
	count  int    // of clicks
	text   string
}

type quickState string

const (
	quickDone    quickState = "done"
	quickRefused quickState = "refused" // nothing was done
)

const (
	firstTry = time.Second // the time limit of the fast path
	// promptTime is how long after the request a page may begin a fill. The check and the
	// fill are one message, so a caller that disconnects after it was sent cannot cancel it.
	promptTime = 100 * time.Millisecond
	// stopWatchTime is the least time that a page gets to report what a click has hit.
	stopWatchTime = 100 * time.Millisecond
	// overTime is how long the daemon waits, after the page has acknowledged the input, for
	// the report that it was seen. Then it asks, since the page may hide events from the watcher.
	overTime = 5 * time.Millisecond
)

// actQuickly tries the fast path, if the action has one. After an error or [quickDone], the
// action must not be tried in another way. If the element is not ready, at.why is set.
func (t *turn) actQuickly(ctx context.Context, p *page, at *target, a action) (done performed, state quickState, err error) {
	if a.quick == nil || ctx.Err() != nil {
		return done, quickRefused, nil
	}
	limited, cancel := context.WithTimeout(ctx, slice(ctx, firstTry))
	defer cancel()
	act := t.clickQuickly
	if a.quick.verb == "fill" {
		act = t.fillQuickly
	}
	state = quickRefused
	t.ahead = true
	err = t.inWorld(limited, p, func(w *world) (err error) {
		t.direct = true
		state, done.saves, err = act(ctx, w, at, a)
		return err
	})
	switch {
	case errors.Is(err, wire.CodeWedged), errors.Is(err, wire.CodePageCrashed), errors.Is(err, wire.CodeResultUnknown):
		return done, "", err
	case err != nil:
		return done, quickRefused, nil // nothing was done; the driver determines the error
	}
	return done, state, nil
}

// acknowledged returns the context of the act phase. It does not end with the caller's
// context, but when the page has not acknowledged the input in time.
func acknowledged(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), slice(ctx, actionTime)+ackTime)
}

// seen is a page's report on the element of an action.
type seen struct {
	Ready bool    `json:"ready"`
	Why   string  `json:"why"` // the element is not ready; empty if only Playwright can tell
	How   string  `json:"how"` // a fill was "done", or "needsinput": text must be inserted
	X     float64 `json:"x"`   // where to click, in CSS pixels
	Y     float64 `json:"y"`
	Count int     `json:"count"` // how many elements there are
	Saves bool    `json:"saves"` // it saves a file
}

// fillQuickly fills the element if it is ready: in the page, or by keyboard input.
func (t *turn) fillQuickly(ctx context.Context, w *world, at *target, a action) (quickState, bool, error) {
	if t.isLeft(ctx) {
		return quickRefused, false, nil
	}
	ctx, cancel := acknowledged(ctx)
	defer cancel()
	var s seen
	typed, err := w.begin(ctx, "typed")
	if err != nil {
		return quickRefused, false, nil
	}
	defer w.Forget(typed)
	err = w.ask(ctx, &s, "fill", at.query, a.quick.text, w.until(promptTime), at.began)
	switch {
	case errors.Is(err, wire.CodeTimeout), errors.Is(err, errLost), errors.Is(err, wire.CodePageClosed), isMoved(err) && !neverRun(err):
		return "", false, unknownError(a, "the page did not answer")
	case errors.Is(err, wire.CodePageCrashed):
		return "", false, crashedWhile(a)
	case err != nil:
		return "", false, err
	case s.How == "needsinput":
		inputs := []input{{"Input.insertText", map[string]any{"text": a.quick.text}}}
		if a.quick.text == "" {
			inputs = deleteKey()
		}
		t.typed = true
		arrived := false
		if arrived, err = t.typeQuickly(ctx, w, a, inputs, typed); err == nil && !arrived {
			return quickRefused, false, nil
		}
	case s.How != "done":
		at.why = s.Why
		return quickRefused, false, nil
	}
	if err == nil && at.sel.ref == 0 {
		t.warnSeveral(at.sel, s.Count)
	}
	return quickDone, false, err
}

// typeQuickly sends keyboard input and reports whether the page has seen it. If that is not
// known, it returns an error.
func (t *turn) typeQuickly(ctx context.Context, w *world, a action, inputs []input, typed cdp.Pending) (bool, error) {
	given, err := w.give(ctx, a, inputs)
	if err != nil {
		return false, err
	}
	if err := w.took(ctx, a, given); err != nil {
		return false, err
	}
	if typed.Arrives(overTime) && typed.IsTrue() {
		return true, nil
	}
	verdict := ""
	err = w.ask(ctx, &verdict, "endTyped")
	switch {
	case err == nil && verdict == "gone": // the element was removed before the input came
		return false, nil
	case err == nil:
		return true, confirm(a, verdict)
	case typed.IsTrue():
		return true, nil
	}
	return false, unknownError(a, "the page did not say whether it saw the input")
}

// confirm converts a verdict of watchClick or watchKeys (verbs.js) to an error. It returns
// nil if the page saw the input.
func confirm(a action, verdict string) error {
	switch verdict {
	case "seen":
		return nil
	case "apart":
		return unknownError(a, "the button was pressed on the element and released elsewhere, so the page got no click")
	case "partly":
		return unknownError(a, "the page saw only a part of the input")
	case "hidden":
		return unknownError(a, "the page stopped the events before they could be observed")
	}
	return unknownError(a, "the page did not see the input")
}

func deleteKey() []input {
	key := map[string]any{"type": "rawKeyDown", "key": "Delete", "code": "Delete", "windowsVirtualKeyCode": 46}
	if runtime.GOOS == "darwin" { // macOS deletes by an editing command, not by the key
		key["commands"] = []string{"deleteForward"}
	}
	return []input{
		{"Input.dispatchKeyEvent", key},
		{"Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": "Delete", "code": "Delete", "windowsVirtualKeyCode": 46}},
	}
}

// clickQuickly finds the element's position, checks that a click there hits the element, and
// clicks. If something covers the element by then, a guard in the page blocks the click.
func (t *turn) clickQuickly(ctx context.Context, w *world, at *target, a action) (quickState, bool, error) {
	limited, cancel := context.WithTimeout(ctx, slice(ctx, firstTry))
	until, _ := limited.Deadline()
	came, _ := w.begin(limited, "came") // asked before the click, which may navigate
	over, notAsked := w.begin(limited, "over", a.quick.count)
	defer w.Forget(came)
	defer w.Forget(over)
	var s seen
	err := w.ask(limited, &s, "look", at.query, w.until(time.Until(until)), a.quick.button, a.quick.count, at.began)
	cancel()
	// Nothing is done if the caller disconnected meanwhile.
	if late := t.isLeft(ctx) || time.Now().After(until); late || errors.Is(err, wire.CodeTimeout) {
		w.leave(ctx)
		return quickRefused, false, nil
	}
	if err != nil || !s.Ready {
		at.why = s.Why
		return quickRefused, false, err
	}
	until = time.Now().Add(max(slice(ctx, firstTry), stopWatchTime)) // for what follows the click
	ctx, cancel = acknowledged(ctx)
	defer cancel()
	given, err := w.give(ctx, a, clicks(s, a.quick.button, a.quick.count))
	if err != nil {
		return "", false, err
	}
	if err := w.took(ctx, a, given); err != nil {
		return "", false, err
	}
	if soon := time.Now().Add(stopWatchTime); until.Before(soon) {
		until = soon
	}
	ended := clicked{Hit: true, Moved: true} // the default, if the document is gone
	err = notAsked
	if err == nil {
		soon, cancel := context.WithTimeout(ctx, overTime)
		err = w.finish(soon, over, &ended)
		cancel()
	}
	if errors.Is(err, wire.CodeTimeout) {
		err = w.endClick(ctx, until, came, &ended)
	}
	switch {
	case err == nil && !ended.Hit:
		return quickRefused, false, nil
	case err == nil && ended.Click != "":
		err = confirm(a, ended.Click)
	case came.IsTrue():
		err = nil
	case err == nil: // another click has ended the watch
		err = unknownError(a, "the page did not say whether it saw the click")
	default:
		err = unknownError(a, "the page went away before it said that it saw the click")
	}
	if err != nil {
		return "", false, err
	}
	t.arrived = true // if the page navigates, settle records that
	switch {
	case ended.Calm:
		t.endLater(ctx, w, until)
	case ended.Moved:
		t.settle(w.page, max(0, time.Until(until)))
	}
	if at.sel.ref == 0 {
		t.warnSeveral(at.sel, s.Count)
	}
	return quickDone, s.Saves, nil
}

// clicked is a page's report on a click that is over.
type clicked struct {
	Hit   bool   `json:"hit"`   // the input hit the element; otherwise the guard blocked it
	Click string `json:"click"` // the verdict of watchClick of verbs.js
	Moved bool   `json:"moved"` // the page navigates
	Calm  bool   `json:"calm"`  // tasks that the click has queued are not over
}

// endClick asks the page for its report on a click. It waits until the given time if the
// click was seen, and otherwise until ctx ends.
func (w *world) endClick(ctx context.Context, until time.Time, came cdp.Pending, ended *clicked) error {
	if came.IsTrue() {
		soon, cancel := context.WithDeadline(ctx, until)
		defer cancel()
		ctx = soon
	}
	return w.ask(ctx, ended, "end")
}

// endLater keeps the queue until a large page has finished the tasks that a click has queued.
// The caller is answered before, since the page paints first, which takes longer than the
// click.
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

// clicks returns the input events of a move to a position and count clicks there.
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

// input is a command of CDP's Input domain.
type input struct {
	method string
	params map[string]any
}

// give sends all inputs to the page without waiting in between. ctx must not end with the
// caller's context.
func (c *channel) give(ctx context.Context, a action, inputs []input) ([]cdp.Pending, error) {
	var all []cdp.Pending
	for _, in := range inputs {
		asked, err := c.ask(ctx, in.method, in.params)
		if err != nil {
			return all, unknownError(a, "the connection to the page was lost")
		}
		all = append(all, asked)
	}
	return all, nil
}

// took waits until the page has acknowledged all inputs.
func (c *channel) took(ctx context.Context, a action, given []cdp.Pending) error {
	for _, asked := range given {
		if err := c.await(ctx, asked, nil); errors.Is(err, wire.CodePageCrashed) {
			return crashedWhile(a)
		} else if err != nil {
			return unknownError(a, "the page did not acknowledge the input")
		}
	}
	return nil
}
