package patches

import (
	"encoding/json"
	"errors"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/abrowser/abrowser/patches/cdp"
)

// ClientID names a client's connection.
type ClientID int

// Line is what a [Board] speaks through. Messages belong to the receiver. No
// method waits: a client that does not read is the line's concern.
type Line interface {
	ToBrowser(msg []byte)
	ToClient(c ClientID, msg []byte)
	// Cut ends a client's connection, after what was sent to it before.
	Cut(c ClientID, why string)
	// Save puts the [State] on disk before it returns.
	Save(s State)
	// Deliver puts copies of a finished download where they are wanted; file is a
	// name in the directory of downloads, or a path. done is called on the Board's
	// goroutine with where each is, empty where it could not be put.
	Deliver(file string, to []Delivery, done func(where []string))
	// Discard removes the file of this name from the directory of downloads,
	// finished or not.
	Discard(name string)
}

// Options of a Board. Zero works, but for Line.
type Options struct {
	Line  Line
	State State            // what the last Board of this browser left
	Clock func() time.Time // time.Now
	First int64            // the first message id; random, so that late replies to a dead board fit nobody
	Began time.Time        // when the browser was started; zero: now
	Log   *slog.Logger
	Grace time.Duration // how long a session without a connection stays live; 5 s
	Hold  time.Duration // how long an owner may keep its new target paused; 3 s
	Moved func()        // called when a page is somewhere else; nil: not
	// Downloads is the directory into which the browser saves files. Empty: where it
	// would by itself; a person's browser stays as it is.
	Downloads string
	// Admit is asked before an owner gets another tab. It names a tab of that owner
	// to close for it, or none; an error refuses, in words for the client. Nil: any.
	Admit func(owner string) (evict string, err error)
	// Lives reports whether an agent is known to live, also where it says nothing. What
	// it holds is nobody else's, also while no client is connected. Nil: of none.
	Lives func(agent string) bool
	// Foreign is for a browser that somebody else started. Its targets are attached
	// to one by one, when they turn out to be an owner's, and never paused.
	Foreign bool
	// Watched is for a browser whose windows a person sees: no tab is brought to the
	// front there, whatever for.
	Watched bool
	// Spares is after how many new sessions a page is made ahead for the next one, unless
	// the browser is watched or foreign; 0: never. A board that takes over from another
	// goes on with the one it finds.
	Spares int
	// Prepare is called when that is, or would be, done. Nil: not.
	Prepare func()
	// Farewell is a script that takes off what a session's clients left in a page. It is
	// run in pages that go to rest. Empty: none.
	Farewell string
}

// Board is the switchboard between one browser and its clients.
type Board struct {
	Options

	lastID    int64
	calls     map[int64]call
	clients   map[ClientID]*client
	routes    map[string]*session // the clients' CDP sessions
	holds     map[string]*target  // by the CDP session that we hold on a target ourselves
	visits    map[string]*target  // pages that are being told farewell, by session on them or their frames
	targets   map[string]*target
	owners    map[string]*owner
	creates   map[int64]*owner // createTarget calls that are not answered, by id
	orders    []order          // tabs that pages are about to open
	downloads map[string]*download
	timers    timers
	shared    string          // id of the shared browser context
	journal   []string        // browser-level sessions that a successor has to detach
	dirty     bool            // something changed that can wait to be saved
	evicted   map[string]bool // targets that make room for others and are about to be closed
	watches   []func() bool   // called when a target is gone, until they return true
	opening   *opening        // the lost tab that is being opened again
	spare     spare
	front     front
	closing   bool // the browser has been asked to end
	ready     bool
}

