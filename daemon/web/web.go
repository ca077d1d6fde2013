// Package web is the daemon's backend for Chromium. It controls a session's pages through
// Playwright and CDP, and serves the verbs that need a page. It is the only package that
// imports playwright-go.
//
// A page is reached in two ways. Playwright's driver, which is a Node process, waits for
// elements, loads documents and reports events. The fast path sends CDP commands over a direct
// connection, which leads from the daemon to the session's endpoint without the driver. It
// runs scripts, reads values, and clicks or fills an element that is ready at once. If the fast
// path cannot perform an action, it refuses before it has done anything, and the driver
// performs the action.
//
// The comments use these terms:
//
//   - A verb is an operation, such as click. A command is a call of a verb.
//   - The broker is the process through which sessions share one browser. It serves a CDP
//     endpoint for each session, which shows only the session's pages.
//   - Commands that use a page run one at a time. They wait in a queue, and a command whose turn
//     has come has a ticket. Deferred work is work of a command that is done after its reply,
//     and before the next command's turn.
//   - A navigation is committed when the new document has replaced the old one in the page. The
//     new document need not be parsed yet. Each page counts its commits.
//   - A capture is a snapshot by Playwright. A ref, such as e3, is a name that a snapshot gives
//     to an element. Playwright has refs of its own, which are valid until the next capture.
//
// The packages below need no page: cdp is the direct connection, aria reads snapshots, refs numbers
// their elements, har writes recordings of requests, address completes URLs, dialogs answers
// dialogs, downloads records the session's downloads, cookiefile reads copied cookies, and prompts
// decides about a page's requests for permissions, notifications and files. Packages cookies,
// clipboard, touch, history and pdf send CDP commands to a page, and packages console, traffic and
// settings send requests to the driver.
package web

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/daemon/web/console"
	"github.com/abrowser/abrowser/daemon/web/dialogs"
	"github.com/abrowser/abrowser/daemon/web/direct"
	"github.com/abrowser/abrowser/daemon/web/downloads"
	"github.com/abrowser/abrowser/daemon/web/prompts"
	"github.com/abrowser/abrowser/daemon/web/refs"
	"github.com/abrowser/abrowser/daemon/web/trace"
	"github.com/abrowser/abrowser/daemon/web/traffic"
	"github.com/abrowser/abrowser/launcher/driver"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
)

// pages holds the backend's data of one session: the connection, the driver, and the state of
// the session's pages.
type pages struct {
	session   *daemon.Session
	driver    *playwrightDriver
	dialogs   *dialogs.Dialogs
	prompts   *prompts.Prompts
	recorder  *recorder
	refs      *refs.Refs
	downloads *downloads.Downloads
	trace     trace.Trace
	camera    atomic.Pointer[camera] // nil if no video is being recorded

	connection  atomic.Pointer[connection] // the newest, which may be lost; nil before the first
	pendingTabs atomic.Bool                // there may be a tab that no reply has named
	seenEvents  atomic.Int64               // the broker's count of page events at the last catchUp
}

// New returns the function for the field Backend of [daemon.Options]. The backend calls find() to
// locate Playwright's driver.
func New(find func(context.Context) (Driver, error)) func(*daemon.Session) daemon.Backend {
	return func(s *daemon.Session) daemon.Backend { return backend{newPages(s, find)} }
}

func newPages(s *daemon.Session, find func(context.Context) (Driver, error)) *pages {
	place := home.Endpoint{}
	if p, err := s.Root.Session(s.Name); err == nil { // the daemon has checked the name
		place = p
	}
	file := strings.TrimSuffix(filepath.Base(place.Lock), filepath.Ext(place.Lock))
	return &pages{
		session: s,
		driver:  &playwrightDriver{find: find, stderr: logWriter{s.Log}, temp: s.Root.Path("state", "tmp", file), conns: make(chan *driver.Conn, 1)},
		dialogs: dialogs.New(s.State, s.Notices, s), prompts: prompts.New(s.State, s.Notices),
		recorder: newRecorder(s.State, s.Root.JournalFile(s.Name), s.Notices),
		refs:     refs.New(s.Root.Path("state", "sessions", file+".json")), downloads: downloads.New(s),
	}
}

// current returns the newest connection, which may be lost. It returns nil before the first
// connection is made.
func (p *pages) current() *connection { return p.connection.Load() }

// backend implements [daemon.Backend] for the pages of one session.
type backend struct{ *pages }

