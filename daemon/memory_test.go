package daemon_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/server"
	"github.com/abrowser/abrowser/sockets/socketstest"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

func TestMain(m *testing.M) {
	// The first call of NotifyContext in a process starts a goroutine that never ends. It is
	// started here, so that socketstest.Main does not count it as left over by a test.
	_, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	stop()
	socketstest.Main(m, nil)
}

// patience is how long a test waits for the daemon before it fails.
const patience = 20 * time.Second

// memory is a backend without a browser. The test supplies the function that runs its scripts.
type memory struct {
	session *daemon.Session

	mu      sync.Mutex // guards the fields below
	run     func(ctx context.Context, c *daemon.Call, script string) error
	prepare func(context.Context) error
	problem string // what Diagnose returns
	dead    bool
	log     []string // the scripts that were run
	conn    *memoryConn
	made    int // the number of connections made
	har     string
	record  verbs.SessionRecord
}

// memoryConn is a connection of the memory backend.
type memoryConn struct {
	backend    *memory
	once       sync.Once
	lost       chan struct{}
	recovering atomic.Bool // what IsRecovering returns
}

func (m *memory) Handlers() []daemon.Handler {
	return []daemon.Handler{
		daemon.Queued(m.session, verbs.Eval, func(ctx context.Context, c *daemon.Call, in verbs.EvalIn) (verbs.EvalOut, error) {
			return verbs.EvalOut{Result: []byte("0")}, m.serve(ctx, c, in.Script, in.Timeout)
		}),
		daemon.Queued(m.session, verbs.GetText, func(ctx context.Context, c *daemon.Call, in verbs.GetIn) (verbs.GetTextOut, error) {
			return verbs.GetTextOut{Value: in.Selector}, m.serve(ctx, c, in.Selector, 0)
		}),
		daemon.Queued(m.session, verbs.Console, func(ctx context.Context, c *daemon.Call, _ verbs.ConsoleIn) (verbs.ConsoleOut, error) {
			return verbs.ConsoleOut{}, m.serve(ctx, c, "console", 0)
		}),
		daemon.QueuedBriefly(m.session, verbs.GetURL, func(ctx context.Context, c *daemon.Call, in verbs.TabIn) (verbs.PageURL, error) {
			if c.Ticket == nil {
				return verbs.PageURL{URL: "http://known.test/"}, nil
			}
			return verbs.PageURL{URL: "http://asked.test/"}, m.serve(ctx, c, "get url", 0)
		}),
		daemon.Unqueued(verbs.PolicyDialog, func(_ context.Context, _ *wire.Call, in verbs.DialogPolicyIn) (verbs.PoliciesOut, error) {
			err := m.session.State.Change(func(s *daemon.State) { s.Policies.Dialog = in.Mode })
			return verbs.PoliciesOut{Policies: m.session.State.Get().Policies}, err
		}),
	}
}

// serve connects and then runs a script, like the verbs of a real backend.
func (m *memory) serve(ctx context.Context, c *daemon.Call, script string, timeout int) error {
	ctx, cancel, err := c.Limit(ctx, timeout, patience)
	if err != nil {
		return err
	}
	defer cancel()
	m.mu.Lock()
	m.log = append(m.log, script)
	run := m.run
	m.mu.Unlock()
	if run == nil {
		return nil
	}
	return run(ctx, c, script)
}

// script sets the function that runs scripts.
func (m *memory) script(run func(ctx context.Context, c *daemon.Call, script string) error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.run = run
}

// runs returns how often a script was run.
func (m *memory) runs(script string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for _, one := range m.log {
		if one == script {
			n++
		}
	}
	return n
}

func (m *memory) Prepare(ctx context.Context) error {
	m.mu.Lock()
	prepare := m.prepare
	m.dead = false
	m.mu.Unlock()
	if prepare != nil {
		return prepare(ctx)
	}
	return nil
}

func (m *memory) Connect(context.Context, daemon.Endpoint) (daemon.Connection, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.made++
	m.conn = &memoryConn{backend: m, lost: make(chan struct{})}
	return m.conn, nil
}

// lose makes the connection fail.
func (m *memory) lose() {
	m.mu.Lock()
	conn := m.conn
	m.mu.Unlock()
	conn.Drop()
}

