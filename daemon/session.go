package daemon

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/abrowser/abrowser/sockets/domains"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Session is the session that a daemon serves. Its exported fields are set once, and may be
// used by the backend at any time.
type Session struct {
	Root    home.Root
	Name    string
	Log     *slog.Logger
	State   *StateStore
	Notices *Notices
	Tabs    *Tabs
	Broker  *Broker

	build    string
	settings wire.Settings
	held     heldCommands // by the action policy
	since    time.Time
	browser  func(context.Context) (home.Endpoint, error)
	backend  Backend
	reporter *reporter

	queue       queue
	hold        hold
	deferred    sync.WaitGroup // deferred work of commands that have been answered
	idle        *idle
	owner       *owner
	connections chan *connection // has room for one: the newest connection, for watchConnection
	health      health
	end         func()      // begins the end of the daemon; may be called more than once
	unbind      func()      // removes the daemon's socket
	isBound     func() bool // reports whether the daemon's socket is still there
	aliasing    sync.Mutex  // held during Root.Alias, which must not run twice at the same time

	mu         sync.Mutex // guards the fields below; never held during I/O
	connection *connection
	// caller is the caller of the command that runs, or that ran last. It is nil before the first
	// command. [Session.Reconnect] sets it to nil, because no command waits for the connection
	// that it makes.
	caller *caller
	// starting is set while the browser and the driver start and the connection is made.
	starting    bool
	browserIdle string // the wire.Settings.BrowserIdle that the daemon got last
	// refused is why the browser did not start, if the daemon never had a browser.
	refused error
}

// connection is the backend's connection to the pages, with what the broker reported when the
// connection was made.
type connection struct {
	Connection
	party  string
	runs   wire.Settings    // the settings that the browser was started with
	news   verbs.NoticesOut // identifies the browser, and lists the tabs that were opened again
	mu     sync.Mutex       // guards the fields below
	told   bool             // a reply has reported the tabs in news
	holder wire.AgentKey    // the agent that the session belongs to; "" if it belongs to none
}

func (c *connection) isLost() bool { return IsClosed(c.Lost()) }

func (c *connection) owner() wire.AgentKey {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.holder
}

// connect returns the connection to the browser. If there is none, or if the connection, the
// driver or the broker is lost, connect makes a new one. Call connect only with a ticket whose
// turn it is, so that no two calls run at the same time.
func (s *Session) connect(ctx context.Context) (*connection, error) {
	// The connection may be lost during Broker.isAlive, so isLost is called a second time.
	c := s.current()
	if c != nil && !c.isLost() && s.backend.IsAlive() && s.Broker.isAlive(ctx) && !c.isLost() {
		return c, nil
	}
	s.setStarting(true)
	defer s.setStarting(false)
	if c != nil {
		s.CheckSocket() // watchConnection may still be handling an earlier loss, and miss this one
		closeConnection(c)
	}
	began := time.Now()
	c, err := s.dial(ctx)
	// The attempt fails if the browser is about to end, for example because it was idle. On a busy
	// machine, the next browser may also end before this session uses it. So try again.
	for errors.Is(err, wire.CodeBrowserGone) && time.Since(began) < restartTime && Sleep(ctx, retryTime) {
		c, err = s.dial(ctx)
	}
	if err != nil {
		return nil, err
	}
	s.Log.Info("connected", "ms", float64(time.Since(began).Microseconds())/1000)
	if err := s.Root.SaveLocation(s.Name, s.settings); err != nil {
		s.Log.Warn("saving where the pages are", "error", err)
	}
	s.mu.Lock()
	s.connection, s.refused = c, nil
	s.mu.Unlock()
	replace(s.connections, c)
	return c, nil
}