// Prepare starts Playwright's driver.
func (b backend) Prepare(ctx context.Context) error {
	_, err := b.driver.start(ctx)
	return err
}

// Connect connects Playwright to the session's endpoint, and applies the session's settings.
func (b backend) Connect(ctx context.Context, at daemon.Endpoint) (daemon.Connection, error) {
	pw, err := b.driver.start(ctx) // Prepare has started it, but it may have ended since
	if err != nil {
		return nil, err
	}
	conn, err := b.connect(ctx, pw, at)
	if err != nil {
		if isGone(err) {
			b.driver.release(pw) // the driver may be what is gone
		}
		return nil, codeError(err)
	}
	b.recorder.watch(conn)
	if hars := b.session.State.Get().HARs; len(hars) > 0 {
		if err := conn.waitBriefly(installTime, func() error { return conn.replayHARs(hars) }); err != nil {
			b.session.Log.Warn("answering from HAR files", "error", firstLine(err.Error()))
		}
	}
	b.connection.Store(conn)
	return conn, nil
}

// soonLost is a time from the moment at which the session connects to a driver. If the driver is
// lost within this time, the session's page may be the cause. Watch then does not replace the
// driver. The next command that needs a driver replaces it.
const soonLost = 10 * time.Second

// Watch connects the pages to another driver as soon as the shared driver is lost, even if no
// command needs a driver. For an exception, see soonLost.
func (b backend) Watch(ctx context.Context) {
	for {
		var conn *driver.Conn
		select {
		case conn = <-b.driver.conns:
		case <-ctx.Done():
			return
		}
		since := time.Now()
		select {
		case <-conn.Done():
		case <-ctx.Done():
			return
		}
		// A session whose connection to the browser is closed or lost needs no driver now.
		if !b.session.IsConnected() || time.Since(since) < soonLost {
			continue
		}
		if err := b.session.Reconnect(ctx); err != nil {
			b.session.Log.Warn("the driver was lost", "error", err)
		}
	}
}

// IsAlive reports whether the driver runs.
func (b backend) IsAlive() bool { return b.driver.isAlive() }

// State describes the driver.
func (b backend) State(ctx context.Context) verbs.DriverStatus { return b.driver.status(ctx) }

// Questions lists the requests of pages that wait for a person.
func (b backend) Questions() []verbs.PendingQuestion { return b.prompts.Pending(true) }

// FinishRecording ends the recordings. It writes the video, if one is being recorded, and the HAR. It first waits for Playwright's reports of
// the requests that were made so far. It returns the path of the HAR, or "" if no recording was on.
func (b backend) FinishRecording() (path string, err error) {
	if _, err := b.endFilm(); err != nil {
		b.session.Log.Warn("writing the video", "error", err)
	}
	if b.recorder.isOn() {
		b.awaitEvents()
	}
	return b.recorder.finish()
}

// Record returns what the driver has recorded of the session's pages.
func (b backend) Record(ctx context.Context) (record verbs.SessionRecord, err error) {
	conn := b.current()
	if conn == nil || conn.isLost() {
		return record, nil
	}
	at := conn.openPage()
	if at == nil {
		return record, nil
	}
	driver := &direct.Driver{Ask: func(method string, params map[string]any, out any) error {
		return at.askDriver(ctx, method, params, out)
	}}
	messages, err := console.Messages(ctx, driver, verbs.ConsoleIn{})
	if err != nil {
		return record, err
	}
	failures, err := console.Errors(ctx, driver, verbs.ConsoleIn{})
	if err != nil {
		return record, err
	}
	requests, err := traffic.Requests(ctx, driver, verbs.RequestsIn{})
	return verbs.SessionRecord{Console: messages.Messages, Errors: failures.Errors, Requests: requests.Requests}, err
}

// Release ends the session's own driver, or its connection to a shared driver.
func (b backend) Release() error { return b.driver.stop() }

// FinishRecording writes the HAR of a session that is closed while it has no daemon. It returns
// the path of the HAR, or "" if no recording was on.
func FinishRecording(root home.Root, session string) (string, error) {
	state := daemon.OpenState(root, session, slog.New(slog.DiscardHandler))
	return newRecorder(state, root.JournalFile(session), &daemon.Notices{}).finish()
}

// logWriter writes the driver's output to the log.
type logWriter struct{ log *slog.Logger }

func (w logWriter) Write(p []byte) (int, error) {
	w.log.Warn("driver", "says", firstLine(string(p)))
	return len(p), nil
}
