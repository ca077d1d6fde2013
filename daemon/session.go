package daemon

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Session is one session: the state of a daemon.
type Session struct {
	root     home.Root
	name     string
	build    string
	settings wire.Settings
	log      *slog.Logger
	since    time.Time
	browser  func(context.Context) (home.Endpoint, error)

	engine   *engine
	broker   *broker
	kept     *keeping
	news     *news
	dialogs  *dialogs
	asks     *asks
	recorder *recorder
	refs     *refs
	lane     lane
	rests    sync.WaitGroup // what verbs that have answered left to do
	owes     atomic.Bool    // a tab may have been opened in that, of which no reply has told
	idle     *idle
	owner    *owner
	links    chan *link // the newest, for whoever watches it
	health   health
	end      func()     // begins the end of the daemon, once or more often
	unbind   func()     // takes its socket away
	aliasing sync.Mutex // held while the socket's alias is looked for or made

	mu        sync.Mutex // guards the fields below; never held during I/O
	link      *link
	tabs      []verbs.Tab       // as the broker told last
	active    verbs.Tab         // the tab that page verbs act on; zero before the first
	told      map[string]bool   // by tab id
	openers   map[string]string // of each target, the one that opened it
	downloads downloads
	happened  int // how often the browser has told our connections of what a page did
	caughtUp  int // of it, what we have caught up with
	// actor is who has the lane; nil where that is no caller, but a connection that
	// is made again by itself.
	actor *actor
	// starting is set while driver and browser are made to run and connected to.
	starting    bool
	browserIdle string // what the last caller asked for who did; see wire.Settings
	// refused is why there is no browser, where there never was one.
	refused error
}

// linked is the connection to the browser, made where there is none or it was
// lost. Only the lane's holder asks for it, so one is made.
func (s *Session) linked(ctx context.Context) (*link, error) {
	s.mu.Lock()
	l := s.link
	s.mu.Unlock()
	if l != nil && !l.isGone() && s.engine.alive() && s.broker.alive(ctx) && !l.isGone() { // which takes time
		return l, nil
	}
	s.setStarting(true)
	defer s.setStarting(false)
	if l != nil {
		s.unlink(l)
	}
	began := time.Now()
	l, err := s.reach(ctx)
	if errors.Is(err, wire.CodeBrowserGone) && ctx.Err() == nil {
		l, err = s.reach(ctx) // it was ending when it was asked; if not, it costs nothing
	}
	if err != nil {
		return nil, err
	}
	s.log.Info("connected", "ms", float64(time.Since(began).Microseconds())/1000)
	if err := s.root.SaveLocation(s.name, s.settings); err != nil {
		s.log.Warn("keeping where the pages are", "error", err)
	}
	s.mu.Lock()
	s.link, s.refused = l, nil
	s.mu.Unlock()
	replace(s.links, l)
	return l, nil
}

// reach makes browser and driver run and connects to them.
func (s *Session) reach(ctx context.Context) (*link, error) {
	type started struct {
		place home.Endpoint
		err   error
	}
	browser := make(chan started, 1)
	s.mu.Lock()
	enter := s.enter
	if s.actor == nil {
		enter = s.enterAgain
	}
	s.mu.Unlock()
	go func() { // while the driver starts; ends by ctx
		place, err := enter(ctx)
		browser <- started{place, err}
	}()
	pw, err := s.engine.start(ctx)
	b := <-browser
	if b.err != nil {
		s.noteRefusal(b.err)
		return nil, b.err
	}
	if err != nil {
		return nil, err
	}
	whose, err := s.claim(ctx)
	if err != nil {
		return nil, err
	}
	socket, err := s.alias(b.place)
	if err != nil {
		return nil, err
	}
	runs, err := s.broker.meet(ctx)
	if err != nil {
		runs = s.settings
		s.log.Warn("meeting the broker", "error", err) // it may have died again
	}
	l, err := connect(ctx, pw, b.place, socket, s.name, s.dialogs, s.asks)
	if err != nil {
		s.log.Warn("connecting to the pages", "error", err)
		if isGone(err) {
			s.engine.drop(pw) // it may be the driver that is gone
		}
		return nil, coded(err)
	}
	s.recorder.watch(l)
	if hars := s.kept.get().HARs; len(hars) > 0 {
		if err := l.briefly(installTime, func() error { return l.replay(hars) }); err != nil {
			s.log.Warn("answering from HAR files", "error", firstLine(err.Error()))
		}
	}
	l.holder = whose.Owner // nobody else has the link yet
	l.runs = runs
	s.mu.Lock()
	want := s.browserIdle
	s.mu.Unlock()
	if l.news, err = s.broker.news(ctx, verbs.NoticesIn{IdleTimeout: want}); err != nil {
		s.log.Warn("asking for news", "error", err) // the connection may be gone again
	}
	// The broker may have been replaced after it was connected to. Its successor answers
	// all questions since, so that nothing but its pid tells that the connection is dead.
	if same, err := s.broker.isSame(ctx); err == nil && !same {
		s.unlink(l)
		return nil, goneError()
	}
	return l, nil
}

