package web

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/daemon/web/cdp"
	"github.com/abrowser/abrowser/sockets/wire"
)

// fastAction describes how the fast path performs an action. The daemon performs the action itself,
// through the functions of quick.js of launcher/driver, which make Playwright's own checks. If the
// element is not ready at once, nothing is done.
type fastAction struct {
	verb   string // "click" or "fill"
	button string // "" means the left button
	count  int    // the number of clicks
	text   string
}

type fastResult string

const (
	fastDone    fastResult = "done"
	fastRefused fastResult = "refused" // nothing was done
)

const (
	firstTry = time.Second // the time limit of the fast path
	// promptTime is how long after the daemon's request a page may begin a fill. It is short because
	// one message requests both the check of the element and the fill. Once sent, this message
	// cannot be cancelled, even if the caller disconnects.
	promptTime = 100 * time.Millisecond
	// stopWatchTime is the least time that a page gets to report what a click has hit.
	stopWatchTime = 100 * time.Millisecond
	// overTime is how long the daemon waits for the page's report on the input, after the page
	// has acknowledged the input. After that the daemon asks for the report, because a page that
	// stops events before our script observes them does not send one.
	overTime = 5 * time.Millisecond
)

// tryFastPath tries the fast path, if the action has one. If it returns an error or [fastDone],
// the action must not be tried in another way. If the element is not ready and the reason is
// known, tryFastPath stores the reason in at.why.
func (c *pageCall) tryFastPath(ctx context.Context, at *target, a action) (done performed, state fastResult, err error) {
	if a.fast == nil || c.frame != "" || ctx.Err() != nil || len(c.page.held) > 0 || c.trace.Current() != nil { // only the driver can combine input with held keys and buttons, and record it
		return done, fastRefused, nil
	}
	limited, cancel := context.WithTimeout(ctx, daemon.TimeLeft(ctx, firstTry))
	defer cancel()
	state = fastRefused
	c.aheadOfEvents = true
	err = c.inUtilityWorld(limited, func(w *utilityWorld) (err error) {
		c.askedDirectly = true
		try := fastAttempt{c, w, at, a}
		if a.fast.verb == "fill" {
			state, done, err = try.fill(ctx)
		} else {
			state, done, err = try.click(ctx)
		}
		return err
	})
	switch {
	case errors.Is(err, wire.CodeWedged), errors.Is(err, wire.CodePageCrashed), errors.Is(err, wire.CodeResultUnknown):
		return done, "", err
	case err != nil:
		return done, fastRefused, nil // nothing was done; the driver determines the error
	}
	return done, state, nil
}

// fastAttempt is an action on the fast path, in the page's utility world.
type fastAttempt struct {
	*pageCall
	w  *utilityWorld
	at *target
	a  action
}

// acknowledged returns a context for the act phase, in which the input is sent. The context does
// not end with ctx. It ends when the page's time to acknowledge the input is over.
func acknowledged(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), daemon.TimeLeft(ctx, actionTime)+ackTime)
}

// elementReport is a page's report on the element of an action.
type elementReport struct {
	Ready bool    `json:"ready"`
	Why   string  `json:"why"` // why it is not ready; empty if only Playwright can find out
	How   string  `json:"how"` // after a fill: "done", or "needsinput" if text must be inserted
	X     float64 `json:"x"`   // where to click, in CSS pixels
	Y     float64 `json:"y"`
	Count int     `json:"count"` // the number of matching elements
	Saves bool    `json:"saves"` // the element is in a download link
	Now   int64   `json:"now"`   // the page's time, in milliseconds since 1970, if the element is not ready
}

