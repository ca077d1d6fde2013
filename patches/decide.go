package patches

import (
	"slices"
	"strings"
	"time"

	"github.com/abrowser/abrowser/patches/cdp"
)

// clickTime is how long after a click with a modifier a tab without an opener
// may still be that click's.
const clickTime = 2 * time.Second

// decide finds out whose a target is, when it appears and again when a
// createTarget call that might be its maker was answered. By target id, opener
// and context; never by order or activity.
func (b *Board) decide(t *target) {
	if t.owner != nil {
		b.announce(t)
		return
	}
	if b.isSpare(t) {
		return
	}
	if o := b.ownerBy(t); o != nil {
		if !b.reopens(t, o) {
			b.own(t, o)
		}
		return
	}
	if t.OpenerID == "" && t.Type == "page" {
		for id := range b.creates {
			if id <= t.since {
				return // its maker may be that call, whose reply names it
			}
		}
		if o := b.maker(t); o != nil && t.held {
			b.own(t, o)
			return
		}
	}
	b.leave(t)
}

// ownerBy is the owner by opener, by browser context, or by what is on disk.
func (b *Board) ownerBy(t *target) *owner {
	for _, o := range b.owners {
		if o.tabs[t.TargetID] != nil {
			return o
		}
	}
	if o := b.contextOwner(t.ContextID); o != nil || t.OpenerID == "" {
		return o
	}
	for _, o := range b.owners {
		if o.tabs[t.OpenerID] != nil {
			return o
		}
	}
	return nil
}

func (b *Board) contextOwner(context string) *owner {
	if context == "" || context == b.shared {
		return nil
	}
	for _, o := range b.owners {
		if o.alone(context) {
			return o
		}
	}
	return nil
}

// order is a page's announcement that it is about to open a tab that will name
// no opener, as a click with a modifier does.
type order struct {
	owner *owner
	url   string
	until time.Time
}

// maker is the owner whose page ordered this tab, else the one owner with a click
// in flight that may open one. Two that could both be it: nobody.
func (b *Board) maker(t *target) *owner {
	now := b.Clock()
	b.orders = slices.DeleteFunc(b.orders, func(o order) bool { return !now.Before(o.until) })
	var one *owner
	at := -1
	for i, o := range b.orders {
		if o.url != t.URL {
			continue
		}
		if one != nil && one != o.owner {
			return nil
		}
		if one == nil {
			one, at = o.owner, i
		}
	}
	if one != nil {
		b.orders = slices.Delete(b.orders, at, at+1)
		one.clicked = time.Time{}
		return one
	}
	for _, o := range b.owners {
		if now.Before(o.clicked) {
			if one != nil {
				return nil
			}
			one = o
		}
	}
	if one != nil {
		one.clicked = time.Time{}
	}
	return one
}

// noteOrder keeps an order of one of an owner's frames.
func (b *Board) noteOrder(o *owner, in cdp.Message) {
	var p struct{ URL, Disposition string }
	if in.Params(&p) != nil || p.Disposition == "currentTab" || p.Disposition == "download" {
		return
	}
	now := b.Clock()
	b.orders = slices.DeleteFunc(b.orders, func(o order) bool { return !now.Before(o.until) })
	b.orders = append(b.orders, order{o, p.URL, now.Add(clickTime)})
}

// leave lets a target of nobody be: a person's tab, or an extension's.
func (b *Board) leave(t *target) {
	if t.hold == "" {
		return
	}
	hold, held := t.hold, t.held
	delete(b.holds, hold)
	t.hold, t.held = "", false
	if !held {
		b.detach(hold)
		return
	}
	// Not both at once: a service worker without a renderer yet would hear only the
	// detaching, and wait for ever.
	detach := once(func() { b.detach(hold) })
	b.ask("Runtime.runIfWaitingForDebugger", nil, hold, func(cdp.Message) { detach() })
	if t.Type == "page" {
		b.after(wakeTime, detach) // its answer may be lost, see [wakeTime]
	}
}

// created takes the reply to an owner's createTarget: the target is its own.
func (b *Board) created(id int64, o *owner, target string) *target {
	delete(b.creates, id)
	t := b.targets[target]
	if t != nil && t.owner == nil {
		if t.hold == "" && !b.Foreign {
			b.hold(t)
		}
		b.own(t, o)
	}
	b.decideLeft()
	return t
}

// decideLeft decides on the targets that were waiting for a createTarget call.
func (b *Board) decideLeft() {
	for _, t := range b.targets {
		if t.owner == nil && (t.hold != "" || b.Foreign) {
			b.decide(t)
		}
	}
}

// hold attaches ourselves to a target that was let go as nobody's, too early.
func (b *Board) hold(t *target) {
	b.ask("Target.attachToTarget", encode(attachParams{t.TargetID, true}), "", nil)
}

// Modifier keys of an input event, as CDP counts them: Alt is 1.
const newTabModifiers = 2 | 4 | 8

// noteClick marks the owner when a click or key press of its client may open a
// tab that names no opener.
func (b *Board) noteClick(o *owner, kind, button, key string, modifiers int) {
	mouse := strings.HasPrefix(kind, "mouse") && kind != "mouseMoved" && kind != "mouseWheel"
	opens := mouse && (button == "middle" || modifiers&newTabModifiers != 0) || key == "Enter" && modifiers&newTabModifiers != 0
	if opens {
		o.clicked = b.Clock().Add(clickTime)
	}
}
