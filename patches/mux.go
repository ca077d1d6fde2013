package patches

import (
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/abrowser/abrowser/patches/cdp"
)

// ClientID identifies a client's connection.
type ClientID int

// Transport carries the messages of a [Mux] and does its input and output. After a call of
// ToBrowser or ToClient, the message belongs to the transport. No method may wait for the browser
// or for a client. If a client does not read, the transport has to queue the client's messages or
// close the connection.
type Transport interface {
	ToBrowser(msg []byte)
	ToClient(c ClientID, msg []byte)
	// Cut closes a client's connection after sending the messages that were already passed
	// to ToClient.
	Cut(c ClientID, why string)
	// Save writes the state to disk before it returns.
	Save(s State)
	// Deliver copies a finished download. file is a name in [Options.DownloadDir], or the path of a
	// file elsewhere. copies lists the places for the copies. When all copies are made, Deliver
	// calls done() on the Mux's goroutine. The argument of done() has the path of each copy, in the
	// order of copies. The path is empty for a copy that failed.
	Deliver(file string, copies []Delivery, done func(where []string))
	// Discard removes a file, complete or not, from [Options.DownloadDir].
	Discard(name string)
}

// Options holds the settings of a [Mux]. Only Transport is required.
type Options struct {
	Transport Transport
	State     State            // the state that the browser's previous Mux saved
	Clock     func() time.Time // default: time.Now
	// FirstID is the id of the first message that the Mux sends. The default is random, so that a
	// late reply to a previous Mux does not match a pending call.
	FirstID      int64
	BrowserStart time.Time // when the browser was started; default: now
	Log          *slog.Logger
	Grace        time.Duration // how long a tenant without a connection stays live; default: 5 s
	PauseLimit   time.Duration // how long a tenant may keep its new target paused; default: 3 s
	OnActivity   func()        // called when a page has a new URL or a script may have set cookies
	// DownloadDir is the directory into which the browser saves files. If it is empty, the browser
	// uses the directory of its own settings.
	DownloadDir string
	// Admit is called before a client creates a tab. The result evict is the target id of a tab of
	// the same agent that the Mux has to close when the new tab exists. It is empty if no tab has
	// to be closed. If Admit returns an error, the Mux refuses the new tab and sends the error's
	// text to the client. If Admit is nil, every tab is allowed.
	Admit func(tenant string) (evict string, err error)
	// Filter starts the filter of a tenant: a proxy that passes requests to the given domains only.
	// It returns the proxy's address. It may not wait for the browser or a client.
	Filter func(tenant string, domains []string) (address string, err error)
	// AgentAlive reports whether an agent, the program that uses a session, is known to be
	// alive, even if it is not connected. The tenants of a living agent cannot be claimed by
	// another agent. If AgentAlive is nil, no agent without a connection counts as alive.
	AgentAlive func(agent string) bool
	// External is true for a browser that was not started by abrowser. The Mux attaches only to
	// targets of its tenants and pauses no target.
	External bool
	// Visible is true for a browser whose windows a person sees. In such a browser, the Mux never
	// brings a tab to the front.
	Visible bool
	// SpareAfter is the number of new sessions after which the Mux creates a spare page,
	// which is a blank page that the next session gets as its first page. No spare page is
	// created if SpareAfter is 0 or the browser is Visible or External. A spare page that a
	// previous Mux left is used in any case.
	SpareAfter int
	// CleanupScript is JavaScript that the Mux runs in the pages of a tenant that is released. The
	// script removes what the tenant's clients left in the page. If it is empty, the Mux runs
	// nothing.
	CleanupScript string
}

// Mux multiplexes the connection to one browser among many clients.
type Mux struct {
	Options

	lastID   int64
	pending  map[int64]pendingCall
	clients  map[ClientID]*client
	sessions map[string]*session // the clients' CDP sessions
	attached map[string]*target  // by the id of the Mux's own CDP session on the target
	targets  map[string]*target
	tenants  map[string]*tenant
	// creates has the unanswered createTarget calls by message id. The value is the owner of the
	// new target, or nil if the target is a spare page.
	creates   map[int64]*tenant
	popups    []pendingPopup // tabs that pages are about to open
	downloads downloads
	cleanup   cleanup
	guard     dialogGuard
	spare     sparePage
	uploads   folderUploads
	timers    timers
	shared    string // id of the shared context
	// browserTarget is the id under which clients know the browser's own target; see
	// [Mux.browserInfo].
	browserTarget string
	journal       []string        // CDP sessions that the next Mux has to detach
	dirty         bool            // the state has changes whose save is delayed
	evicting      map[string]bool // targets that are about to be closed to make room
	goneWatches   []func() bool   // each is called whenever a target is gone, until it returns true
	reopening     *reopening      // the lost tab that is being opened again
	closing       bool            // the browser has been asked to exit
	ready         bool            // the browser's targets are known
}

