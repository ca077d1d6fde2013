package patches

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/abrowser/abrowser/patches/cdp"
)

// target is a page, or a service worker, of the browser.
type target struct {
	targetInfo
	raw   rawInfo
	owner *owner
	tab   *Tab   // of an owned page
	hold  string // the CDP session that we hold on it, "" for none
	// handed is the session that it was paused for, while it is paused and a
	// client has it; word is what that client said for it to run.
	handed *session
	word   *call
	held   bool  // it is paused until we let it go
	awake  bool  // focus emulation and screencast are on
	since  int64 // the newest createTarget call when it appeared: it may be of one up to that
	// waits are the owner's CDP sessions that it waits for. It is nil until the
	// owner's sessions have been attached.
	waits   map[string]bool
	pending int // attachments on the way
	// announced are called when the owner's sessions have been told of it.
	announced []func()
}

type sessionParam struct {
	SessionID string `json:"sessionId"`
}

type targetParam struct {
	TargetID string `json:"targetId"`
}

// rawInfo is a TargetInfo as Chromium wrote it, members that we do not know
// included.
type rawInfo struct{ json.RawMessage }

type targetInfo struct {
	TargetID  string `json:"targetId"`
	Type      string `json:"type"`
	Title     string `json:"title"`
	URL       string `json:"url"`
	OpenerID  string `json:"openerId"`
	ContextID string `json:"browserContextId"`
}

func (r rawInfo) read() targetInfo {
	var info targetInfo
	// What Chromium writes has this shape; what has not is a target without id.
	_ = json.Unmarshal(r.RawMessage, &info)
	return info
}

type attachedParams struct {
	SessionID string  `json:"sessionId"`
	Info      rawInfo `json:"targetInfo"`
	Waiting   bool    `json:"waitingForDebugger"`
}

type infoParams struct {
	Info rawInfo `json:"targetInfo"`
}

// rootEvent takes an event on our own root.
func (b *Board) rootEvent(in cdp.Message) {
	switch in.Method {
	case "Target.targetCreated", "Target.targetInfoChanged":
		var p infoParams
		if in.Params(&p) == nil {
			t := b.target(p.Info)
			b.changed(t, in.Method)
			if b.Foreign && in.Method == "Target.targetCreated" {
				b.decide(t)
			}
		}
	case "Target.attachedToTarget":
		var p attachedParams
		if in.Params(&p) == nil {
			b.heldTarget(p)
		}
	case "Target.detachedFromTarget":
		var p sessionParam
		if in.Params(&p) == nil {
			b.letGo(p.SessionID, in)
		}
	case "Browser.downloadWillBegin":
		b.downloadBegan(in)
	case "Browser.downloadProgress":
		b.downloadProgress(in)
	case "Target.targetDestroyed", "Target.targetCrashed":
		var p targetParam
		if in.Params(&p) == nil {
			b.ended(p.TargetID, in)
		}
	}
}

// target returns the target that info is about, with info.
func (b *Board) target(info rawInfo) *target {
	now := info.read()
	t := b.targets[now.TargetID]
	if t == nil {
		t = &target{since: b.lastID}
		b.targets[now.TargetID] = t
	}
	if b.Moved != nil && now.Type == "page" && now.URL != t.URL {
		b.Moved()
	}
	t.targetInfo, t.raw = now, info
	return t
}

// changed tells the owner's discovering sessions of a target's new face, and
// keeps URL and title for the time when the target is gone.
func (b *Board) changed(t *target, method string) {
	if t.owner == nil {
		if b.spare.target == t.TargetID && !b.isSpare(t) {
			b.decide(t) // somebody has loaded something in it
		}
		return
	}
	if t.tab != nil && t.tab.follow(t.targetInfo) {
		b.saveSoon()
		if t.tab.Crashed { // somebody has loaded it again
			t.tab.Crashed = false
			b.announce(t)
		}
	}
	if method == "Target.targetInfoChanged" {
		b.discovered(t.owner, method, infoParams{t.raw})
	}
}

// discovered sends a discovery event to those of the owner's sessions that asked.
func (b *Board) discovered(o *owner, method string, params any) {
	for _, c := range o.clients {
		for _, s := range c.browsers() {
			if s.discover {
				b.sendEvent(s, method, params)
			}
		}
	}
}

// heldTarget takes the news that a target is there and that we hold it, paused
// if it is new.
func (b *Board) heldTarget(p attachedParams) {
	if p.Info.read().Type == "browser" {
		return // a client's root, known by the reply that made it
	}
	t := b.target(p.Info)
	t.hold, t.held, t.awake = p.SessionID, p.Waiting, false
	b.holds[t.hold] = t
	if !p.Waiting {
		b.journal = append(b.journal, t.hold)
		b.save()
	}
	b.decide(t)
}

func (b *Board) letGo(session string, in cdp.Message) {
	if t := b.holds[session]; t != nil {
		delete(b.holds, session)
		b.strike(session)
		if t.hold == session {
			t.hold, t.held, t.awake, t.waits = "", false, false, nil
		}
		return
	}
	if s := b.routes[session]; s != nil && s.handed {
		b.detached(s, in)
		return
	}
	if s := b.routes[session]; s != nil && s.parent == nil {
		s.client.gone = true
		b.Line.Cut(s.client.id, "the browser ended the connection")
	}
}