// dial starts the browser and the backend if necessary, and connects. It returns
// [wire.CodeBrowserGone] if the browser ends meanwhile.
func (s *Session) dial(ctx context.Context) (*connection, error) {
	s.mu.Lock()
	by := s.caller
	s.mu.Unlock()
	started := make(chan error, 1)
	var place home.Endpoint
	var claim verbs.ClaimOut
	go func() { // runs while the backend prepares; ends with ctx
		var err error
		place, claim, err = s.startAndClaim(ctx, by)
		started <- err
	}()
	err := s.backend.Prepare(ctx)
	if err := <-started; err != nil {
		return nil, err
	}
	if err == nil {
		err = s.applyClaim(claim, by)
	}
	if err != nil {
		return nil, err
	}
	at, err := s.endpoint(place)
	if err != nil {
		return nil, err
	}
	runs, err := s.Broker.meet(ctx)
	if err != nil {
		runs = s.settings
		s.Log.Warn("meeting the broker", "error", err) // the broker may have died since
	}
	at.Windowed = runs.Headed || runs.External()
	made, err := s.backend.Connect(ctx, at)
	if err != nil {
		s.Log.Warn("connecting to the pages", "error", err)
		return nil, err
	}
	c := &connection{Connection: made, party: at.Party, runs: runs, holder: claim.Owner}
	s.mu.Lock()
	want := s.browserIdle
	s.mu.Unlock()
	if c.news, err = s.Broker.news(ctx, verbs.NoticesIn{IdleTimeout: want}); err != nil {
		s.Log.Warn("asking for news", "error", err) // the broker may have died since
	}
	// The broker may have been replaced after the connection was made. Requests then go to the
	// new broker and succeed, so only the broker's pid shows that the connection is dead.
	if same, err := s.Broker.isSame(ctx); err == nil && !same {
		closeConnection(c)
		return nil, ConnectionLostError()
	}
	return c, nil
}

// startAndClaim starts the browser if necessary, and returns where its broker listens. At this
// broker it claims the session for claimant, the caller of the running command. The claim also
// announces the session. Without it, a browser with a short idle limit could be stopped while the
// backend still prepares. If no command runs, claimant is nil. startAndClaim then starts and claims
// nothing: it waits for a browser that was running, and asks who owns the session.
func (s *Session) startAndClaim(ctx context.Context, claimant *caller) (home.Endpoint, verbs.ClaimOut, error) {
	start := s.startBrowser
	if claimant == nil {
		start = s.awaitBrowser
	}
	place, err := start(ctx)
	if err != nil {
		s.noteRefusal(err)
		return place, verbs.ClaimOut{}, err
	}
	claim, err := s.Broker.claim(ctx, claimant)
	return place, claim, goneIfNotRunning(err)
}

// startBrowser starts the browser if necessary, and returns where the browser's broker listens.
// For an incognito session it also creates the session's browser context.
func (s *Session) startBrowser(ctx context.Context) (home.Endpoint, error) {
	place, err := s.browser(ctx)
	if err == nil && s.settings.SessionMode() == wire.ModeIncognito {
		err = goneIfNotRunning(s.Broker.incognito(ctx, s.settings.AllowedDomains))
	}
	return place, err
}

// returnTime is how long a broker that was there a moment ago may take to respond.
const returnTime = 5 * time.Second

// awaitBrowser waits up to returnTime for the broker of a browser that was running, and returns
// where the broker listens. For an incognito session it also creates the session's browser
// context. Unlike startBrowser, it does not start a browser that was stopped. It is used when the
// daemon reconnects and no command waits for the connection.
func (s *Session) awaitBrowser(ctx context.Context) (home.Endpoint, error) {
	place := s.Broker.caller.Endpoint
	short, cancel := context.WithTimeout(ctx, returnTime)
	defer cancel()
	if !s.Broker.awaitReturn(short) {
		return place, wire.Errorf(wire.CodeNotRunning, "the browser was stopped")
	}
	if s.settings.SessionMode() == wire.ModeIncognito {
		return place, s.Broker.incognito(ctx, s.settings.AllowedDomains)
	}
	return place, nil
}

// noteRefusal records why the browser did not start, if the daemon never had a browser.
func (s *Session) noteRefusal(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.connection == nil {
		s.refused = err
	}
}

func (s *Session) refusal() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refused
}

