package broker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/abrowser/abrowser/launcher/broker/pool"
	"github.com/abrowser/abrowser/launcher/handover"
	"github.com/abrowser/abrowser/patches"
	"github.com/abrowser/abrowser/sockets/server"
	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	beatEvery   = time.Second
	inboxLength = 256
)

// broker serves one browser. All that is below inbox is touched by the goroutine
// of run alone.
type broker struct {
	ServeOptions
	browser   *handover.Browser
	keeperPID atomic.Int64
	ending    atomic.Bool // the keeper is asked to end the browser
	files     handover.Files
	keeper    *handover.Conn
	up        upstream
	q         *queue // to the browser
	table     *table
	cookies   *cookies
	active    atomic.Bool // clients spoke or were spoken to since the cookies were last looked at
	log       *slog.Logger
	inbox     chan func()
	over      chan struct{} // closed when run has ended
	gone      chan struct{} // closed when the keeper says that the browser is gone
	quiet     chan struct{} // closed when nobody keeps a connection to us for later any more
	began     time.Time

	idle     idle
	mux      *patches.Mux
	lines    map[patches.ClientID]*line
	lastLine patches.ClientID
	product  string
	served   bool // clients have been let in
	unsaved  bool // the table on disk is not the newest: it could not be written
	burials  sync.WaitGroup

	downloads *downloads
	pool      *pool.Pool
	sweep     time.Duration // between two looks for agents that are gone
	swept     time.Time     // when the last was
}

// Serve is the process `abrowser broker`, which a keeper starts. It returns when
// the browser or the keeper is gone.
func Serve(ctx context.Context, o ServeOptions) error {
	b := &broker{
		ServeOptions: o, log: logger(o.Log), inbox: make(chan func(), inboxLength), over: make(chan struct{}),
		gone: make(chan struct{}), quiet: make(chan struct{}), lines: map[patches.ClientID]*line{}, began: time.Now(),
	}
	listener, err := b.inherit()
	if err != nil {
		return b.tell(err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	return b.tell(b.serve(ctx, cancel, listener))
}

// tell gives the keeper the reason why we end, where it is to be told.
func (b *broker) tell(err error) error {
	if err != nil && b.keeper != nil {
		if sent := b.keeper.Send(handover.Message{Error: wire.AsError(err)}); sent != nil {
			b.log.Debug("telling the keeper", "error", sent)
		}
	}
	if b.Ready != nil {
		b.Ready(err)
	}
	return err
}

// inherit takes what the keeper started us with.
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
	b.q = newQueue(pipeLimit)
	b.keeperPID.Store(int64(b.browser.KeeperPID))
	listener, err := net.FileListener(b.files.Listener)
	if err != nil {
		return nil, err
	}
	if u, ok := listener.(*net.UnixListener); ok {
		u.SetUnlinkOnClose(false)
	}
	return listener, nil
}

// reach finds the way to the browser: the keeper's pipe, or a connection to one of
// somebody else's, whose address tells one run of it from the next.
func (b *broker) reach(ctx context.Context) error {
	if !b.Settings.External() {
		b.up = &pipe{in: b.files.In, out: b.files.Out, q: b.q}
		return nil
	}
	conn, run, err := attach(ctx, b.Settings.CDP)
	if err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(run))
	b.browser.Instance = hex.EncodeToString(sum[:])
	b.up = &remote{conn: conn, q: b.q}
	return nil
}