// New returns a Board that has said nothing yet; see [Board.Start].
func New(o Options) *Board {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Began.IsZero() {
		o.Began = o.Clock()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Grace == 0 {
		o.Grace = 5 * time.Second
	}
	if o.Hold == 0 {
		o.Hold = 3 * time.Second
	}
	if o.First == 0 {
		o.First = idFloor + rand.Int64N(idCeiling-idFloor)
	}
	b := &Board{
		Options: o, lastID: o.First - 1,
		calls: map[int64]call{}, clients: map[ClientID]*client{}, routes: map[string]*session{},
		holds: map[string]*target{}, visits: map[string]*target{}, targets: map[string]*target{}, owners: map[string]*owner{}, creates: map[int64]*owner{},
		downloads: map[string]*download{}, evicted: map[string]bool{},
	}
	b.restore(o.State)
	return b
}

// Ids have ten digits: never shorter than a client's, so that the client's fits
// in its place, and never more than Chromium's int holds.
const (
	idFloor   = 1_000_000_000
	idCeiling = 2_147_483_647
)

func (b *Board) nextID() int64 {
	for {
		b.lastID++
		if b.lastID >= idCeiling {
			b.lastID = idFloor
		}
		if _, taken := b.calls[b.lastID]; !taken {
			return b.lastID
		}
	}
}

// targetFilter is what we hold and announce: pages, and the service workers of a
// session's own browser contexts. All else comes to its owner through the page
// that it belongs to, and is never paused by us.
const targetFilter = `"filter":[{"type":"page"},{"type":"service_worker"},{"exclude":true}]`

// Start takes the browser over. What a dead predecessor held is let go before
// anything else; done is called when clients may come.
func (b *Board) Start(done func()) {
	for _, id := range b.journal {
		// A page that still waits for it would wait for ever.
		b.ask("Runtime.runIfWaitingForDebugger", nil, id, nil)
		b.ask("Target.detachFromTarget", encode(sessionParam{id}), "", nil)
	}
	b.journal = nil
	var contexts struct {
		Shared string   `json:"defaultBrowserContextId"`
		Others []string `json:"browserContextIds"`
	}
	b.ask("Target.getBrowserContexts", nil, "", func(in cdp.Message) {
		if in.Result(&contexts) == nil {
			b.shared = contexts.Shared
		}
	})
	b.acceptDownloads("", nil)
	for _, o := range b.owners {
		for _, context := range o.Contexts {
			b.acceptDownloads(context, nil)
		}
		if o.Private != "" {
			b.acceptDownloads(o.Private, nil)
		}
	}
	known := func(cdp.Message) {
		b.ready = true
		b.forgetGone()
		b.disposeEmpty(contexts.Others)
		b.save()
		done()
	}
	const discover = `{"discover":true,` + targetFilter + `}`
	if b.Foreign {
		b.ask("Target.setDiscoverTargets", []byte(discover), "", known)
		return
	}
	b.ask("Target.setDiscoverTargets", []byte(discover), "", nil)
	// Off and on again: the second brings an event for each target there is.
	b.ask("Target.setAutoAttach", []byte(`{"autoAttach":false,"waitForDebuggerOnStart":false,"flatten":true}`), "", nil)
	b.ask("Target.setAutoAttach", []byte(`{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true,`+targetFilter+`}`), "", known)
}

// pass sends a client's request on; the client gets the reply.
func (b *Board) pass(s *session, r cdp.Request, params []byte) {
	id := b.nextID()
	b.calls[id] = call{client: s.client, session: s, id: r.ID}
	s.client.calls++
	if acts(r.Method, params) {
		s.noteAct(id)
	}
	b.send(id, r.Method, params, s.id)
}

// askFor sends a client's request on as one of our own, on our root; then gets
// the reply, also when the client has left by then.
func (b *Board) askFor(s *session, r cdp.Request, params []byte, then func(in cdp.Message)) int64 {
	id := b.nextID()
	b.calls[id] = call{client: s.client, session: s, id: r.ID, then: then}
	s.client.calls++
	b.send(id, r.Method, params, "")
	return id
}

// send sends a command to the browser.
func (b *Board) send(id int64, method string, params []byte, session string) {
	b.Line.ToBrowser(cdp.Request{ID: id, Method: method, Params: params, Session: session}.Encode())
}

// sendEvent sends an event to the client of a session.
func (b *Board) sendEvent(s *session, method string, params any) {
	b.Line.ToClient(s.client.id, cdp.Event(method, s.name(), encode(params)))
}

// maxRequest is how long a client's message may be. At 100 MiB Chromium reads no
// more from its pipe, nobody's, and does not end.
const maxRequest = 90 << 20

// maxRuled is how long a message with a rule may be: the Board takes it apart
// while all others wait. Chromium takes no URL of more than 2 MiB; the rest is cookies.
const maxRuled = 8 << 20

// FromBrowser takes a message of the browser. It may write into it.
func (b *Board) FromBrowser(raw []byte) {
	in, ok := cdp.ParseMessage(raw)
	if !ok {
		b.Log.Debug("message of the browser to nobody", "bytes", len(raw))
		return
	}
	if in.IsReply {
		b.reply(in)
		return
	}
	if in.Session == "" {
		b.rootEvent(in)
		return
	}
	if s := b.routes[in.Session]; s != nil {
		b.clientEvent(s, in)
		return
	}
	if t := b.holds[in.Session]; t != nil && in.Method == "Page.screencastFrame" {
		b.acknowledge(t, in)
	}
	if t := b.visits[in.Session]; t != nil {
		b.visited(t, in)
	}
}

func (b *Board) reply(in cdp.Message) {
	c, ok := b.calls[in.ID]
	if !ok {
		return
	}
	b.forget(in.ID)
	switch {
	case c.then != nil:
		c.then(in)
	case c.client != nil:
		b.answer(c, in)
	}
}

// Stream takes the beginning of a large message of the browser. Where it is the reply to
// a client's call on a session of its own below the root, ok is true: the client gets
// head for it, and then the rest as it is. Otherwise the message is for
// [Board.FromBrowser], whole, and nothing has happened. It may write into first.
func (b *Board) Stream(first []byte) (to ClientID, head []byte, ok bool) {
	in, isReply := cdp.ParseHead(first)
	if !isReply {
		return 0, nil, false
	}
	c, waiting := b.calls[in.ID]
	// The reply on a root has its session taken off, which stands at its end.
	if !waiting || c.then != nil || c.client == nil || c.session.parent == nil {
		return 0, nil, false
	}
	b.forget(in.ID)
	return c.client.id, in.WithID(c.id), true // to one that has left, nobody gives it
}

// forget drops a call that is answered, or will not be.
func (b *Board) forget(id int64) {
	c := b.calls[id].client
	delete(b.calls, id)
	if c == nil {
		return
	}
	c.calls--
	if c.whenFree != nil && c.calls < window {
		do := c.whenFree
		c.whenFree = nil
		do()
	}
}

// window is how many calls of one client may be unanswered before the next ones
// have to wait. The browser itself queues without bound, and what one client
// floods it with holds up all.
const window = 2000

// WhenFree calls do when the client's next message may come: at once, but for a
// client with too many calls unanswered. Only the last do counts.
func (b *Board) WhenFree(id ClientID, do func()) {
	c := b.clients[id]
	if c == nil || c.calls < window {
		do()
		return
	}
	c.whenFree = do
}

// answer gives a reply to the client whose call it answers.
func (b *Board) answer(c call, in cdp.Message) {
	if c.client.gone {
		return
	}
	if c.session.parent == nil {
		in = in.WithoutSession()
	}
	raw := in.WithID(c.id)
	if c.client.quiet && c.client.owner.isQuiet() {
		raw = withQuiet(raw)
		if b.Moved != nil { // a script may have set a cookie
			b.Moved()
		}
	}
	b.Line.ToClient(c.client.id, raw)
}

// relay gives the reply to a call of [Board.askFor] to the client.
func (b *Board) relay(s *session, r cdp.Request, in cdp.Message) {
	var result json.RawMessage
	var refusal *cdp.Error
	switch err := in.Result(&result); {
	case err == nil:
		b.done(s, r, result)
	case errors.As(err, &refusal):
		b.fail(s, r, refusal)
	default:
		b.fail(s, r, &cdp.Error{Code: -32603, Message: err.Error()})
	}
}

// FromClient takes a message of a client. It does not keep it.
func (b *Board) FromClient(id ClientID, r cdp.Request, invalid error) {
	c := b.clients[id]
	if c == nil || c.gone || c.root == nil {
		return
	}
	switch {
	case invalid == nil:
	case r.HasID:
		b.Line.ToClient(id, (&cdp.Error{Code: -32600, Message: invalid.Error()}).Response(r.ID, ""))
		return
	default:
		b.Line.ToClient(id, append(append([]byte(`{"error":`), encode(&cdp.Error{Code: -32700, Message: invalid.Error()})...), '}'))
		return
	}
	s := c.root
	if r.Session != "" {
		if s = b.routes[r.Session]; s == nil || s.client != c || s.parent == nil {
			b.Line.ToClient(id, sessionGone().Response(r.ID, ""))
			return
		}
	}
	if r.Size > maxRequest || r.Size > maxRuled && rules(r.Method) != nil {
		b.fail(s, r, badParams("the message is larger than the browser reads"))
		return
	}
	if refusal := b.apply(s, r); refusal != nil {
		b.fail(s, r, refusal)
	}
}

// done answers a client's request.
func (b *Board) done(s *session, r cdp.Request, result any) {
	if !s.client.gone {
		b.Line.ToClient(s.client.id, cdp.Response(r.ID, s.name(), encode(result)))
	}
}

func (b *Board) fail(s *session, r cdp.Request, err *cdp.Error) {
	if !s.client.gone {
		b.Line.ToClient(s.client.id, err.Response(r.ID, s.name()))
	}
}

// Fail cuts all clients: the browser is gone. Where its tabs were is on disk then.
func (b *Board) Fail(why string) {
	b.Flush()
	for id, c := range b.clients {
		c.gone = true
		b.Line.Cut(id, why)
	}
	clear(b.clients)
	clear(b.calls)
}