// fill fills the element if it is ready. For some elements, such as a date field, a script in the
// page sets the value. For others the script selects the old text, and fill sends keyboard input
// that replaces it.
func (f fastAttempt) fill(ctx context.Context) (fastResult, performed, error) {
	if f.IsCallerGone(ctx) {
		return fastRefused, performed{}, nil
	}
	ctx, cancel := acknowledged(ctx)
	defer cancel()
	var s elementReport
	typed, err := f.w.start(ctx, "typed")
	if err != nil {
		return fastRefused, performed{}, nil
	}
	defer f.w.Forget(typed)
	err = f.w.query(ctx, &s, "fill", f.at.query, f.a.fast.text, f.w.until(promptTime), f.at.began)
	f.w.learnClock(s.Now)
	switch {
	case errors.Is(err, wire.CodeTimeout), errors.Is(err, errLost), errors.Is(err, wire.CodePageClosed), isDocumentGone(err) && !isNotRun(err):
		return "", performed{}, unknownResultError(f.a, "the page did not answer")
	case errors.Is(err, wire.CodePageCrashed):
		return "", performed{}, crashDuringError(f.a)
	case err != nil:
		return "", performed{}, err
	case s.How == "needsinput":
		inputs := []input{{"Input.insertText", map[string]any{"text": f.a.fast.text}}}
		if f.a.fast.text == "" {
			inputs = deleteKey()
		}
		f.typed = true
		arrived := false
		if arrived, err = f.typeText(ctx, inputs, typed); err == nil && !arrived {
			return fastRefused, performed{}, nil
		}
	case s.How != "done":
		f.at.why = s.Why
		return fastRefused, performed{}, nil
	}
	if err == nil && f.at.sel.ref == 0 {
		f.warnSeveral(f.at.sel, s.Count)
	}
	return fastDone, performed{}, err
}

// typeText sends keyboard input, and returns true if the page has seen it. It returns false if the
// element was removed before the input came, and an error if it is not known whether the page has
// seen all of the input. The parameter typed is a query that was sent before the fill. The page
// responds to this query when it sees the input.
func (f fastAttempt) typeText(ctx context.Context, inputs []input, typed cdp.Pending) (bool, error) {
	given, err := f.w.sendInputs(ctx, f.a, inputs)
	if err != nil {
		return false, err
	}
	if err := f.w.awaitInputs(ctx, f.a, given); err != nil {
		return false, err
	}
	if typed.Arrives(overTime) && typed.IsTrue() {
		return true, nil
	}
	verdict := ""
	err = f.w.query(ctx, &verdict, "endTyped")
	switch {
	case err == nil && verdict == "gone": // the element was removed before the input came
		return false, nil
	case err == nil:
		return true, confirm(f.a, verdict)
	case typed.IsTrue():
		return true, nil
	}
	return false, unknownResultError(f.a, "the page did not say whether it saw the input")
}

// verdictSaves is the verdict with which watchClick (verbs.js) reports that the page saw the click,
// and followed a link that saves a file.
const verdictSaves = "saves"

// verdictUnused is the verdict with which watchClick reports that the page saw the click, and that
// nothing on the page used it.
const verdictUnused = "unused"

