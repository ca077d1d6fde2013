package patches

import (
	"slices"

	"github.com/abrowser/abrowser/patches/cdp"
)

// client is one connection of an owner.
type client struct {
	id    ClientID
	owner *owner
	party string // of several clients that are one for their owner; may be empty
	root  *session
	gone  bool
	quiet bool // see [tellQuiet]
	calls int  // unanswered
	// whenFree is called when there are few enough of them again.
	whenFree func()
}

// session is a CDP session of a client.
type session struct {
	id       string
	client   *client
	parent   *session // nil for the client's root
	browser  bool     // it speaks to the browser, not to a page, frame or worker
	target   string
	subtype  string // the target's type
	handed   bool   // the browser made it for us and we gave it away, see [Board.hand]
	auto     bool   // it asked to be attached to new targets
	pause    bool   // and that they wait for it
	discover bool   // it asked to be told of targets
	children []*session
	acted    int64 // our newest call on it that acted on its page; 0 for none
	// told are the targets that it was attached to without asking for each.
	told      map[string]bool
	downloads saving
}

// name is what the client calls the session.
func (s *session) name() string {
	if s.parent == nil {
		return ""
	}
	return s.id
}

// Join lets a client of an owner in. Those of one party, where it is not empty, act as one:
// what one of them does on a page, the others hear of. ready is called with true when its
// messages may come, with false when the browser would not have it.
func (b *Board) Join(id ClientID, name, party string, ready func(ok bool)) {
	c := &client{id: id, owner: b.ownerOf(name), party: party}
	c.owner.known = nil
	b.clients[id] = c
	if !c.owner.Incognito {
		b.join(c, ready)
		return
	}
	b.seclude(c.owner, func(err error) {
		switch {
		case c.gone:
		case err != nil:
			b.Log.Error("making a browser context", "error", err)
			b.Leave(id)
			ready(false)
		default:
			b.join(c, ready)
		}
	})
}

func (b *Board) join(c *client, ready func(ok bool)) {
	id := c.id
	b.ask("Target.attachToBrowserTarget", nil, "", func(in cdp.Message) {
		var out sessionParam
		if err := in.Result(&out); err != nil {
			b.Log.Error("attaching to the browser", "error", err)
			b.Leave(id)
			ready(false)
			return
		}
		if c.gone {
			b.ask("Target.detachFromTarget", encode(out), "", nil)
			return
		}
		c.root = &session{id: out.SessionID, client: c, browser: true, subtype: "browser", told: map[string]bool{}}
		b.routes[c.root.id] = c.root
		b.journal = append(b.journal, c.root.id)
		b.revive(c)
		b.save()
		ready(true)
	})
}

// Leave ends a client. Its CDP sessions are detached, its targets stay.
func (b *Board) Leave(id ClientID) {
	c := b.clients[id]
	if c == nil {
		return
	}
	delete(b.clients, id)
	c.gone = true
	for n, waiting := range b.calls {
		if waiting.client == c && waiting.then == nil {
			b.forget(n)
		}
	}
	if c.root != nil {
		handed := c.root.handedBelow()
		b.dropSession(c.root)
		for _, s := range handed {
			b.takeBack(s)
		}
		b.detach(c.root.id)
		for _, t := range b.ownedBy(c.owner) {
			b.settle(t)
		}
	}
	for context, maker := range c.owner.makers {
		if maker == c {
			delete(c.owner.makers, context)
		}
	}
	b.retire(c)
	b.save()
}

// dropSession forgets a CDP session and those that were made on it.
func (b *Board) dropSession(s *session) {
	for _, child := range s.children {
		b.dropSession(child)
	}
	s.children = nil
	delete(b.routes, s.id)
	for n, waiting := range b.calls {
		if waiting.session == s && (waiting.then == nil || waiting.bound) {
			b.forget(n)
		}
	}
	if t := b.targets[s.target]; t != nil && t.held {
		delete(t.waits, s.id)
	}
}

// unlink forgets a CDP session that has ended.
func (b *Board) unlink(s *session) {
	s.parent.children = slices.DeleteFunc(s.parent.children, func(x *session) bool { return x == s })
	b.dropSession(s)
}

// handedBelow are the sessions below s that the browser made for us.
func (s *session) handedBelow() []*session {
	var all []*session
	for _, child := range s.children {
		if child.handed {
			all = append(all, child)
		}
		all = append(all, child.handedBelow()...)
	}
	return all
}

// browsers are the client's sessions that speak to the browser itself.
func (c *client) browsers() []*session {
	if c.root == nil {
		return nil
	}
	all := []*session{c.root}
	for i := 0; i < len(all); i++ {
		for _, child := range all[i].children {
			if child.browser {
				all = append(all, child)
			}
		}
	}
	return all
}

// all are the client's sessions, in the order in which they were made.
func (c *client) all() []*session {
	if c.root == nil {
		return nil
	}
	all := []*session{c.root}
	for i := 0; i < len(all); i++ {
		all = append(all, all[i].children...)
	}
	return all
}

// clientEvent passes an event on to the client whose session it is for.
func (b *Board) clientEvent(s *session, in cdp.Message) {
	switch in.Method {
	case "Target.attachedToTarget":
		b.attached(s, in)
		return
	case "ServiceWorker.workerVersionUpdated":
		if !b.inOwnContext(s) {
			b.sendEvent(s, in.Method, b.workerVersions(s, in))
			return
		}
	case "Page.frameRequestedNavigation":
		b.noteOrder(s.client.owner, in)
	case "Page.javascriptDialogOpening":
		if !b.answers(s) {
			return
		}
	case "Target.detachedFromTarget":
		var p sessionParam
		if err := in.Params(&p); err == nil {
			if child := b.routes[p.SessionID]; child != nil && child.client == s.client {
				b.unlink(child)
				if t := b.targets[child.target]; t != nil {
					b.settle(t)
				}
			}
		}
	}
	if tells(in.Method) {
		s.client.owner.told++
	}
	if moves(in.Method) {
		s.client.owner.moved = true
	}
	if s.parent == nil {
		in = in.WithoutSession()
	}
	b.Line.ToClient(s.client.id, in.Raw)
}

// tells reports whether an event is of what a page did that a client keeps in mind. One
// that acts on another connection has to know when there is something to hear of.
func tells(method string) bool {
	switch method {
	case "Page.frameNavigated", "Page.navigatedWithinDocument", "Page.javascriptDialogOpening", "Page.javascriptDialogClosed", "Runtime.bindingCalled":
		return true
	}
	return false
}

// attached registers a CDP session that was made on one of a client's own.
func (b *Board) attached(s *session, in cdp.Message) {
	var p attachedParams
	if err := in.Params(&p); err != nil {
		b.Log.Error("reading an event", "method", in.Method, "error", err)
		return
	}
	info := p.Info.read()
	child := &session{
		id: p.SessionID, client: s.client, parent: s, target: info.TargetID, subtype: info.Type,
		browser: info.Type == "browser", told: map[string]bool{},
	}
	b.routes[child.id] = child
	s.children = append(s.children, child)
	if t := b.targets[info.TargetID]; s.browser && t != nil && t.held {
		if s.pause && t.waits != nil {
			t.waits[child.id] = true
			p.Waiting = true
		}
		b.sendEvent(s, in.Method, p)
		return
	}
	if s.parent == nil {
		in = in.WithoutSession()
	}
	b.Line.ToClient(s.client.id, in.Raw)
}
