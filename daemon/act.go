package daemon

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/sockets/wire"
)

// action is something done to an element. Playwright's call for it cannot be
// cancelled, so it is given a short time of its own, again and again, and only
// while nothing has been done.
type action struct {
	name  string // in Playwright's call log: "click"
	trial bool   // Playwright can try it without doing it
	// do performs the action, or tries it. The time is in milliseconds.
	do       func(time *float64, trial *bool) error
	attached bool   // it is enough that the element is there
	quick    *quick // how it is done where the element is ready at once; may be nil
	// then is called when it is done, before its effects are read. May be nil.
	then func(ctx context.Context)
}

const (
	firstTry = time.Second     // for an action on an element that seems ready
	mostTry  = 4 * time.Second // when the machine is slow
	perLook  = 40              // and so many times what it took to look at the element
)

// tryTime is how long an action may take that follows a look of this length. Its end
// in the middle of the action is the one thing of which nobody knows what was done.
func tryTime(look time.Duration) time.Duration { return min(max(firstTry, perLook*look), mostTry) }

// act waits for the element and performs the action once. What cannot be known to
// have been done or not is [wire.CodeResultUnknown], and never done again.
func (t *turn) act(ctx context.Context, p *page, at target, a action) error {
	state, err := t.actQuickly(ctx, p, &at, a)
	if err != nil || state == quickDone {
		return err
	}
	asked := state == quickLate && !a.trial // what is done in the page may be on its way there
	took, err := t.appear(ctx, p, at, a)
	if asked && errors.Is(err, wire.CodeTimeout) {
		return unknownError(a)
	}
	if err != nil {
		return err
	}
	longest, trial := tryTime(took), false
	why := "" // it was not ready
	for {
		if ctx.Err() != nil && asked && errors.Is(ended(ctx), wire.CodeTimeout) {
			return unknownError(a)
		}
		if t.isLeft(ctx) {
			return t.giveUp(ctx, at, why)
		}
		limit := slice(ctx, longest)
		if trial {
			limit = slice(ctx, sliceTime)
		}
		err := t.watch(limit, func() error {
			return a.do(playwright.Float(milliseconds(limit)), playwright.Bool(trial))
		})
		if err == nil && !trial {
			return nil
		}
		if err == nil { // ready now
			trial = false
			continue
		}
		if p.isGone() || isGone(err) {
			return lostError(a, err)
		}
		if !isTimeout(err) {
			if retryable(err) && pause(ctx, 50*time.Millisecond) {
				continue
			}
			if ctx.Err() != nil {
				return t.giveUp(ctx, at, why)
			}
			return actionError(at, err)
		}
		asked = false
		if text := refusal(err); text != "" {
			why = text
		}
		switch progressOf(a, callLog(err)) {
		case done:
			return nil
		case tried:
			trial = false
		case unknown:
			if !trial {
				return unknownError(a)
			}
		case slow:
			longest, trial = min(2*longest, mostTry), false
			// What is done in one step inside the page may be on its way there. Doing it
			// again does no harm, saying that it was not done would.
			asked = !a.trial
		case refused:
			trial = a.trial
			if !a.trial {
				longest = sliceTime
			}
		}
	}
}

// appear waits in slices until the element is there, and shown where the action
// needs it. It returns what the last look at the page took.
func (t *turn) appear(ctx context.Context, p *page, at target, a action) (time.Duration, error) {
	state := playwright.WaitForSelectorStateVisible
	if a.attached {
		state = playwright.WaitForSelectorStateAttached
	}
	began := time.Now()
	there := t.isThere(ctx, at, a)
	for {
		limit := slice(ctx, sliceTime)
		var err error
		if !there {
			began = time.Now()
			err = t.peek(limit+grace, func() error {
				return at.find.WaitFor(playwright.LocatorWaitForOptions{State: state, Timeout: playwright.Float(milliseconds(limit))})
			})
		}
		switch {
		case err == nil:
			if at.sel.ref != 0 {
				return time.Since(began), nil
			}
			if !there {
				began = time.Now() // until now it was also waited for
			}
			n, err := t.count(ctx, at.all)
			if err == nil {
				t.warnSeveral(at.sel, n)
			}
			return time.Since(began), err
		case isTimeout(err), isMoved(err):
			if ctx.Err() != nil {
				return 0, t.giveUp(ctx, at, "")
			}
			if t.isReplaced(ctx, p, at) {
				return 0, staleError(at.sel.ref, "its page was loaded anew")
			}
			if isMoved(err) {
				pause(ctx, 50*time.Millisecond)
			}
			began = time.Now()
			there = t.isThere(ctx, at, a)
		case p.isGone():
			return 0, goneWhileWaiting()
		default:
			return 0, coded(err)
		}
	}
}

