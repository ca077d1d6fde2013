package broker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/abrowser/abrowser/launcher/broker/downloads"
	"github.com/abrowser/abrowser/launcher/broker/eventlog"
	"github.com/abrowser/abrowser/launcher/broker/filter"
	"github.com/abrowser/abrowser/launcher/broker/jar"
	"github.com/abrowser/abrowser/launcher/broker/pool"
	"github.com/abrowser/abrowser/launcher/broker/questions"
	"github.com/abrowser/abrowser/launcher/broker/queue"
	"github.com/abrowser/abrowser/launcher/broker/statefile"
	"github.com/abrowser/abrowser/launcher/broker/upstream"
	"github.com/abrowser/abrowser/launcher/handover"
	"github.com/abrowser/abrowser/patches"
	"github.com/abrowser/abrowser/sockets/server"
	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	inboxLength  = 256
	browserLimit = 1 << 30 // bytes that may wait for a browser that does not read
)

// broker serves one browser.
type broker struct {
	ServeOptions
	browser   *handover.Browser
	files     handover.Files
	keeper    *handover.Conn
	keeperPID atomic.Int64
	ending    atomic.Bool // the keeper was asked to end the browser
	up        upstream.Conn
	toBrowser *queue.Queue
	jar       *jar.Jar // nil for an external browser
	downloads *downloads.Dir
	log       *slog.Logger

	inbox      chan func()    // functions for the mux's goroutine
	done       chan struct{}  // closed when the mux's goroutine has ended
	gone       chan struct{}  // closed when the keeper reports the browser's end, or by awaitEnd
	idleClosed chan struct{}  // closed when the server has closed its idle connections
	finalizing sync.WaitGroup // running calls of FinalizeSession
	reading    reading
	paced      atomic.Int64  // the number of clients that are slowed down, see pacer
	large      chan struct{} // holds a token while a large message is passed to the browser
	events     *eventlog.Log
	questions  *questions.Desk

	// The fields below belong to the mux's goroutine.
	mux        *patches.Mux
	clients    map[patches.ClientID]*cdpClient
	lastClient patches.ClientID
	product    string
	departed   map[string]time.Time // the groups of clients that have departed, and when
	serving    bool                 // clients are accepted
	state      *statefile.File
	unsaved    bool // the state could not be written
	known      knownState
	viewers    map[string]*viewer // by target id
	idle       idle
	pool       *pool.Pool
	filters    map[string]*filter.Proxy // by the name of their session
	sweepEvery time.Duration            // the time between two searches for agents that have ended
	lastSweep  time.Time
}

// Serve runs the process `abrowser broker`, which a keeper has started. It returns when the browser
// has ended, when ctx ends, or when the keeper has died and cannot be replaced.
func Serve(ctx context.Context, o ServeOptions) error {
	b := &broker{
		ServeOptions: o, log: o.Log, inbox: make(chan func(), inboxLength), done: make(chan struct{}), gone: make(chan struct{}),
		idleClosed: make(chan struct{}), clients: map[patches.ClientID]*cdpClient{}, departed: map[string]time.Time{}, filters: map[string]*filter.Proxy{}, viewers: map[string]*viewer{}, toBrowser: queue.New(browserLimit),
		reading: reading{limit: readLimit}, large: make(chan struct{}, 1),
	}
	if b.log == nil {
		b.log = slog.New(slog.DiscardHandler)
	}
	listener, err := b.inherit()
	if err == nil {
		err = b.serve(ctx, listener)
	}
	if err != nil && b.keeper != nil {
		b.tellKeeper(handover.Message{Error: wire.AsError(err)})
	}
	if b.Ready != nil {
		b.Ready(err)
	}
	return err
}

// inherit takes over the descriptors and the description of the browser from the keeper.
func (b *broker) inherit() (net.Listener, error) {
	var err error
	if b.files, err = handover.Inherit(); err != nil {
		return nil, err
	}
	if b.keeper, err = handover.Open(b.files.Conn); err != nil {
		return nil, err
	}
	if b.browser, err = b.keeper.Browser(); err != nil {
		return nil, err
	}
	b.idle.limit = defaultIdle
	if err := b.idle.set(b.Settings.BrowserIdle); err != nil {
		return nil, err
	}
	b.keeperPID.Store(int64(b.browser.KeeperPID))
	listener, err := net.FileListener(b.files.Listener)
	if u, ok := listener.(*net.UnixListener); ok {
		u.SetUnlinkOnClose(false)
	}
	return listener, err
}

// connect opens the connection to the browser. It identifies the instance of an external browser
// by the path of its WebSocket, which differs each time that the browser is started.
func (b *broker) connect(ctx context.Context) error {
	if !b.Settings.External() {
		b.up = &upstream.Pipe{In: b.files.In, Out: b.files.Out, Queue: b.toBrowser}
		return nil
	}
	conn, run, err := upstream.Attach(ctx, b.Settings.CDP, b.toBrowser)
	if err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(run))
	b.browser.Instance = hex.EncodeToString(sum[:])
	b.up = conn
	return nil
}