// enter makes the browser run, with a context in it for an incognito session, and
// says where its broker listens.
func (s *Session) enter(ctx context.Context) (home.Endpoint, error) {
	place, err := s.browser(ctx)
	if err == nil && s.settings.SessionMode() == wire.ModeIncognito {
		err = s.broker.incognito(ctx)
	}
	return place, err
}

// againTime is how long a broker may take to answer that was there a moment ago.
const againTime = 5 * time.Second

// enterAgain is enter for a connection that nobody waits for: a browser that was stopped
// meanwhile is nobody's wish.
func (s *Session) enterAgain(ctx context.Context) (home.Endpoint, error) {
	place := s.broker.caller.Endpoint
	soon, cancel := context.WithTimeout(ctx, againTime)
	defer cancel()
	if !s.broker.returns(soon) {
		return place, wire.Errorf(wire.CodeNotRunning, "the browser was stopped")
	}
	if s.settings.SessionMode() == wire.ModeIncognito {
		return place, s.broker.incognito(ctx)
	}
	return place, nil
}

// noteRefusal keeps why there is no browser, of a daemon that never had one.
func (s *Session) noteRefusal(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.link == nil {
		s.refused = err
	}
}

func (s *Session) wasRefused() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refused
}

// leave ends a daemon that cannot have its browser and has done nothing yet: with
// other settings the next command may have one. What waits gets the same answer.
func (t *turn) leave() {
	if why := t.wasRefused(); why != nil {
		t.lane.stop(t.slot, why)
		t.end()
	}
}

func (s *Session) setStarting(on bool) {
	s.mu.Lock()
	s.starting = on
	s.mu.Unlock()
}

// unlink gives a connection up, and the driver too where it does not let go of
// what was asked of it.
func (s *Session) unlink(l *link) {
	l.close()
	if !l.settled(stopTime) {
		s.engine.stopDriver()
		l.settled(stopTime)
	}
}

// listTabs asks the broker for the session's tabs, after every event that came
// before, and remembers them.
func (s *Session) listTabs(ctx context.Context) ([]verbs.Tab, error) {
	return s.keepTabs(s.broker.tabs(ctx, false))
}

// settledTabs is listTabs at the end of a command, when the broker also saves what the
// command may have logged in to.
func (s *Session) settledTabs(ctx context.Context) ([]verbs.Tab, error) {
	return s.keepTabs(s.broker.tabs(ctx, true))
}

func (s *Session) keepTabs(out verbs.TabsOut, err error) ([]verbs.Tab, error) {
	if err != nil {
		return nil, err
	}
	tabs := out.Tabs
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tabs, s.happened = tabs, out.Notified
	s.downloads.noticeLocked(out.LastDownload)
	for _, tab := range tabs {
		if s.active.TargetID == tab.TargetID {
			s.active = tab
		}
	}
	return tabs, nil
}

// activate makes a tab the one that page verbs act on, here and for the
// session's next daemon.
func (s *Session) activate(ctx context.Context, tab verbs.Tab) error {
	s.mu.Lock()
	s.active = tab
	s.told[tab.TabID] = true
	s.mu.Unlock()
	return s.broker.note(ctx, verbs.NoteIn{Target: tab.TargetID, Active: true})
}

// known returns the active tab and the link without asking anybody.
func (s *Session) known() (verbs.Tab, *link) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.active, s.link
}

// isIdle reports whether no command runs or waits.
func (s *Session) isIdle() bool {
	st := s.lane.state()
	return st.verb == "" && st.waiting == 0
}

func (s *Session) hello(pid int) wire.Hello {
	settings, connected := s.running()
	return wire.Hello{
		Name: s.name, Role: wire.RoleDaemon, Build: s.build, Protocol: wire.Protocol, PID: pid,
		Idle: s.isIdle(), Ending: s.lane.ends(), Since: s.since, Settings: settings, Connected: connected,
	}
}

// running returns the settings that the session runs with. While it is connected to a
// browser, what concerns the browser's start is as the browser has it: another session may
// have started it.
func (s *Session) running() (settings wire.Settings, connected bool) {
	_, l := s.known()
	if l == nil || l.isGone() {
		return s.settings, false
	}
	return s.settings.WithLaunchOptions(l.runs), true
}

// retire begins the end when nothing runs. The pages stay, for the daemon that
// comes next.
func (s *Session) retire() error {
	s.lane.rested()
	if !s.lane.stopIdle() {
		return wire.Errorf(wire.CodeBusy, "session %s runs a command", s.name)
	}
	s.end()
	return nil
}