// endIfRefused ends the daemon if its browser did not start and the daemon never had a browser.
// The next command then starts another daemon, perhaps with other settings, with which the browser
// can start. Commands that wait in the queue get the error with which the browser's start failed.
func (c *Call) endIfRefused() {
	if why := c.refusal(); why != nil {
		c.queue.stop(c.Ticket, why)
		c.leave()
	}
}

// StartBrowser starts the session's browser if necessary, and makes the caller the owner of the
// session. The caller then uses the browser through the broker, without this daemon. StartBrowser
// returns a path to the broker's socket that needs no escapes in a URL.
func (s *Session) StartBrowser(ctx context.Context, call *wire.Call, verb string) (socket string, err error) {
	place, err := s.startBrowser(ctx)
	if err == nil {
		err = s.takeFor(ctx, call, verb) // a client of the endpoint can do everything in the session
	}
	if err != nil {
		s.noteRefusal(err)
		if s.refusal() != nil && s.queue.stopIdle() {
			s.leave() // see Call.endIfRefused
		}
		return "", err
	}
	return s.alias(place)
}

func (s *Session) setStarting(on bool) {
	s.mu.Lock()
	s.starting = on
	s.mu.Unlock()
}

// awaitConnecting waits up to closingTime until no connection is being made.
func (s *Session) awaitConnecting(ctx context.Context) {
	const step = 5 * time.Millisecond
	for end := time.Now().Add(closingTime); time.Now().Before(end); {
		s.mu.Lock()
		starting := s.starting
		s.mu.Unlock()
		if !starting || !Sleep(ctx, step) {
			return
		}
	}
}

// closingTime is how long the end of a session may be delayed by a connection that is being made.
const closingTime = 2 * time.Second

// closeConnection closes a connection, and waits until nothing uses it.
func closeConnection(c *connection) {
	c.Close()
	c.Wait()
}

// current returns the connection, which may be lost, or nil.
func (s *Session) current() *connection {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.connection
}

// live returns the connection, or nil if there is none or it was lost.
func (s *Session) live() *connection {
	if c := s.current(); c != nil && !c.isLost() {
		return c
	}
	return nil
}

// isIdle reports whether no command runs or waits.
func (s *Session) isIdle() bool {
	st := s.queue.state()
	return st.verb == "" && st.waiting == 0
}

func (s *Session) hello(pid int) wire.Hello {
	settings, connected := s.running()
	return wire.Hello{
		Name: s.Name, Role: wire.RoleDaemon, Build: s.build, Protocol: wire.Protocol(), PID: pid,
		Idle: s.isIdle(), Ending: s.queue.isStopped(), Since: s.since, Settings: settings, Connected: connected,
	}
}

// running returns the settings that the session runs with, and whether it has a connection. If it
// has a connection, the launch settings are those with which the browser was started, perhaps by
// another session.
func (s *Session) running() (settings wire.Settings, connected bool) {
	c := s.live()
	if c == nil {
		return s.settings, false
	}
	return s.settings.WithLaunchOptions(c.runs), true
}

// retire starts the shutdown if no command runs, and otherwise returns [wire.CodeBusy]. The
// pages stay open, for the session's next daemon.
func (s *Session) retire() error {
	s.queue.awaitDeferred()
	if !s.queue.stopIdle() {
		return wire.Errorf(wire.CodeBusy, "session %s runs a command", s.Name)
	}
	s.leave()
	return nil
}

// leave removes the daemon's socket and begins the end of the daemon. A verb that ends the daemon
// calls leave before it replies. Therefore the caller's next command, even if it comes at once, does
// not reach the daemon that is ending.
func (s *Session) leave() {
	s.unbind()
	s.end()
}

// CheckAddress returns [wire.CodeDenied] for a URL that is not in the session's allowed domains.
func (s *Session) CheckAddress(url string) error {
	return domains.List(s.settings.AllowedDomains).Check(url)
}

// IsFiltered reports whether the session has allowed domains.
func (s *Session) IsFiltered() bool { return len(s.settings.AllowedDomains) > 0 }

// Mode returns the session's mode, such as [wire.ModeIncognito].
func (s *Session) Mode() string { return s.settings.SessionMode() }