// New returns a Mux. It sends no message to the browser; [Mux.Start] does.
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
		o.FirstID = minID + rand.Int64N(maxID-minID)
	}
	m := &Mux{
		Options: o, lastID: o.FirstID - 1,
		pending: map[int64]pendingCall{}, clients: map[ClientID]*client{}, sessions: map[string]*session{},
		attached: map[string]*target{}, targets: map[string]*target{}, tenants: map[string]*tenant{},
		creates: map[int64]*tenant{}, evicting: map[string]bool{},
	}
	m.downloads = downloads{m: m, byGUID: map[string]*download{}}
	m.cleanup = cleanup{m: m, sessions: map[string]*cleaning{}}
	m.guard = dialogGuard{m: m}
	m.spare = sparePage{m: m}
	m.uploads = folderUploads{m: m}
	m.restore(o.State)
	return m
}

// targetFilter selects pages and service workers. The Mux attaches to these targets, and detaches
// from them again if they are unowned ([Mux.detachUnowned]). It never pauses targets of other
// types, such as frames. A client gets a session on such a target through the page to which the
// target belongs.
const targetFilter = `"filter":[{"type":"page"},{"type":"service_worker"},{"exclude":true}]`

// Start takes over the browser, and detaches the CDP sessions of a previous Mux. It calls done()
// when clients may connect.
func (m *Mux) Start(done func()) {
	if len(m.journal) == 0 { // the browser has just started
		m.takeOver(nil, done)
		return
	}
	m.guard.start(func(previous []string) { m.takeOver(previous, done) })
}

// takeOver detaches the CDP sessions in the list previous, which a previous Mux left, and attaches
// to all pages and service workers. In an external browser it attaches only to targets of tenants.
// It calls done() when the browser's targets are known.
func (m *Mux) takeOver(previous []string, done func()) {
	for _, id := range previous {
		// A page that is paused for this session would stay paused forever if the session were
		// detached before the page is resumed. An open dialog has to be closed on this session
		// as well, because a session that is attached later cannot close the dialog.
		m.call("Runtime.runIfWaitingForDebugger", nil, id, nil)
		m.call("Page.handleJavaScriptDialog", encode(map[string]bool{"accept": false}), id, nil)
		m.detachSession(id)
	}
	var contexts struct {
		Shared string   `json:"defaultBrowserContextId"`
		Others []string `json:"browserContextIds"`
	}
	m.call("Target.getBrowserContexts", nil, "", func(in cdp.Message) {
		if in.Result(&contexts) == nil {
			m.shared = contexts.Shared
		}
	})
	m.downloads.accept("", nil)
	for _, tn := range m.tenants {
		for _, context := range tn.Contexts {
			m.downloads.accept(context, nil)
		}
		if tn.Private != "" {
			m.downloads.accept(tn.Private, nil)
		}
	}
	known := func(cdp.Message) {
		m.ready = true
		m.guard.end()
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
	// Auto-attach is turned off first, so that turning it on reports every target.
	m.call("Target.setAutoAttach", []byte(`{"autoAttach":false,"waitForDebuggerOnStart":false,"flatten":true}`), "", nil)
	m.call("Target.setAutoAttach", []byte(`{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true,`+targetFilter+`}`), "", known)
}

// Close ends the Mux after the browser is gone. It saves changes whose save is delayed, so that the
// tabs can be opened again in the next browser. Then it disconnects all clients by [Transport].Cut,
// with the given reason.
func (m *Mux) Close(why string) {
	m.Flush()
	for id, c := range m.clients {
		c.gone = true
		m.Transport.Cut(id, why)
	}
	clear(m.clients)
	clear(m.pending)
}
