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
type Transport interface {
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
	Transport    Transport
	State        State            // what the last Board of this browser left
	Clock        func() time.Time // time.Now
	FirstID      int64            // the first message id; random, so that late replies to a dead board fit nobody
	BrowserStart time.Time        // when the browser was started; zero: now
	Log          *slog.Logger
	Grace        time.Duration // how long a session without a connection stays live; 5 s
	PauseLimit   time.Duration // how long an owner may keep its new target paused; 3 s
	OnActivity   func()        // called when a page is somewhere else; nil: not
	// Downloads is the directory into which the browser saves files. Empty: where it
	// would by itself; a person's browser stays as it is.
	DownloadDir string
	// Admit is asked before an owner gets another tab. It names a tab of that owner
	// to close for it, or none; an error refuses, in words for the client. Nil: any.
	Admit func(owner string) (evict string, err error)
	// Lives reports whether an agent is known to live, also where it says nothing. What
	// it holds is nobody else's, also while no client is connected. Nil: of none.
	AgentAlive func(agent string) bool
	// Foreign is for a browser that somebody else started. Its targets are attached
	// to one by one, when they turn out to be an owner's, and never paused.
	External bool
	// Watched is for a browser whose windows a person sees: no tab is brought to the
	// front there, whatever for.
	Visible bool
	// Spares is after how many new sessions a page is made ahead for the next one, unless
	// the browser is watched or foreign; 0: never. A board that takes over from another
	// goes on with the one it finds.
	SpareAfter int
	// Prepare is called when that is, or would be, done. Nil: not.
	Prepare func()
	// Farewell is a script that takes off what a session's clients left in a page. It is
	// run in pages that go to rest. Empty: none.
	CleanupScript string
}

// Board is the switchboard between one browser and its clients.
type Mux struct {
	Options

	lastID      int64
	pending     map[int64]pendingCall
	clients     map[ClientID]*client
	sessions    map[string]*session // the clients' CDP sessions
	attached    map[string]*target  // by the CDP session that we hold on a target ourselves
	visits      map[string]*target  // pages that are being told farewell, by session on them or their frames
	targets     map[string]*target
	tenants     map[string]*tenant
	creates     map[int64]*tenant // createTarget calls that are not answered, by id
	popups      []pendingPopup    // tabs that pages are about to open
	files       map[string]*download
	timers      timers
	shared      string          // id of the shared browser context
	journal     []string        // browser-level sessions that a successor has to detach
	dirty       bool            // something changed that can wait to be saved
	evicting    map[string]bool // targets that make room for others and are about to be closed
	goneWatches []func() bool   // called when a target is gone, until they return true
	reopening   *reopening      // the lost tab that is being opened again
	spare       spare
	front       front
	closing     bool // the browser has been asked to end
	ready       bool
}