// serve runs the broker's goroutines and ends them all:
//
//  1. the pipe's writer and reader, the mux's goroutine and the keeper's listener start
//  2. the browser is taken over, then clients are let in
//  3. until the browser, the keeper or ctx ends
//  4. clients are cut and running verbs answered
//  5. the pipe is closed on our side and everybody waited for, also what is done to
//     downloads and to sessions that have ended
func (b *broker) serve(ctx context.Context, cancel context.CancelFunc, listener net.Listener) error {
	if err := b.reach(ctx); err != nil {
		return err
	}
	if !b.Settings.External() {
		b.cookies = newCookies(b)
	}
	b.table = tableOf(b.Root, b.browser)
	b.table.foreign = b.Settings.External()
	state, err := b.table.load()
	if err != nil {
		b.log.Error("reading the table of tenants", "error", err)
	}
	b.downloads = downloadsOf(b)
	if state, err = b.downloads.take(state, b.browser.Fresh); err != nil {
		return err
	}
	if err := b.newPool(os.LookupEnv); err != nil {
		return err
	}
	b.mux = patches.New(patches.Options{
		Transport: b, Admit: b.admit, AgentAlive: b.knownToLive, State: state, Log: b.log, OnActivity: b.cookies.moved, DownloadDir: b.downloads.dir, External: b.Settings.External(),
		SpareAfter: b.spares(), Visible: b.watched(), BrowserStart: b.browser.Began, CleanupScript: b.CleanupScript,
	})
	var work sync.WaitGroup
	messages := make(chan []byte, inboxLength)
	work.Go(func() {
		defer cancel()
		if err := b.up.write(ctx); err != nil {
			b.log.Error("writing to the browser", "error", err)
		}
	})
	work.Go(func() {
		defer cancel()
		err := b.up.read(func(msg []byte) {
			select {
			case messages <- msg:
			case <-b.over:
			}
		})
		b.log.Info("the browser says no more", "error", err)
		if err := b.keeper.Send(handover.Message{Lost: true}); err != nil {
			b.log.Debug("telling the keeper", "error", err)
		}
	})
	work.Go(func() {
		defer close(b.over)
		b.run(ctx, messages)
	})
	work.Go(func() {
		defer cancel()
		b.handleKeeper(ctx)
	})
	err = b.takeOver(ctx)
	if err == nil {
		work.Go(func() { b.cookies.run(ctx) })
		_ = b.do(ctx, func() { b.served = true }) // where it is over, so much for that
		srv := &server.Server{
			Hello: b.hello, Retire: b.retire, Handlers: b.handlers(), Locks: b.holdings(), Log: b.log, Grace: stopTime, OnIdleConnsClosed: func() { close(b.quiet) },
			Extra: map[string]http.Handler{"GET " + wire.PathSession + "{name}": http.HandlerFunc(b.endpoint)},
		}
		err = srv.Serve(ctx, listener)
	}
	cancel()
	<-b.over
	b.keeper.Close()
	_ = b.up.close() // it ends with us anyway
	work.Wait()
	b.burials.Wait()
	select {
	case <-b.gone:
		b.downloads.end(true)
	default:
		b.downloads.end(false)
	}
	return err
}

// run is the goroutine that owns the mux.
func (b *broker) run(ctx context.Context, messages <-chan []byte) {
	beat := time.NewTicker(beatEvery)
	defer beat.Stop()
	beats := make(chan struct{}, 1)
	defer close(beats)
	go b.beat(beats)
	due := time.NewTimer(time.Hour)
	defer due.Stop()
	for {
		if at, ok := b.mux.Next(); ok {
			due.Reset(time.Until(at))
		}
		select {
		case msg := <-messages:
			b.mux.FromBrowser(msg)
		case do := <-b.inbox:
			do()
		case <-due.C:
			b.mux.Tick()
		case <-beat.C:
			if b.served {
				b.checkIdle()
				b.tend()
			}
			if b.unsaved {
				b.keep()
			}
			select {
			case beats <- struct{}{}:
			default: // the keeper does not listen
			}
		case <-ctx.Done():
			b.mux.Close("the browser is gone")
			return
		}
	}
}

// beat tells the keeper that the mux's goroutine runs, apart from it: a keeper
// that does not listen holds up nobody.
func (b *broker) beat(beats <-chan struct{}) {
	for range beats {
		if err := b.keeper.Send(handover.Message{Beat: true}); err != nil {
			b.log.Debug("telling the keeper that we live", "error", err)
		}
	}
}

// do runs f on the goroutine that owns the mux and waits for it.
func (b *broker) do(ctx context.Context, f func()) error {
	done := make(chan struct{})
	select {
	case b.inbox <- func() { defer close(done); f() }:
	case <-b.over:
		return wire.Errorf(wire.CodeBrowserGone, "the browser is gone")
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-done:
		return nil
	case <-b.over:
		return wire.Errorf(wire.CodeBrowserGone, "the browser is gone")
	}
}

// ToBrowser implements [patches.Transport].
func (b *broker) ToBrowser(msg []byte) {
	if !b.q.put(msg) {
		b.log.Error("the browser does not read; it is given up")
		b.q.close()
	}
}

// ToClient implements [patches.Transport].
func (b *broker) ToClient(id patches.ClientID, msg []byte) {
	b.active.Store(true)
	if l := b.lines[id]; l != nil {
		l.give(msg)
	}
}

// Cut implements [patches.Transport].
func (b *broker) Cut(id patches.ClientID, why string) {
	if l := b.lines[id]; l != nil {
		l.end(why)
	}
}

// Save implements [patches.Transport].
func (b *broker) Save(s patches.State) {
	b.table.agents = b.pool.State
	err := b.table.save(s)
	if err != nil && !b.unsaved {
		b.log.Error("writing the table of tenants", "error", err)
	}
	b.unsaved = err != nil
}