// prepare reads the state that the previous broker has left, and creates the mux.
func (b *broker) prepare() error {
	external, name := b.Settings.External(), filepath.Base(b.Root.Path("x", b.browser.Name))
	b.downloads = &downloads.Dir{Log: b.log, Done: b.done}
	if !external { // a person's browser saves files where that person wants them
		b.downloads.Path = b.Root.Path("state", "downloads-"+name)
		b.jar = jar.Open(jar.Options{File: b.Root.Path("state", "cookies-"+name+".json"), Profile: b.browser.Profile, Log: b.log, Call: b.callRoot})
	}
	if home, err := os.UserHomeDir(); err == nil && b.Settings.Headed && !external {
		b.downloads.Person = filepath.Join(home, "Downloads")
	}
	b.state = statefile.New(b.Root, b.browser)
	b.state.External = external
	state, agents, err := b.state.Load()
	if err != nil {
		b.log.Error("reading the state file", "error", err)
	}
	if state, err = b.downloads.Adopt(state, b.browser.Fresh); err != nil {
		return err
	}
	if err := b.newPool(os.LookupEnv, agents); err != nil {
		return err
	}
	b.events = eventlog.Open(eventlog.Options{
		Browser: b.browser.Name, Path: b.Root.Path("state", "events-"+name+".jsonl"), Ended: b.done,
		Failed: func(err error) { b.log.Error("the file of the events", "error", err) },
	})
	b.questions = questions.New(b.done)
	b.addLoss(state)
	b.known = b.knownOf(state)
	b.mux = patches.New(patches.Options{
		Transport: b, Admit: b.admit, AgentAlive: b.isKnownAlive, State: state, Log: b.log, OnActivity: b.jar.SaveSoon, DownloadDir: b.downloads.Path,
		External: external, SpareAfter: b.spareAfter(), Visible: b.isVisible(), BrowserStart: b.browser.Began, CleanupScript: b.CleanupScript,
		Filter: b.startFilter,
	})
	b.restoreCommands()
	b.matchFilters()
	return nil
}

// serve runs the broker's goroutines and ends them, in this order:
//
//  1. Goroutines are started. They write to the browser, read from it, handle the keeper's
//     messages, and run the mux.
//  2. takeOver prepares the browser.
//  3. Clients are served until the browser has ended, ctx ends, or the keeper has died and
//     cannot be replaced.
//  4. Clients are disconnected, and running verbs are answered.
//  5. The connections to the keeper and to the browser are closed. serve waits for all
//     goroutines, also for those that deliver downloads or call FinalizeSession.
func (b *broker) serve(ctx context.Context, listener net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := b.connect(ctx); err != nil {
		return err
	}
	if err := b.prepare(); err != nil {
		return err
	}
	var work sync.WaitGroup
	messages := make(chan []byte, inboxLength)
	start := func(f func()) {
		work.Go(func() {
			defer cancel()
			f()
		})
	}
	start(func() {
		if err := b.up.Write(ctx); err != nil {
			b.log.Error("writing to the browser", "error", err)
		}
	})
	start(func() { b.read(messages) })
	start(func() { b.handleKeeper(ctx) })
	start(func() {
		defer close(b.done)
		b.run(ctx, messages)
	})
	err := b.takeOver(ctx)
	if err == nil {
		work.Go(func() { b.jar.Run(ctx) })
		work.Go(func() { b.watchSockets(ctx) })
		_ = b.do(ctx, func() { b.serving = true }) // an error means that the broker is ending
		srv := &server.Server{
			Hello: b.hello, Retire: b.retire, Handlers: b.handlers(), Locks: b.holdings(), Log: b.log, Grace: stopTime, OnIdleConnsClosed: func() { close(b.idleClosed) },
			Extra: map[string]http.Handler{"GET " + wire.PathSession + "{name}": http.HandlerFunc(b.endpoint)},
		}
		err = srv.Serve(ctx, listener)
	}
	cancel()
	<-b.done
	b.keeper.Close()
	_ = b.up.Close() // the connection ends with this process in any case
	work.Wait()
	b.finalizing.Wait()
	b.closeFilters()
	b.downloads.Close(isClosed(b.gone))
	b.events.Close()
	return err
}

// read passes the browser's messages to the mux's goroutine until the browser closes the
// connection, and then tells the keeper that the browser is lost.
func (b *broker) read(messages chan<- []byte) {
	err := b.up.Read(func(msg []byte) {
		select {
		case messages <- msg:
		case <-b.done:
		}
	})
	b.log.Info("the browser has closed its connection", "error", err)
	b.tellKeeper(handover.Message{Lost: true})
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
