package patches

import "github.com/abrowser/abrowser/patches/cdp"

// owns reports whether a target is the owner's: a page or service worker of its
// own, or a frame or worker that a page of its own has brought along.
func (b *Board) owns(o *owner, target string) bool {
	if t := b.targets[target]; t != nil {
		return t.owner == o
	}
	for _, c := range o.clients {
		if c.root != nil && c.root.leadsTo(target) {
			return true
		}
	}
	return false
}

func (s *session) leadsTo(target string) bool {
	for _, child := range s.children {
		if child.target == target && !child.browser || child.leadsTo(target) {
			return true
		}
	}
	return false
}

// setAutoAttach of a browser-level session is answered here: its targets are
// announced one by one, as they come, and those that live already before the
// reply: see [Board.adopt]. On other sessions it is the page's own business, but for the service
// workers of the shared context.
func setAutoAttach(b *Board, s *session, r cdp.Request) *cdp.Error {
	f, err := fieldsOf(r)
	if err != nil {
		return err
	}
	on, err := f.flag("autoAttach")
	if err != nil {
		return err
	}
	if !s.browser {
		if on { // Chromium refuses a filter without
			err = b.withoutSharedWorkers(s, f)
		}
		if err == nil {
			b.pass(s, r, encode(f))
		}
		return err
	}
	flatten, err := f.flag("flatten")
	if err != nil {
		return err
	}
	if on && !flatten {
		return badParams("only the flat protocol is supported at the browser")
	}
	if s.pause, err = f.flag("waitForDebuggerOnStart"); err != nil {
		return err
	}
	s.auto = on
	b.adopt(s, func() { b.done(s, r, none{}) })
	return nil
}

// ownedBy are all targets of an owner, its tabs first and in their order, so
// that an opener is told before what it opened.
func (b *Board) ownedBy(o *owner) []*target {
	all := o.targets()
	for _, t := range b.targets {
		if t.owner == o && t.tab == nil {
			all = append(all, t)
		}
	}
	return all
}

func setDiscoverTargets(b *Board, s *session, r cdp.Request) *cdp.Error {
	f, err := fieldsOf(r)
	if err != nil {
		return err
	}
	on, err := f.flag("discover")
	if err != nil {
		return err
	}
	if !s.browser {
		return notAllowed("targets are discovered at the browser")
	}
	if on && !s.discover {
		for _, t := range b.ownedBy(s.client.owner) {
			b.sendEvent(s, "Target.targetCreated", infoParams{t.raw})
		}
	}
	s.discover = on
	b.done(s, r, none{})
	return nil
}

func getTargets(b *Board, s *session, r cdp.Request) *cdp.Error {
	infos := []rawInfo{}
	for _, t := range b.ownedBy(s.client.owner) {
		infos = append(infos, t.raw)
	}
	b.done(s, r, struct {
		Infos []rawInfo `json:"targetInfos"`
	}{infos})
	return nil
}

// ownTargetOrNone passes a request on that names a target of the owner's, or
// none and means the session's.
func ownTargetOrNone(b *Board, s *session, r cdp.Request) *cdp.Error {
	f, err := fieldsOf(r)
	if err != nil {
		return err
	}
	id, err := f.text("targetId")
	if err != nil {
		return err
	}
	if id != "" && id != s.target && !b.owns(s.client.owner, id) {
		return noTarget()
	}
	b.pass(s, r, encode(f))
	return nil
}

// owned reads a request that names a target, which must be the owner's.
func (b *Board) owned(s *session, r cdp.Request) (f fields, id string, err *cdp.Error) {
	if f, err = fieldsOf(r); err != nil {
		return nil, "", err
	}
	if id, err = f.text("targetId"); err != nil {
		return nil, "", err
	}
	if !b.owns(s.client.owner, id) {
		return nil, "", noTarget()
	}
	return f, id, nil
}

func ownTarget(b *Board, s *session, r cdp.Request) *cdp.Error {
	f, _, err := b.owned(s, r)
	if err != nil {
		return err
	}
	b.pass(s, r, encode(f))
	return nil
}

