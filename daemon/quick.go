package daemon

import (
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
}

type quickState string

const (
	quickDone    quickState = "done"
	quickRefused quickState = "refused" // nothing was done
)

const (
	firstTry = time.Second // for an element that is ready at once
	// promptTime is how late a page may begin with a fill, which is sent to it in one
	// with the question whether the element is ready. A caller that goes away meanwhile
	// has come too late.
	promptTime = 100 * time.Millisecond
	// stopWatchTime is how long a page may at least take to say what a click has hit.
	stopWatchTime = 100 * time.Millisecond
	// overTime is how long a page that has taken a click's input is waited for to say that
	// the click is over, before it is asked: the page may have kept it from us.
	overTime = 5 * time.Millisecond
)

// actQuickly tries the quick way, where there is one. With an error, or when it was
// done, nothing else is to be tried. Of an element that is not ready it notes why.
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
		return done, quickRefused, nil // nothing was done; the driver finds out what is wrong
	}
	return done, state, nil
}

// acknowledged is a context for the act phase: it does not end with the caller's, but
// when the page is late to acknowledge.
func acknowledged(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), slice(ctx, actionTime)+ackTime)
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
	defer w.forget(typed)
	err = w.ask(ctx, &s, "fill", at.query, a.quick.text, w.until(promptTime), at.began)
	switch {
	case errors.Is(err, wire.CodeTimeout), errors.Is(err, errLost), errors.Is(err, wire.CodePageClosed), isMoved(err) && !neverRun(err):
		return "", false, unknownError(a, "the page did not answer")
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

// typeQuickly gives the keyboard's input and reports whether the page has seen it; the
// error says that this is not known.
func (t *turn) typeQuickly(ctx context.Context, w *world, a action, inputs []input, typed asking) (bool, error) {
	given, err := w.give(ctx, a, inputs)
	if err != nil {
		return false, err
	}
	if err := w.took(ctx, a, given); err != nil {
		return false, err
	}
	if typed.arrives(overTime) && typed.isTrue() {
		return true, nil
	}
	verdict := ""
	err = w.ask(ctx, &verdict, "endTyped")
	switch {
	case err == nil && verdict == "gone": // the element, with the input that was for it
		return false, nil
	case err == nil:
		return true, confirm(a, verdict)
	case typed.isTrue():
		return true, nil
	}
	return false, unknownError(a, "the page did not say whether it saw the input")
}

// confirm is the error of an action whose input the page did not see, by the verdict of
// watchClick or watchKeys of verbs.js.
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
func (t *turn) clickQuickly(ctx context.Context, w *world, at *target, a action) (quickState, bool, error) {
	limited, cancel := context.WithTimeout(ctx, slice(ctx, firstTry))
	until, _ := limited.Deadline()
	came, _ := w.begin(limited, "came") // the click may send the page away
	over, notAsked := w.begin(limited, "over", a.quick.count)
	defer w.forget(came)
	defer w.forget(over)
	var s seen
	err := w.ask(limited, &s, "look", at.query, w.until(time.Until(until)), a.quick.button, a.quick.count, at.began)
	cancel()
	// Nothing is done for a caller that has gone away while the page was asked.
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
	ended := clicked{Hit: true, Moved: true} // where the document is gone
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
	case came.isTrue():
		err = nil
	case err == nil: // another click has ended the watch
		err = unknownError(a, "the page did not say whether it saw the click")
	default:
		err = unknownError(a, "the page went away before it said that it saw the click")
	}
	if err != nil {
		return "", false, err
	}
	t.arrived = true // where the page navigates, settle records that
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

// clicked is what a page says of a click when it is over.
type clicked struct {
	Hit   bool   `json:"hit"`   // the input came to the element; else the page was kept from it
	Click string `json:"click"` // the verdict of watchClick of verbs.js
	Moved bool   `json:"moved"` // the page goes elsewhere
	Calm  bool   `json:"calm"`  // what the click has put off is not over
}

// endClick asks the page for the end of a click. Where the click was seen it is waited
// for until a time, and as long as ctx goes on where it was not.
func (w *world) endClick(ctx context.Context, until time.Time, came asking, ended *clicked) error {
	if came.isTrue() {
		soon, cancel := context.WithDeadline(ctx, until)
		defer cancel()
		ctx = soon
	}
	return w.ask(ctx, ended, "end")
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

// input is a command of CDP's Input domain.
type input struct {
	method string
	params map[string]any
}

// give sends all of it to the page, at once and in order. ctx does not end.
func (c *channel) give(ctx context.Context, a action, inputs []input) ([]asking, error) {
	var all []asking
	for _, in := range inputs {
		asked, err := c.ask(ctx, in.method, in.params)
		if err != nil {
			return all, unknownError(a, "the connection to the page was lost")
		}
		all = append(all, asked)
	}
	return all, nil
}

// took waits until the page has taken what was given.
func (c *channel) took(ctx context.Context, a action, given []asking) error {
	for _, asked := range given {
		if err := c.await(ctx, asked, nil); errors.Is(err, wire.CodePageCrashed) {
			return err
		} else if err != nil {
			return unknownError(a, "the page did not acknowledge the input")
		}
	}
	return nil
}