func (m *memory) Watch(ctx context.Context) { <-ctx.Done() }

func (m *memory) IsAlive() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return !m.dead
}

func (m *memory) State(context.Context) verbs.DriverStatus { return verbs.DriverStatus{} }

func (m *memory) Questions() []verbs.PendingQuestion { return nil }

func (m *memory) FinishRecording() (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	path := m.har
	m.har = ""
	return path, nil
}

func (m *memory) Release() error { return nil }

func (c *memoryConn) Lost() <-chan struct{}    { return c.lost }
func (c *memoryConn) Drop()                    { c.once.Do(func() { close(c.lost) }) }
func (c *memoryConn) Restore()                 {}
func (c *memoryConn) Close()                   { c.Drop() }
func (c *memoryConn) Wait()                    {}
func (c *memoryConn) IsPageClosed(string) bool { return false }
func (c *memoryConn) IsRecovering(string) bool { return c.recovering.Load() }

func (c *memoryConn) Diagnose(context.Context, string) (problem, hint string) {
	c.backend.mu.Lock()
	defer c.backend.mu.Unlock()
	return c.backend.problem, "abrowser close"
}

// broker is a fake of the browser's broker, with the verbs that a session needs.
type broker struct {
	mu      sync.Mutex // guards the fields below
	holder  wire.AgentKey
	ended   bool
	tabs    verbs.TabsOut
	news    verbs.NoticesOut
	release []verbs.ReleaseIn
	reports reports
}

func (b *broker) handlers() []wire.Handler {
	return []wire.Handler{
		wire.Bind(verbs.BrokerReport, b.reports.serve),
		wire.Bind(verbs.BrokerClaim, func(_ context.Context, call *wire.Call, in verbs.ClaimIn) (verbs.ClaimOut, error) {
			b.mu.Lock()
			defer b.mu.Unlock()
			if b.holder == "" && !in.QueryOnly && !in.ReadOnly {
				b.holder = call.Actor()
			}
			return verbs.ClaimOut{Owner: b.holder, Reserved: b.holder != "", Live: true, Ended: b.ended}, nil
		}),
		wire.Bind(verbs.BrokerIncognito, func(context.Context, *wire.Call, verbs.IncognitoIn) (verbs.Empty, error) {
			return verbs.Empty{}, nil
		}),
		wire.Bind(verbs.BrokerTabs, func(context.Context, *wire.Call, verbs.TabsIn) (verbs.TabsOut, error) {
			b.mu.Lock()
			defer b.mu.Unlock()
			return b.tabs, nil
		}),
		wire.Bind(verbs.BrokerNotices, func(context.Context, *wire.Call, verbs.NoticesIn) (verbs.NoticesOut, error) {
			b.mu.Lock()
			defer b.mu.Unlock()
			return b.news, nil
		}),
		wire.Bind(verbs.BrokerRelease, func(_ context.Context, _ *wire.Call, in verbs.ReleaseIn) (verbs.ReleaseOut, error) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.release = append(b.release, in)
			return verbs.ReleaseOut{Kept: len(b.tabs.Tabs)}, nil
		}),
		wire.Bind(verbs.BrokerDepart, func(context.Context, *wire.Call, verbs.DepartIn) (verbs.Empty, error) { return verbs.Empty{}, nil }),
	}
}

// set changes the fields of the broker under its lock.
func (b *broker) set(change func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change()
}

// session is a daemon in the test's process, with its backend and its broker.
type session struct {
	*client.Client
	*memory
	broker *broker
	root   home.Root
	place  home.Endpoint
	done   chan error
}