// autoAttachRelated attaches a browser-level session to what a page of the owner's
// brings along.
func autoAttachRelated(b *Board, s *session, r cdp.Request) *cdp.Error {
	f, id, err := b.owned(s, r)
	if err != nil {
		return err
	}
	if t := b.targets[id]; t == nil || !s.client.owner.alone(t.ContextID) {
		if err := b.withoutSharedWorkers(s, f); err != nil {
			return err
		}
	}
	b.pass(s, r, encode(f))
	return nil
}

func attachToTarget(b *Board, s *session, r cdp.Request) *cdp.Error {
	f, err := fieldsOf(r)
	if err != nil {
		return err
	}
	flatten, err := f.flag("flatten")
	if err != nil {
		return err
	}
	if !flatten {
		return badParams("only the flat protocol is supported")
	}
	return ownTarget(b, s, r)
}

// activateTarget brings nothing to the front: no task may take the focus of
// another, nor a person's.
func activateTarget(b *Board, s *session, r cdp.Request) *cdp.Error {
	if _, _, err := b.owned(s, r); err != nil {
		return err
	}
	b.done(s, r, none{})
	return nil
}

func detachFromTarget(b *Board, s *session, r cdp.Request) *cdp.Error {
	f, err := fieldsOf(r)
	if err != nil {
		return err
	}
	session, err := f.text("sessionId")
	if err != nil {
		return err
	}
	child := b.routes[session]
	if child == nil || child.client != s.client || child.parent == nil {
		return noSession()
	}
	if !child.handed {
		b.pass(s, r, encode(sessionParam{session}))
		return nil
	}
	if t := b.targets[child.target]; t != nil && t.handed == child {
		b.letRun(t)
	}
	b.askFor(s, r, encode(sessionParam{session}), func(in cdp.Message) { b.relay(s, r, in) })
	return nil
}

// createTarget opens a page that is the owner's, behind the others. The call is
// our own, so that a page is not lost whose maker has left by then.
func createTarget(b *Board, s *session, r cdp.Request) *cdp.Error {
	f, err := fieldsOf(r)
	if err != nil {
		return err
	}
	context, err := f.text("browserContextId")
	if err != nil {
		return err
	}
	o := s.client.owner
	if context == "" {
		context = b.home(o)
	}
	if context != b.home(o) && !o.hasContext(context) {
		return noContext(context)
	}
	if err := f.noBrowserPage(); err != nil {
		return err
	}
	for _, name := range []string{"forTab", "hidden", "focus", "enableBeginFrameControl", "windowState"} {
		delete(f, name)
	}
	settle, refusal := b.makeRoom(o)
	if refusal != nil {
		return refusal
	}
	if t := b.takeSpare(context, f); t != nil {
		b.own(t, o)
		settle(true)
		b.answerCreated(s, r, t)
		return nil
	}
	f["background"] = []byte("true")
	if context != "" {
		f["browserContextId"] = encode(context)
	}
	if context != b.shared && !b.hasWindow(context) {
		f["newWindow"] = []byte("true")
	}
	var id int64
	id = b.askFor(s, r, encode(f), func(in cdp.Message) {
		var out targetParam
		err := in.Result(&out)
		settle(err == nil)
		if err != nil {
			delete(b.creates, id)
			b.decideLeft()
			b.relay(s, r, in)
			return
		}
		if t := b.created(id, o, out.TargetID); t != nil {
			b.answerCreated(s, r, t)
			return
		}
		b.done(s, r, out)
	})
	b.creates[id] = o
	b.after(createTime, func() {
		if _, waiting := b.creates[id]; waiting {
			delete(b.creates, id)
			b.decideLeft()
		}
	})
	return nil
}

// answerCreated answers a createTarget call when its client has been told of the
// target: Playwright asserts on that order.
func (b *Board) answerCreated(s *session, r cdp.Request, t *target) {
	b.pageMade(t)
	answer := once(func() { b.done(s, r, targetParam{t.TargetID}) })
	if !s.auto || t.pending == 0 {
		answer()
		return
	}
	t.announced = append(t.announced, answer)
	b.after(b.Hold, answer)
}

// hasWindow reports whether a browser context has a page, and so a window.
func (b *Board) hasWindow(context string) bool {
	for _, t := range b.targets {
		if t.ContextID == context && t.Type == "page" {
			return true
		}
	}
	return false
}