// ended takes the news that a target is gone, or its renderer.
func (b *Board) ended(id string, in cdp.Message) {
	t := b.targets[id]
	if t == nil {
		return
	}
	if t.owner != nil {
		b.discovered(t.owner, in.Method, json.RawMessage(in.RawParams()))
	}
	b.loseSpare(t, in.Method == "Target.targetCrashed")
	switch {
	case in.Method == "Target.targetDestroyed":
		b.remove(t)
	case t.tab != nil:
		t.tab.Crashed = true
		b.save()
		if t.isNew(b.Clock()) {
			b.failPending(t)
		}
	}
}

// newTime is longer than Playwright takes to know a page that was made.
const newTime = 10 * time.Second

// isNew reports whether a page was just made and has been nowhere.
func (t *target) isNew(now time.Time) bool {
	return (t.URL == "" || t.URL == "about:blank") && now.Sub(t.tab.Opened) < newTime
}

// failPending answers what was asked of a page whose renderer is gone, which the browser
// does not. Playwright waits for it, for ever, before it hands on a page that was made;
// of any other it takes the crash for the answer.
func (b *Board) failPending(t *target) {
	for _, n := range slices.Sorted(maps.Keys(b.calls)) {
		c := b.calls[n]
		if c.client == nil || c.client.gone || c.then != nil || c.session.target != t.TargetID {
			continue
		}
		b.forget(n)
		b.Line.ToClient(c.client.id, (&cdp.Error{Code: -32000, Message: "Target crashed"}).Response(c.id, c.session.name()))
	}
}

// remove takes a target out of the Board.
func (b *Board) remove(t *target) {
	delete(b.targets, t.TargetID)
	delete(b.holds, t.hold)
	t.held = false
	if t.owner != nil {
		b.lost(t)
	}
	b.watches = slices.DeleteFunc(b.watches, func(over func() bool) bool { return over() })
}

// forgetWorkers takes the service workers of a disposed browser context out of the
// Board. Chromium 156 may keep one, without its context: a client that is told of
// it so fails (Playwright asserts on that), and so would every later one.
func (b *Board) forgetWorkers(context string) {
	for id, t := range b.targets {
		if t.Type != "service_worker" || t.ContextID != context {
			continue
		}
		if t.owner != nil {
			b.discovered(t.owner, "Target.targetDestroyed", targetParam{id})
		}
		b.remove(t)
	}
}

// settle lets a paused target of an owner run when nobody is left to wait for.
func (b *Board) settle(t *target) {
	if t.held && t.owner != nil && t.pending == 0 && len(t.waits) == 0 {
		b.letRun(t)
	}
}

// announce attaches the owner's browser-level sessions that want it to a target.
func (b *Board) announce(t *target) {
	// The newest first: what the browser paused is paused for one, see [Board.hand],
	// and a program beside the session's daemon is to notice nothing of the daemon.
	for _, c := range slices.Backward(t.owner.clients) {
		for _, s := range c.browsers() {
			b.introduce(s, t, nil)
		}
	}
	if !t.held {
		b.wake(t)
		return
	}
	if b.settle(t); !t.held {
		return
	}
	b.after(b.Hold, func() {
		if t.held {
			b.Log.Warn("target let go before its owner was ready", "owner", t.owner.Name)
			b.letRun(t)
		}
	})
}

// mute reports whether nobody would answer a session that is attached to the target:
// its renderer is gone. Playwright waits for such an answer before it has connected.
func (t *target) mute() bool { return t.tab != nil && t.tab.Crashed }

// introduce attaches a browser-level session to a target as if the browser had
// done so, once; then is called when the client has been told, or at once.
func (b *Board) introduce(s *session, t *target, then func()) {
	worker := t.Type == "service_worker" && !t.owner.alone(t.ContextID) // of the shared context, or of one that is gone
	if !s.auto || s.told[t.TargetID] || t.mute() || worker || t.owner.private(t.ContextID, s.client) {
		if then != nil {
			then()
		}
		return
	}
	s.told[t.TargetID] = true
	if t.held && t.hold != "" && s.pause {
		b.hand(s, t)
		if then != nil {
			then()
		}
		return
	}
	if t.held && t.waits == nil {
		t.waits = map[string]bool{}
	}
	t.pending++
	b.ask("Target.attachToTarget", encode(attachParams{t.TargetID, true}), s.id, func(in cdp.Message) {
		t.pending--
		if err := in.Result(nil); err != nil {
			delete(s.told, t.TargetID)
			b.Log.Debug("attaching an owner to its target", "error", err)
		}
		b.settle(t)
		if t.pending == 0 {
			for _, do := range t.announced {
				do()
			}
			t.announced = nil
		}
		if then != nil {
			then()
		}
	})
}

type attachParams struct {
	TargetID string `json:"targetId"`
	Flatten  bool   `json:"flatten"`
}

// opened is when the target got its owner.
func (b *Board) opened() time.Time { return b.Clock().UTC().Truncate(time.Millisecond) }
