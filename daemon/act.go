package daemon

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

// action is something done to the page, mostly to an element. It has two phases: it
// waits until the element is ready, and it acts. The driver performs both (act.js of
// launcher/driver); the wait phase ends when ctx does, and nothing was done then.
type action struct {
	name   string         // for messages: "click"
	verb   string         // of verbs.js of launcher/driver
	params map[string]any // of the verb; may be nil
	ack    time.Duration  // for the act phase beyond the time for the wait phase; 0 is ackTime
	quick  *quick         // how it is done where the element is ready at once; may be nil
}

// performed describes an action that was done.
type performed struct {
	saves     bool // the element is in a link that saves a file
	unchanged bool // the click was done, and the box has not changed
}

// ackTime is how long the driver waits, beyond the action's time, for the page to
// acknowledge what was sent to it in time.
const ackTime = 2 * time.Second

// act waits for the element and performs the action, once. The error is
// [wire.CodeResultUnknown] if it cannot be known whether the action was done; with any
// other error it was not.
func (t *turn) act(ctx context.Context, p *page, at target, a action) (performed, error) {
	done, state, err := t.actQuickly(ctx, p, &at, a)
	if err != nil || state == quickDone {
		return done, err
	}
	return t.perform(ctx, p, at, a)
}

// perform has the driver perform the action.
func (t *turn) perform(ctx context.Context, p *page, at target, a action) (performed, error) {
	return t.performOnce(ctx, p, at, a, false)
}