// confirm converts a verdict of watchClick or watchKeys (verbs.js) to an error. It returns
// nil if the page saw the input.
func confirm(a action, verdict string) error {
	switch verdict {
	case "seen", verdictSaves, verdictUnused:
		return nil
	case "apart":
		return unknownResultError(a, "the button was pressed on the element and released elsewhere, so the page got no click")
	case "partly":
		return unknownResultError(a, "the page saw only a part of the input")
	case "hidden":
		return unknownResultError(a, "the page stopped the events before they could be observed")
	}
	return unknownResultError(a, "the page did not see the input")
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

// click finds the element's position, checks that a click there hits the element, and
// clicks. If something covers the element between the check and the click, event listeners that
// the check has installed in the page block the click.
func (f fastAttempt) click(ctx context.Context) (fastResult, performed, error) {
	limited, cancel := context.WithTimeout(ctx, daemon.TimeLeft(ctx, firstTry))
	until, _ := limited.Deadline()
	came, _ := f.w.start(limited, "came") // sent before the click, which may navigate
	over, notAsked := f.w.start(limited, "over", f.a.fast.count)
	defer f.w.Forget(came)
	defer f.w.Forget(over)
	var s elementReport
	err := f.w.query(limited, &s, "look", f.at.query, f.w.until(time.Until(until)), f.a.fast.button, f.a.fast.count, f.at.began)
	f.w.learnClock(s.Now)
	cancel()
	// If the caller disconnected or the time ended during the query, no click is sent.
	if late := f.IsCallerGone(ctx) || time.Now().After(until); late || errors.Is(err, wire.CodeTimeout) {
		f.w.cancel(ctx)
		return fastRefused, performed{}, nil
	}
	if err != nil || !s.Ready {
		f.at.why = s.Why
		return fastRefused, performed{}, err
	}
	// From here on, the variable until holds the deadline for the work that follows the click.
	until = time.Now().Add(max(daemon.TimeLeft(ctx, firstTry), stopWatchTime))
	ctx, cancel = acknowledged(ctx)
	defer cancel()
	given, err := f.w.sendInputs(ctx, f.a, clicks(s, f.a.fast.button, f.a.fast.count))
	if err != nil {
		return "", performed{}, err
	}
	if err := f.w.awaitInputs(ctx, f.a, given); err != nil {
		return "", performed{}, err
	}
	if soon := time.Now().Add(stopWatchTime); until.Before(soon) {
		until = soon
	}
	ended := clickReport{Hit: true, Moved: true} // the values if the document is gone and sends no report
	err = notAsked
	if err == nil {
		soon, cancel := context.WithTimeout(ctx, overTime)
		err = f.w.finish(soon, over, &ended)
		cancel()
	}
	if errors.Is(err, wire.CodeTimeout) {
		err = f.w.endClick(ctx, until, came, &ended)
	}
	switch {
	case err == nil && !ended.Hit:
		return fastRefused, performed{}, nil
	case err == nil && ended.Click != "":
		err = confirm(f.a, ended.Click)
	case came.IsTrue():
		err = nil
	case err == nil: // another click has ended the watch
		err = unknownResultError(f.a, "the page did not say whether it saw the click")
	default:
		err = unknownResultError(f.a, "the page went away before it said that it saw the click")
	}
	if err != nil {
		return "", performed{}, err
	}
	f.settled = true // the report says whether the page navigates; if it does, settle records this below
	switch {
	case ended.Calm:
		f.deferEnd(ctx, until)
	case ended.Moved:
		f.settle(max(0, time.Until(until)))
	}
	if f.at.sel.ref == 0 {
		f.warnSeveral(f.at.sel, s.Count)
	}
	return fastDone, performed{saves: s.Saves || ended.Click == verdictSaves, unused: ended.Click == verdictUnused}, nil
}

// clickReport is a page's report on a click that is over.
type clickReport struct {
	Hit   bool   `json:"hit"`   // the input hit the element; otherwise it was blocked in the page
	Click string `json:"click"` // the verdict of watchClick of verbs.js
	Moved bool   `json:"moved"` // the page navigates
	Calm  bool   `json:"calm"`  // the page has handled the click, but not its deferred work
}

// endClick asks the page for its report on a click, and stores the report in ended. The parameter
// came is the query "came", to which the page responds with true when it has seen the click. If
// this response has arrived, endClick waits for the report only up to the time in the parameter
// until. Otherwise it waits until ctx ends.
func (w *utilityWorld) endClick(ctx context.Context, until time.Time, came cdp.Pending, ended *clickReport) error {
	if came.IsTrue() {
		soon, cancel := context.WithDeadline(ctx, until)
		defer cancel()
		ctx = soon
	}
	return w.query(ctx, ended, "end")
}

// deferEnd delays the next command's turn until a large page has done the work that it deferred
// when it handled a click. The caller of the click is answered before that work is done. The reason
// is that the page paints before it does this work, and painting takes longer than the click.
func (f fastAttempt) deferEnd(ctx context.Context, until time.Time) {
	asked, err := f.w.start(ctx, "end")
	if err != nil {
		return
	}
	f.Ticket.Defer(func() {
		limited, cancel := context.WithDeadline(context.WithoutCancel(ctx), until)
		defer cancel()
		stopped := struct{ Moved bool }{true} // the values if the document is gone and sends no report
		_ = f.w.finish(limited, asked, &stopped)
		if !f.isQuiet() { // before settle, after which isQuiet returns false
			f.pendingTabs.Store(true) // Playwright may report a new tab later than the page responds
		}
		if stopped.Moved {
			f.settle(max(0, time.Until(until)))
		}
	})
}

// clicks returns the input events that move the mouse to a position and click there count times.
func clicks(at elementReport, button string, count int) []input {
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

// sendInputs sends all inputs to the page without waiting in between. ctx must not end when the
// caller disconnects.
func (ps *pageSession) sendInputs(ctx context.Context, a action, inputs []input) ([]cdp.Pending, error) {
	var all []cdp.Pending
	for _, in := range inputs {
		asked, err := ps.send(ctx, in.method, in.params)
		if err != nil {
			return all, unknownResultError(a, "the connection to the page was lost")
		}
		all = append(all, asked)
	}
	return all, nil
}

// awaitInputs waits until the page has acknowledged all inputs.
func (ps *pageSession) awaitInputs(ctx context.Context, a action, given []cdp.Pending) error {
	for _, asked := range given {
		if err := ps.await(ctx, asked, nil); errors.Is(err, wire.CodePageCrashed) {
			return crashDuringError(a)
		} else if err != nil {
			return unknownResultError(a, "the page did not acknowledge the input")
		}
	}
	return nil
}