// New returns a Board that has said nothing yet; see [Board.Start].
func New(o Options) *Mux {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.BrowserStart.IsZero() {
		o.BrowserStart = o.Clock()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Grace == 0 {
		o.Grace = 5 * time.Second
	}
	if o.PauseLimit == 0 {
		o.PauseLimit = 3 * time.Second
	}
	if o.FirstID == 0 {
		o.FirstID = idFloor + rand.Int64N(idCeiling-idFloor)
	}
	m := &Mux{
		Options: o, lastID: o.FirstID - 1,
		pending: map[int64]pendingCall{}, clients: map[ClientID]*client{}, sessions: map[string]*session{},
		attached: map[string]*target{}, visits: map[string]*target{}, targets: map[string]*target{}, tenants: map[string]*tenant{}, creates: map[int64]*tenant{},
		files: map[string]*download{}, evicting: map[string]bool{},
	}
	m.restore(o.State)
	return m
}

// Ids have ten digits: never shorter than a client's, so that the client's fits
// in its place, and never more than Chromium's int holds.
const (
	idFloor   = 1_000_000_000
	idCeiling = 2_147_483_647
)

func (m *Mux) nextID() int64 {
	for {
		m.lastID++
		if m.lastID >= idCeiling {
			m.lastID = idFloor
		}
		if _, taken := m.pending[m.lastID]; !taken {
			return m.lastID
		}
	}
}

// targetFilter is what we hold and announce: pages, and the service workers of a
// session's own browser contexts. All else comes to its owner through the page
// that it belongs to, and is never paused by us.
const targetFilter = `"filter":[{"type":"page"},{"type":"service_worker"},{"exclude":true}]`

// Start takes the browser over. What a dead predecessor held is let go before
// anything else; done is called when clients may come.
func (m *Mux) Start(done func()) {
	for _, id := range m.journal {
		// A page that still waits for it would wait for ever.
		m.call("Runtime.runIfWaitingForDebugger", nil, id, nil)
		m.call("Target.detachFromTarget", encode(sessionParam{id}), "", nil)
	}
	m.journal = nil
	var contexts struct {
		Shared string   `json:"defaultBrowserContextId"`
		Others []string `json:"browserContextIds"`
	}
	m.call("Target.getBrowserContexts", nil, "", func(in cdp.Message) {
		if in.Result(&contexts) == nil {
			m.shared = contexts.Shared
		}
	})
	m.acceptDownloads("", nil)
	for _, tn := range m.tenants {
		for _, context := range tn.Contexts {
			m.acceptDownloads(context, nil)
		}
		if tn.Private != "" {
			m.acceptDownloads(tn.Private, nil)
		}
	}
	known := func(cdp.Message) {
		m.ready = true
		m.dropMissingTabs()
		m.disposeOrphans(contexts.Others)
		m.save()
		done()
	}
	const discover = `{"discover":true,` + targetFilter + `}`
	if m.External {
		m.call("Target.setDiscoverTargets", []byte(discover), "", known)
		return
	}
	m.call("Target.setDiscoverTargets", []byte(discover), "", nil)
	// Off and on again: the second brings an event for each target there is.
	m.call("Target.setAutoAttach", []byte(`{"autoAttach":false,"waitForDebuggerOnStart":false,"flatten":true}`), "", nil)
	m.call("Target.setAutoAttach", []byte(`{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true,`+targetFilter+`}`), "", known)
}

// pass sends a client's request on; the client gets the reply.
func (m *Mux) forward(s *session, r cdp.Request, params []byte) {
	id := m.nextID()
	m.pending[id] = pendingCall{client: s.client, session: s, clientID: r.ID}
	s.client.pending++
	if isAction(r.Method, params) {
		s.noteAction(id)
	}
	m.send(id, r.Method, params, s.id)
}

// askFor sends a client's request on as one of our own, on our root; then gets
// the reply, also when the client has left by then.
func (m *Mux) callFor(s *session, r cdp.Request, params []byte, then func(in cdp.Message)) int64 {
	id := m.nextID()
	m.pending[id] = pendingCall{client: s.client, session: s, clientID: r.ID, then: then}
	s.client.pending++
	m.send(id, r.Method, params, "")
	return id
}

// send sends a command to the browser.
func (m *Mux) send(id int64, method string, params []byte, session string) {
	m.Transport.ToBrowser(cdp.Request{ID: id, Method: method, Params: params, Session: session}.Encode())
}

// sendEvent sends an event to the client of a session.
func (m *Mux) sendEvent(s *session, method string, params any) {
	m.Transport.ToClient(s.client.id, cdp.Event(method, s.name(), encode(params)))
}

// maxRequest is how long a client's message may be. At 100 MiB Chromium reads no
// more from its pipe, nobody's, and does not end.
const maxRequest = 90 << 20

// maxRuled is how long a message with a rule may be: the Board takes it apart
// while all others wait. Chromium takes no URL of more than 2 MiB; the rest is cookies.
const maxRuleRequest = 8 << 20

// FromBrowser takes a message of the browser. It may write into it.
func (m *Mux) FromBrowser(raw []byte) {
	in, ok := cdp.ParseMessage(raw)
	if !ok {
		m.Log.Debug("message of the browser to nobody", "bytes", len(raw))
		return
	}
	if in.IsReply {
		m.handleReply(in)
		return
	}
	if in.Session == "" {
		m.rootEvent(in)
		return
	}
	if s := m.sessions[in.Session]; s != nil {
		m.clientEvent(s, in)
		return
	}
	if t := m.attached[in.Session]; t != nil && in.Method == "Page.screencastFrame" {
		m.ackFrame(t, in)
	}
	if t := m.visits[in.Session]; t != nil {
		m.visited(t, in)
	}
}

func (m *Mux) handleReply(in cdp.Message) {
	c, ok := m.pending[in.ID]
	if !ok {
		return
	}
	m.dropCall(in.ID)
	switch {
	case c.then != nil:
		c.then(in)
	case c.client != nil:
		m.forwardReply(c, in)
	}
}

// Stream takes the beginning of a large message of the browser. Where it is the reply to
// a client's call on a session of its own below the root, ok is true: the client gets
// head for it, and then the rest as it is. Otherwise the message is for
// [Board.FromBrowser], whole, and nothing has happened. It may write into first.
func (m *Mux) StreamReply(first []byte) (to ClientID, head []byte, ok bool) {
	in, isReply := cdp.ParseHead(first)
	if !isReply {
		return 0, nil, false
	}
	c, waiting := m.pending[in.ID]
	// The reply on a root has its session taken off, which stands at its end.
	if !waiting || c.then != nil || c.client == nil || c.session.parent == nil {
		return 0, nil, false
	}
	m.dropCall(in.ID)
	return c.client.id, in.WithID(c.clientID), true // to one that has left, nobody gives it
}

// forget drops a call that is answered, or will not be.
func (m *Mux) dropCall(id int64) {
	c := m.pending[id].client
	delete(m.pending, id)
	if c == nil {
		return
	}
	c.pending--
	if c.whenReady != nil && c.pending < maxPending {
		do := c.whenReady
		c.whenReady = nil
		do()
	}
}

// window is how many calls of one client may be unanswered before the next ones
// have to wait. The browser itself queues without bound, and what one client
// floods it with holds up all.
const maxPending = 2000

// WhenFree calls do when the client's next message may come: at once, but for a
// client with too many calls unanswered. Only the last do counts.
func (m *Mux) WhenReady(id ClientID, do func()) {
	c := m.clients[id]
	if c == nil || c.pending < maxPending {
		do()
		return
	}
	c.whenReady = do
}

// answer gives a reply to the client whose call it answers.
func (m *Mux) forwardReply(c pendingCall, in cdp.Message) {
	if c.client.gone {
		return
	}
	if c.session.parent == nil {
		in = in.WithoutSession()
	}
	raw := in.WithID(c.clientID)
	if c.client.quietReplies && c.client.tenant.unchanged() {
		raw = withQuietMember(raw)
		if m.OnActivity != nil { // a script may have set a cookie
			m.OnActivity()
		}
	}
	m.Transport.ToClient(c.client.id, raw)
}

// relay gives the reply to a call of [Board.askFor] to the client.
func (m *Mux) forwardResult(s *session, r cdp.Request, in cdp.Message) {
	var result json.RawMessage
	var refusal *cdp.Error
	switch err := in.Result(&result); {
	case err == nil:
		m.respond(s, r, result)
	case errors.As(err, &refusal):
		m.respondError(s, r, refusal)
	default:
		m.respondError(s, r, &cdp.Error{Code: -32603, Message: err.Error()})
	}
}

// FromClient takes a message of a client. It does not keep it.
func (m *Mux) FromClient(id ClientID, r cdp.Request, invalid error) {
	c := m.clients[id]
	if c == nil || c.gone || c.root == nil {
		return
	}
	switch {
	case invalid == nil:
	case r.HasID:
		m.Transport.ToClient(id, (&cdp.Error{Code: -32600, Message: invalid.Error()}).Response(r.ID, ""))
		return
	default:
		m.Transport.ToClient(id, append(append([]byte(`{"error":`), encode(&cdp.Error{Code: -32700, Message: invalid.Error()})...), '}'))
		return
	}
	s := c.root
	if r.Session != "" {
		if s = m.sessions[r.Session]; s == nil || s.client != c || s.parent == nil {
			m.Transport.ToClient(id, sessionGone().Response(r.ID, ""))
			return
		}
	}
	if r.Size > maxRequest || r.Size > maxRuleRequest && ruleFor(r.Method) != nil {
		m.respondError(s, r, badParams("the message is larger than the browser reads"))
		return
	}
	if refusal := m.applyRules(s, r); refusal != nil {
		m.respondError(s, r, refusal)
	}
}

// done answers a client's request.
func (m *Mux) respond(s *session, r cdp.Request, result any) {
	if !s.client.gone {
		m.Transport.ToClient(s.client.id, cdp.Response(r.ID, s.name(), encode(result)))
	}
}

func (m *Mux) respondError(s *session, r cdp.Request, err *cdp.Error) {
	if !s.client.gone {
		m.Transport.ToClient(s.client.id, err.Response(r.ID, s.name()))
	}
}

// Fail cuts all clients: the browser is gone. Where its tabs were is on disk then.
func (m *Mux) Close(why string) {
	m.Flush()
	for id, c := range m.clients {
		c.gone = true
		m.Transport.Cut(id, why)
	}
	clear(m.clients)
	clear(m.pending)
}
