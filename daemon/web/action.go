package web

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/daemon/web/refs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// action describes input that a command sends to the page, or a change that it makes there, usually
// at an element. An action has two phases. The wait phase lasts until the element is ready, and the
// act phase has the effect. The driver performs both phases (act.js of launcher/driver). If the
// command's ctx ends in the wait phase, nothing was done.
type action struct {
	name   string         // for messages: "click"
	verb   string         // a verb of verbs.js of launcher/driver
	params map[string]any // the parameters of the verb; may be nil
	ack    time.Duration  // how long the act phase may outlast the timeout; 0 means ackTime
	fast   *fastAction    // the fast path for an element that is ready at once; may be nil
	second *target        // the element on which a drag ends; nil for other actions
}

// performed describes an action that was done.
type performed struct {
	saves     bool       // the element is in a download link, or the page has followed such a link
	unchanged bool       // the click was done, and the checkbox has not changed
	unused    bool       // the click was done, and nothing on the page has used it
	unopened  bool       // the click of an upload was done, and opened no file chooser
	frame     frameFound // the frame that the verb frame has found
	lacks     string     // why the file field cannot take the files of an upload, although the click was done
}

// ackTime is how long after the action's timeout the driver still waits for the page to
// acknowledge input that was sent before the timeout.
const ackTime = 2 * time.Second

// perform waits for the element and performs the action, once. Two errors mean that it is not
// known whether the action was done: [wire.CodeResultUnknown], and the error of crashDuringError.
// With any other error the action was not done.
func (c *pageCall) perform(ctx context.Context, at target, a action) (performed, error) {
	done, state, err := c.tryFastPath(ctx, &at, a)
	if err != nil || state == fastDone {
		return done, err
	}
	return c.performInDriver(ctx, at, a)
}

// performInDriver performs the action through the driver, without trying the fast path. Its
// errors mean the same as those of perform.
func (c *pageCall) performInDriver(ctx context.Context, at target, a action) (performed, error) {
	return c.performAttempt(ctx, at, a, false)
}

// performAttempt sends the action to the driver, and converts the response. If the driver no longer
// has the element's ref, performAttempt checks the ref with a new snapshot. If the element is
// unchanged, performAttempt then calls itself once. The parameter again is true in this second
// call, which makes no third attempt.
func (c *pageCall) performAttempt(ctx context.Context, at target, a action, again bool) (performed, error) {
	c.Undone = false
	if c.IsCallerGone(ctx) {
		return performed{}, c.giveUp(ctx, at, outcome{Count: -1})
	}
	limit, id := daemon.TimeLeft(ctx, maxTime), c.page.lastAct.Add(1)
	ack := cmp.Or(a.ack, ackTime)
	params := map[string]any{"target": c.page.target, "id": id, "limit": milliseconds(limit), "ack": milliseconds(ack), "verb": a.verb}
	if !c.waitsInFull {
		params["still"] = milliseconds(stillTime)
	}
	maps.Copy(params, a.params)
	if at.query != "" {
		params["selector"] = at.query
	}
	if at.began != 0 {
		params["began"] = at.began
	}
	stop := context.AfterFunc(ctx, func() {
		if errors.Is(daemon.ContextError(ctx), wire.CodeTimeout) {
			return // the driver applies the same limit
		}
		c.page.conn.spawn(func() { _, _ = c.page.cdp.Send("Abrowser.leave", map[string]any{"target": c.page.target, "id": id}) })
	})
	defer stop()
	outcomes := make(chan outcome, 1)
	// The code calls peek and not watch, so the next command does not wait for a driver that has
	// not answered in time. This is safe, because such a driver does not begin the action later.
	err := c.peek(limit+ack+daemon.Grace, func() error {
		answer, err := c.page.cdp.Send("Abrowser.act", params)
		if err != nil {
			return err
		}
		var out outcome
		raw, err := json.Marshal(answer)
		if err == nil {
			err = json.Unmarshal(raw, &out)
		}
		outcomes <- out
		return err
	})
	switch {
	case errors.Is(err, wire.CodePageCrashed), c.page.isCrashed():
		if c.page.acting.Load() == id {
			return performed{}, crashDuringError(a)
		}
		return performed{}, daemon.PageCrashedError()
	case err != nil && c.page.acting.Load() == id:
		return performed{}, unknownResultError(a, "the connection to the page was lost")
	case err != nil && isGone(err):
		return performed{}, c.pageGone()
	case err != nil:
		c.Undone = true
		return performed{}, codeError(err)
	}
	out := <-outcomes
	// If an element was hidden in the last snapshot, the driver no longer has its ref. A new
	// snapshot shows whether the element is still the same.
	if out.Stopped == "stale" {
		ref := at.sel.ref
		if out.Second {
			ref = a.second.sel.ref
		}
		if _, err := c.checkRef(ctx, ref); err != nil || again {
			return performed{}, cmp.Or(err, refs.StaleError(ref, "its element is gone or changed its role or name"))
		}
		return c.performAttempt(ctx, at, a, true)
	}
	return c.judge(ctx, at, a, out)
}

// outcome is the driver's response to Abrowser.act.
type outcome struct {
	State     string     `json:"state"`   // "done", "none", "unknown"; empty if the driver has no such page
	Stopped   string     `json:"stopped"` // why the wait phase ended: "late", "still", "left", "replaced", "stale"
	Why       string     `json:"why"`     // what the element lacked in the last check
	Error     string     `json:"error"`   // what made the action impossible
	Doubt     string     `json:"doubt"`   // why it is not known whether the action was done
	Count     int        `json:"count"`   // the matching elements; -1 if the page did not answer
	Saves     bool       `json:"saves"`
	Unchanged bool       `json:"unchanged"`
	Unused    bool       `json:"unused"`
	Unopened  bool       `json:"unopened"`
	Lacks     string     `json:"lacks"`
	Pending   *bool      `json:"pending"` // the action started a navigation; nil if that is not known
	Second    bool       `json:"second"`  // Stopped, Why, Count and Error are about the action's second element
	Frame     frameFound `json:"frame"`   // the frame that the verb frame has found
	Options   [][]string `json:"options"` // the values and labels of a select element that refuses a requested option
}