// performOnce is perform; again is set where the ref has been checked.
func (t *turn) performOnce(ctx context.Context, p *page, at target, a action, again bool) (performed, error) {
	t.undone = false
	if t.isLeft(ctx) {
		return performed{}, t.giveUp(ctx, at, outcome{Count: -1})
	}
	limit, id := slice(ctx, maxTime), p.lastAct.Add(1)
	ack := cmp.Or(a.ack, ackTime)
	params := map[string]any{"target": p.target, "id": id, "limit": milliseconds(limit), "ack": milliseconds(ack), "verb": a.verb}
	maps.Copy(params, a.params)
	if at.query != "" {
		params["selector"] = at.query
	}
	if at.began != 0 {
		params["began"] = at.began
	}
	stop := context.AfterFunc(ctx, func() {
		if errors.Is(ended(ctx), wire.CodeTimeout) {
			return // the driver has the limit
		}
		p.link.hand(func() { _, _ = p.cdp.Send("Abrowser.leave", map[string]any{"target": p.target, "id": id}) })
	})
	defer stop()
	outcomes := make(chan outcome, 1)
	// A driver that does not answer begins no action when its time is over, so that the queue
	// need not be kept for it.
	err := t.peek(limit+ack+grace, func() error {
		answer, err := p.cdp.Send("Abrowser.act", params)
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
	case errors.Is(err, wire.CodePageCrashed), p.isCrashed():
		return performed{}, crashedError()
	case err != nil && p.acting.Load() == id:
		return performed{}, unknownError(a, "the connection to the page was lost")
	case err != nil && isGone(err):
		return performed{}, t.goneWhileWaiting()
	case err != nil:
		return performed{}, t.unless(p, coded(err))
	}
	out := <-outcomes
	if out.Stopped == "stale" { // by the last snapshot, in which an element that was hidden has no ref
		if _, err := t.checkRef(ctx, p, at.sel.ref); err != nil || again {
			return performed{}, cmp.Or(err, staleError(at.sel.ref, "its element is gone or changed its role or name"))
		}
		return t.performOnce(ctx, p, at, a, true)
	}
	return t.judge(ctx, p, at, a, out)
}

// outcome is what the driver answers of an action.
type outcome struct {
	State     string     `json:"state"`   // "done", "none", "unknown"; empty where there is no such page
	Stopped   string     `json:"stopped"` // why the wait phase ended: "late", "left", "replaced", "stale"
	Why       string     `json:"why"`     // what the element lacked when it was last looked at
	Error     string     `json:"error"`   // what made the action impossible
	Doubt     string     `json:"doubt"`   // why it is not known whether it was done
	Count     int        `json:"count"`   // of elements that match; -1 where the page did not answer
	Saves     bool       `json:"saves"`
	Unchanged bool       `json:"unchanged"`
	Pending   *bool      `json:"pending"` // the page navigates because of it; nil where that is not known
	Options   [][]string `json:"options"` // values and labels, where a select has not those that were asked for
}

// judge turns the driver's answer into ours.
func (t *turn) judge(ctx context.Context, p *page, at target, a action, out outcome) (performed, error) {
	switch out.State {
	case "done":
		if at.query != "" && at.sel.ref == 0 {
			t.warnSeveral(at.sel, out.Count)
		}
		if out.Pending != nil {
			p.acted.Store(*out.Pending)
			t.arrived, t.ahead = true, false
		}
		return performed{saves: out.Saves, unchanged: out.Unchanged}, nil
	case "unknown":
		if p.crashes() {
			return performed{}, crashedError()
		}
		return performed{}, unknownError(a, out.Doubt)
	case "none":
	default:
		return performed{}, t.goneWhileWaiting()
	}
	switch {
	case out.Stopped == "replaced":
		return performed{}, staleError(at.sel.ref, "its page was loaded anew")
	case out.Stopped != "":
		if out.Count < 0 && at.query != "" { // the time was too short for a single look
			if n, err := look(t, time.Second, p.Locator(at.query).Count); err == nil {
				out.Count = n
			}
		}
		return performed{}, t.giveUp(ctx, at, out)
	case out.Options != nil:
		return performed{}, optionsError(a, out.Options)
	}
	return performed{}, t.actionError(at, errors.New(out.Error))
}

// giveUp is the error of an action whose time is over or whose caller has left. Nothing
// was done.
func (t *turn) giveUp(ctx context.Context, at target, out outcome) error {
	if ctx.Err() != nil || out.Stopped != "late" {
		if err := ended(ctx); !errors.Is(err, wire.CodeTimeout) {
			return err
		}
	}
	why := cmp.Or(out.Why, at.why)
	switch {
	case at.query == "":
		return wire.Errorf(wire.CodeTimeout, "the page was not ready in time; nothing was done").WithHint("abrowser status")
	case out.Count == 0 && at.sel.ref != 0:
		return staleError(at.sel.ref, "its element went away")
	case out.Count == 0:
		return notFound(at.sel)
	case why == "is not visible":
		return wire.Errorf(wire.CodeNotActionable, "%q is there but not visible", at.sel.given).WithHint(hintSnapshot)
	case why != "":
		return wire.Errorf(wire.CodeNotActionable, "%q %s", at.sel.given, why).WithHint(hintSnapshot)
	}
	return wire.Errorf(wire.CodeTimeout, "%q was not ready in time", at.sel.given).WithHint("abrowser status")
}

// actionError is the error of an action that waiting does not make possible.
func (t *turn) actionError(at target, err error) error {
	text := briefly(err)
	if badSelector(text) && !strings.Contains(text, "Malformed value") { // "Malformed value" is about the text of a fill
		return coded(err)
	}
	for _, sign := range []string{"is not a", "Not a checkbox", "Cannot uncheck radio", "Cannot type text", "Malformed value", "cannot be filled", "not an HTMLInputElement"} {
		if strings.Contains(text, sign) {
			return wire.Errorf(wire.CodeNotActionable, "%q: %s", at.sel.given, firstLine(text)).WithHint(hintSnapshot)
		}
	}
	if isGone(err) {
		return t.goneWhileWaiting()
	}
	return coded(err)
}

func unknownError(a action, doubt string) error {
	return wire.Errorf(wire.CodeResultUnknown, "%s not confirmed: %s; it may or may not have been done", a.name, doubt).WithHint(hintSnapshot)
}

// goneWhileWaiting is the error of an action that was lost before it did anything, so
// that the command may be run again.
func (t *turn) goneWhileWaiting() error {
	t.undone = true
	return wire.Errorf(wire.CodeBrowserGone, "the page went away before anything was done").WithHint("abrowser status")
}