// isThere asks whether appear has nothing to wait for, as mostly it has not. It is one
// message to the page; waiting is nine, for which a slice is too short where the
// machine is slow.
func (t *turn) isThere(ctx context.Context, at target, a action) bool {
	is, err := look(t, slice(ctx, time.Second), func() (bool, error) {
		if a.attached {
			n, err := at.find.Count()
			return n > 0, err
		}
		return at.find.IsVisible()
	})
	return err == nil && is
}

// giveUp is the error of an action whose time is over or whose caller went away.
// Nothing has been done.
func (t *turn) giveUp(ctx context.Context, at target, why string) error {
	if err := ended(ctx); !errors.Is(err, wire.CodeTimeout) {
		return err
	}
	if why != "" {
		return wire.Errorf(wire.CodeNotActionable, "%q %s", at.sel.given, why).WithHint(hintSnapshot)
	}
	n, err := look(t, time.Second, at.all.Count)
	switch {
	case err != nil:
		return wire.Errorf(wire.CodeTimeout, "%q was not ready in time", at.sel.given).WithHint("abrowser status")
	case n == 0 && at.sel.ref != 0:
		return staleError(at.sel.ref, "its element went away")
	case n == 0:
		return notFound(at.sel)
	}
	shown, err := look(t, time.Second, func() (bool, error) { return at.find.IsVisible() })
	switch {
	case shown && at.why != "": // Playwright did not come to look at it once more
		return wire.Errorf(wire.CodeNotActionable, "%q %s", at.sel.given, at.why).WithHint(hintSnapshot)
	case err != nil || shown: // by now: the machine is slow, or it came late
		return wire.Errorf(wire.CodeTimeout, "%q was not ready in time", at.sel.given).WithHint("abrowser status")
	default:
		return wire.Errorf(wire.CodeNotActionable, "%q is there but not visible", at.sel.given).WithHint(hintSnapshot)
	}
}

// progress is how far an action came before its time was over.
type progress int

const (
	slow    progress = iota // on the way, nothing done
	refused                 // the element was not ready for it, nothing done
	unknown                 // begun, and not seen to end
	tried                   // only tried, with success
	done                    // done, and only what follows it was waited for
)

// progressOf reads Playwright's log of a call that timed out.
func progressOf(a action, log string) progress {
	state := slow
	for line := range strings.Lines(log) {
		line = strings.TrimLeft(strings.TrimSpace(line), "- ")
		switch {
		case strings.Contains(line, "performing "+a.name+" action"):
			state = unknown
		case strings.Contains(line, "trial "+a.name+" action done"):
			state = tried
		case strings.Contains(line, a.name+" action done"):
			state = done
		case strings.Contains(line, "retrying "+a.name+" action"):
			state = refused
		case state < unknown && refusalIn(line) != "":
			state = refused
		case state == unknown && strings.Contains(line, "intercepts pointer events"):
			state = refused // Playwright kept the input from what was in the way
		}
	}
	return state
}

// refusal is why the element was not ready, in the words of Playwright's log.
func refusal(err error) string {
	if err == nil {
		return ""
	}
	why := ""
	for line := range strings.Lines(callLog(err)) {
		if text := refusalIn(strings.TrimLeft(strings.TrimSpace(line), "- ")); text != "" {
			why = text
		}
	}
	return why
}

func refusalIn(line string) string {
	if who, found := strings.CutSuffix(line, " intercepts pointer events"); found {
		return "is covered by " + who
	}
	for _, sign := range []string{"is not visible", "is not enabled", "is not editable", "is outside of the viewport", "is not stable"} {
		if strings.HasSuffix(line, sign) {
			return sign
		}
	}
	if strings.Contains(line, "did not find some options") {
		return "has not these options"
	}
	return ""
}

// retryable reports whether an action failed before it did anything, on an element
// that was just replaced.
func retryable(err error) bool {
	text := err.Error()
	return isMoved(err) && !strings.Contains(text, "performing") ||
		strings.Contains(text, "not attached to the DOM") || strings.Contains(text, "Element is not attached")
}

func actionError(at target, err error) error {
	text := briefly(err)
	for _, sign := range []string{"is not a", "Not a checkbox", "Cannot type text", "Malformed value", "cannot be filled", "Clicking the checkbox did not change"} {
		if strings.Contains(text, sign) {
			return wire.Errorf(wire.CodeNotActionable, "%q: %s", at.sel.given, firstLine(text)).WithHint(hintSnapshot)
		}
	}
	return coded(err)
}

func unknownError(a action) error {
	return wire.Errorf(wire.CodeResultUnknown, "the %s was begun and not seen to end: it may or may not have been done", a.name).
		WithHint(hintSnapshot)
}

func lostError(a action, err error) error {
	if !neverSent(err) && (strings.Contains(callLog(err), "performing "+a.name) || !a.trial) {
		return unknownError(a)
	}
	return goneWhileWaiting()
}

func goneWhileWaiting() error {
	return wire.Errorf(wire.CodeBrowserGone, "the page went away before anything was done").WithHint("abrowser status")
}