// start runs a daemon for a session, with a broker and a backend of its own.
func start(t testing.TB, change ...func(*daemon.Options, *memory)) *session {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "abd") // not t.TempDir: the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s := &session{memory: &memory{}, broker: &broker{news: verbs.NoticesOut{Browser: "first"}}, root: home.Root{Dir: filepath.Join(dir, "r")}, done: make(chan error, 1)}
	if err := s.root.Make(); err != nil {
		t.Fatal(err)
	}
	at := s.serveBroker(t)
	if s.place, err = s.root.Session("s"); err != nil {
		t.Fatal(err)
	}
	ready := make(chan error, 1)
	o := daemon.Options{
		Root: s.root, Session: "s", Broker: at, Log: slog.New(slog.NewTextHandler(t.Output(), nil)), Ready: func(err error) { ready <- err },
		Browser: func(context.Context) (home.Endpoint, error) { return at, nil },
		Backend: func(made *daemon.Session) daemon.Backend {
			s.memory.session = made
			return s.memory
		},
	}
	for _, f := range change {
		f(&o, s.memory)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	done := s.done
	go func() { done <- daemon.Run(ctx, o) }()
	if err := <-ready; err != nil {
		stop()
		t.Fatal(err)
	}
	s.Client = client.Client{Endpoint: s.place, Session: "s"}.KeepAlive()
	t.Cleanup(func() {
		_ = s.Close()
		stop()
		s.awaitEnd(t)
	})
	return s
}

// serveBroker runs the broker until the test is over.
func (s *session) serveBroker(t testing.TB) home.Endpoint {
	t.Helper()
	at, err := s.root.Browser("default")
	if err != nil {
		t.Fatal(err)
	}
	lease, err := sockets.TryAcquire(at.Lock)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := sockets.Listen(at, lease)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	srv := &server.Server{
		Handlers: s.broker.handlers(),
		Hello:    func() wire.Hello { return wire.Hello{Name: at.Name, PID: os.Getpid(), Protocol: wire.Protocol()} },
	}
	go func() { ended <- srv.Serve(ctx, listener) }()
	t.Cleanup(func() {
		stop()
		if err := errors.Join(<-ended, lease.Close()); err != nil {
			t.Error(err)
		}
	})
	return at
}

// awaitEnd waits until the daemon has ended.
func (s *session) awaitEnd(t testing.TB) {
	t.Helper()
	if s.done == nil {
		return
	}
	select {
	case err := <-s.done:
		if err != nil {
			t.Errorf("the daemon ended with %v", err)
		}
	case <-time.After(patience):
		t.Error("the daemon does not end")
	}
	s.done = nil
}

// as returns a client of the session that acts as another agent.
func (s *session) as(t testing.TB, agent string) *session {
	t.Helper()
	return s.by(t, client.Client{Agent: agent})
}

// by returns a client of the session whose requests have the agent, the owner process and the
// settings in the parameter caller.
func (s *session) by(t testing.TB, caller client.Client) *session {
	t.Helper()
	caller.Endpoint, caller.Session = s.place, "s"
	c := caller.KeepAlive()
	t.Cleanup(func() { _ = c.Close() })
	return &session{Client: c, memory: s.memory, broker: s.broker, root: s.root, place: s.place}
}

// ask runs a verb and returns its output, its warnings and its error.
func ask[In, Out any](t testing.TB, s *session, v wire.Verb[In, Out], in In) (Out, []string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	defer cancel()
	return client.Do(ctx, s.Client, v, in)
}

// do runs a verb that must succeed.
func do[In, Out any](t testing.TB, s *session, v wire.Verb[In, Out], in In) Out {
	t.Helper()
	out, _, err := ask(t, s, v, in)
	if err != nil {
		t.Fatalf("%s(%+v) = %v", v.Name, in, err)
	}
	return out
}

// fails runs a verb that must fail with the given code, and returns its error.
func fails[In, Out any](t testing.TB, s *session, v wire.Verb[In, Out], in In, code wire.Code) wire.Error {
	t.Helper()
	out, _, err := ask(t, s, v, in)
	if !errors.Is(err, code) {
		t.Fatalf("%s(%+v) = %+v, %v (%v), want the error %s", v.Name, in, out, err, wire.AsError(err), code)
	}
	return *wire.AsError(err)
}

func eval(t testing.TB, s *session, script string) {
	t.Helper()
	do(t, s, verbs.Eval, verbs.EvalIn{Script: script})
}

// awaitStatus waits until cond returns true for the session's status, and returns that status.
func awaitStatus(t testing.TB, s *session, cond func(verbs.StatusOut) bool) verbs.StatusOut {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		st := do(t, s, verbs.Status, verbs.Empty{})
		switch {
		case cond(st):
			return st
		case time.Now().After(end):
			t.Fatalf("the status is %+v", st)
		}
	}
}