// judge converts the driver's response to a result or a coded error.
func (c *pageCall) judge(ctx context.Context, at target, a action, out outcome) (performed, error) {
	switch out.State {
	case "done":
		if at.query != "" && at.sel.ref == 0 {
			c.warnSeveral(at.sel, out.Count)
		}
		if out.Pending != nil {
			c.page.mayNavigate.Store(*out.Pending)
			c.settled, c.aheadOfEvents = true, false
		}
		return performed{saves: out.Saves, unchanged: out.Unchanged, unused: out.Unused, unopened: out.Unopened, lacks: out.Lacks, frame: out.Frame}, nil
	case "unknown":
		if c.page.waitForCrash() {
			return performed{}, crashDuringError(a)
		}
		return performed{}, unknownResultError(a, cmp.Or(out.Doubt, "the connection to the page was lost"))
	case "none":
	default:
		return performed{}, c.pageGone()
	}
	if out.Second {
		at = *a.second
	}
	switch {
	case out.Stopped == "left" && ctx.Err() == nil: // the caller still waits, so the driver has lost the daemon's connection
		return performed{}, c.pageGone()
	case out.Stopped == "replaced":
		return performed{}, refs.StaleError(at.sel.ref, "its page was loaded anew")
	case out.Stopped != "" && c.page.isClosed(): // the closed page is the reason, and not the element
		return performed{}, c.pageGone()
	case out.Stopped != "":
		return performed{}, c.giveUp(ctx, at, out)
	case out.Options != nil:
		return performed{}, optionsError(a, out.Options)
	}
	return performed{}, c.actionError(at, errors.New(out.Error))
}

// giveUp returns the error of an action that ended in the wait phase. This happens when the
// action's time is over, when the page has stopped changing, or when the caller disconnects.
// Nothing was done.
func (c *call) giveUp(ctx context.Context, at target, out outcome) error {
	if ctx.Err() != nil || out.Stopped != "late" && out.Stopped != "still" {
		if err := daemon.ContextError(ctx); !errors.Is(err, wire.CodeTimeout) {
			return err
		}
	}
	err := wire.AsError(lackError(at, out))
	if out.Stopped == "still" {
		err.Message += fmt.Sprintf("; the page has not changed for %v", stillTime)
	}
	return err
}

// lackError returns an error that says why the element of an action was not ready.
func lackError(at target, out outcome) error {
	why := cmp.Or(out.Why, at.why)
	switch {
	case at.query == "":
		return wire.Errorf(wire.CodeTimeout, "the page was not ready in time; nothing was done").WithHint("abrowser status")
	case out.Count == 0 && at.sel.ref != 0:
		return refs.StaleError(at.sel.ref, "its element went away")
	case out.Count == 0:
		return notFoundError(at.sel)
	case why == "is not visible":
		return wire.Errorf(wire.CodeNotActionable, "%q is there but not visible", at.sel.given).WithHint(daemon.HintSnapshot)
	case why != "":
		return wire.Errorf(wire.CodeNotActionable, "%q %s", at.sel.given, why).WithHint(daemon.HintSnapshot)
	}
	return wire.Errorf(wire.CodeTimeout, "%q was not ready in time", at.sel.given).WithHint("abrowser status")
}

// actionError converts the driver's error for an action that failed at once into an error with a
// code: the selector is invalid, the element is of the wrong kind, or its frame or page is gone.
func (c *call) actionError(at target, err error) error {
	text := errorText(err)
	if isBadSelector(text) && !strings.Contains(text, "Malformed value") { // "Malformed value" is about the text of a fill
		return codeError(err)
	}
	for _, sign := range []string{"is not a", "Not a checkbox", "Cannot uncheck radio", "Cannot type text", "Malformed value", "cannot be filled", "not an HTMLInputElement", "the file field takes"} {
		if strings.Contains(text, sign) {
			return wire.Errorf(wire.CodeNotActionable, "%q: %s", at.sel.given, firstLine(text)).WithHint(daemon.HintSnapshot)
		}
	}
	switch {
	case strings.Contains(text, "the frame is gone"):
		return c.frameGone()
	case strings.Contains(text, "is not a frame"):
		return wire.Errorf(wire.CodeNotActionable, "%q is not a frame", at.sel.given).WithHint(daemon.HintSnapshot)
	case isGone(err):
		return c.pageGone()
	}
	return codeError(err)
}

func unknownResultError(a action, doubt string) error {
	return wire.Errorf(wire.CodeResultUnknown, "%s not confirmed: %s; it may or may not have been done", a.name, doubt).WithHint(daemon.HintSnapshot)
}

// crashDuringError returns the error of an action whose page crashed in the act phase.
func crashDuringError(a action) error {
	return wire.Errorf(wire.CodePageCrashed, "the page crashed during %s; it may or may not have been done", a.name).WithHint("abrowser open")
}

// pageGone returns the error of an action whose page or connection was lost before
// it did anything. The command may be run again.
func (c *call) pageGone() error {
	c.Undone = true
	return wire.Errorf(wire.CodeBrowserGone, "the page went away before anything was done").WithHint("abrowser status")
}
