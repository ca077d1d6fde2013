package web

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/daemon/web/cdp"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	connectTime = 20 * time.Second
	attachTime  = 5 * time.Second
)

// connection is a connection of Playwright to the session's endpoint. When it is lost, the daemon
// makes another connection, which adopts the pages again.
type connection struct {
	at      daemon.Endpoint
	browser playwright.Browser
	context playwright.BrowserContext
	state   *daemon.StateStore
	driver  *playwrightDriver
	devices map[string]*playwright.DeviceDescriptor // Playwright's devices, by name
	lost    chan struct{}                           // closed when the connection is lost
	// onSocketRemoved is called when the broker reports that the daemon's socket is gone.
	onSocketRemoved func()
	onDownload      func() // called when a page has started a download
	onTab           func() // called when a tab was opened, also by a command
	onFileChooser   func(*page, playwright.FileChooser)
	filtered        bool // the session has allowed domains
	dropOnce        sync.Once
	workers         sync.WaitGroup // the goroutines of spawn, and the reader of cdp

	restoring sync.Mutex // guards restored; held while the settings are applied
	restored  bool       // the pages have the session's settings: see restoreSettings

	mu            sync.Mutex // guards the fields below; never held during I/O
	pages         map[string]*page
	attachments   map[playwright.Page]*attachment
	changed       chan struct{} // closed and replaced when the map pages changes
	closing       bool          // no more work is accepted
	cdp           *cdp.Conn     // nil until it is needed
	promptsScript string        // the script that every document runs, see installPrompts
}

// attachment is a page that is being attached, or was attached.
type attachment struct {
	done chan struct{} // closed when page and err are set
	page *page
	err  error
}

// connect connects Playwright to the session's endpoint. It begins to attach the session's
// pages, and does not wait for them.
func (p *pages) connect(ctx context.Context, pw *playwright.Playwright, at daemon.Endpoint) (*connection, error) {
	limit := connectTime
	if until, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(until))
	}
	if limit <= 0 {
		return nil, daemon.ContextError(ctx)
	}
	browser, err := pw.Chromium.ConnectOverCDP(endpointURL(at.Socket, at.Path), playwright.BrowserTypeConnectOverCDPOptions{
		// Without Playwright's defaults the pages look as they do to a person. One of the defaults
		// keeps background tabs active. This default is not needed, because the broker keeps the
		// tabs active.
		NoDefaults: playwright.Bool(true),
		IsLocal:    playwright.Bool(true),
		Timeout:    playwright.Float(milliseconds(limit)),
	})
	if err != nil {
		return nil, connectError(err)
	}
	contexts := browser.Contexts()
	if len(contexts) == 0 {
		_ = browser.Close()
		return nil, wire.Errorf(wire.CodeBrowserGone, "the browser has no context")
	}
	conn := &connection{
		at: at, browser: browser, context: contexts[0], state: p.session.State, driver: p.driver, devices: pw.Devices,
		lost: make(chan struct{}), onSocketRemoved: p.session.CheckSocket, onDownload: p.downloads.Note, onTab: func() { p.pendingTabs.Store(true) }, onFileChooser: p.offerChooser, filtered: p.session.IsFiltered(), pages: map[string]*page{}, attachments: map[playwright.Page]*attachment{}, changed: make(chan struct{}),
	}
	browser.OnDisconnected(func(playwright.Browser) { conn.Drop() })
	if !browser.IsConnected() { // the connection was lost before the handler was set
		conn.Drop()
	}
	conn.context.OnDialog(func(dialog playwright.Dialog) { conn.spawn(func() { p.dialogs.Answer(conn.lost, dialog) }) })
	conn.context.OnPage(func(made playwright.Page) {
		conn.onTab()
		conn.spawn(func() { _, _ = conn.attach(made) })
	})
	err = conn.installPrompts(p.prompts)
	if e := conn.emulation(); err == nil && e.isShared() {
		err = conn.waitBriefly(installTime, func() error { return conn.emulate(emulation{}, e) })
	}
	if err != nil {
		conn.Close()
		return nil, connectError(err)
	}
	for _, there := range conn.context.Pages() {
		conn.spawn(func() { _, _ = conn.attach(there) })
	}
	// Make the direct connection now and not when a command needs it, because the broker uses it to
	// report that the daemon's socket was removed.
	conn.spawn(func() { _, _ = conn.dialCDP(context.Background()) })
	return conn, nil
}

// emulation returns the emulation that was set for the session.
func (conn *connection) emulation() emulation { return emulation(conn.state.Get().Emulation) }

// endpointURL returns the URL by which Playwright connects to a path of a Unix socket. Playwright
// does not connect to the URL's host, but it resolves the host if it is a name. If a URL has no
// host, Playwright resolves localhost. If the machine's hosts file has no IPv6 address for
// localhost, that is a request over the network, and if its packet is lost, the connection takes 5
// s longer. So endpointURL uses an IP address as the host.
func endpointURL(socket, path string) string { return "ws+unix://127.0.0.1" + socket + ":" + path }

func connectError(err error) error {
	text := errorText(err)
	if errors.Is(err, playwright.ErrTimeout) || strings.Contains(text, "Timeout") {
		return wire.Errorf(wire.CodeWedged, "connecting to the session's pages took too long: one of them does not answer").
			WithHint("abrowser close --page gives the session a fresh page")
	}
	return wire.Errorf(wire.CodeBrowserGone, "connecting to the browser: %s", firstLine(text)).WithHint("abrowser browser status")
}

// spawn runs work() in a goroutine. [connection.Wait] waits for the end of these goroutines. Event
// handlers use spawn for calls to the driver, because they run on the goroutine that reads the
// driver's messages, and must not block it. Once the connection is being closed, spawn runs nothing
// and returns false.
func (conn *connection) spawn(work func()) bool {
	conn.mu.Lock()
	defer conn.mu.Unlock()
	if !conn.closing {
		conn.workers.Go(func() { _ = daemon.Recover(func() error { work(); return nil }) })
	}
	return !conn.closing
}

// attach makes a page for commands from Playwright's page p, by newPage, and returns it. Further
// calls for the same p return the result of the first call.
func (conn *connection) attach(p playwright.Page) (*page, error) {
	conn.mu.Lock()
	a, known := conn.attachments[p]
	if !known {
		a = &attachment{done: make(chan struct{})}
		conn.attachments[p] = a
	}
	conn.mu.Unlock()
	if known {
		<-a.done
		return a.page, a.err
	}
	a.page, a.err = newPage(conn, p)
	conn.mu.Lock()
	if a.err == nil {
		conn.pages[a.page.target] = a.page
		conn.notifyLocked()
	}
	conn.mu.Unlock()
	close(a.done)
	return a.page, a.err
}

func (conn *connection) notifyLocked() {
	close(conn.changed)
	conn.changed = make(chan struct{})
}

// page returns the page with the given target id, or nil if no such page was attached. The page may
// be closed by now.
func (conn *connection) page(target string) *page {
	conn.mu.Lock()
	defer conn.mu.Unlock()
	return conn.pages[target]
}

// awaitPage returns the page in a tab as soon as it can be used. It waits for attachTime at most.
func (conn *connection) awaitPage(ctx context.Context, tab verbs.Tab) (*page, error) {
	return conn.awaitPageFor(ctx, tab, attachTime)
}

// awaitPageFor returns the page in a tab as soon as it can be used. It waits up to limit.
func (conn *connection) awaitPageFor(ctx context.Context, tab verbs.Tab, limit time.Duration) (*page, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		conn.mu.Lock()
		pg, changed := conn.pages[tab.TargetID], conn.changed
		conn.mu.Unlock()
		if pg != nil {
			return pg, nil
		}
		select {
		case <-changed:
		case <-conn.lost:
			return nil, daemon.ConnectionLostError()
		case <-ctx.Done():
			return nil, noAnswerError(tab)
		}
	}
}

// closeTarget closes a target through the browser. This works even if Playwright has no page for
// the target.
func (conn *connection) closeTarget(target string) error {
	cdp, err := conn.browser.NewBrowserCDPSession()
	if err != nil {
		return err
	}
	_, err = cdp.Send("Target.closeTarget", map[string]any{"targetId": target})
	return errors.Join(err, cdp.Detach())
}

// Lost returns a channel that is closed when the connection is lost.
func (conn *connection) Lost() <-chan struct{} { return conn.lost }

// Drop marks the connection as lost.
func (conn *connection) Drop() { conn.dropOnce.Do(func() { close(conn.lost) }) }

// isLost reports whether the connection was lost.
func (conn *connection) isLost() bool { return daemon.IsClosed(conn.lost) }

// Close closes the connection. The pages stay as they are.
func (conn *connection) Close() {
	if !conn.isLost() {
		// browser.Close does not close the browser, only Playwright's connection to it. The
		// goroutine ends when the driver ends, at the latest.
		closed := make(chan struct{})
		go func() {
			defer close(closed)
			_ = daemon.Recover(func() error { return conn.browser.Close() }) // its error does not matter
		}()
		select {
		case <-closed:
		case <-time.After(stopTime):
		}
	}
	conn.Drop()
	conn.mu.Lock()
	defer conn.mu.Unlock()
	conn.closing = true
	if conn.cdp != nil {
		conn.cdp.Close()
	}
}

// Wait waits up to stopTime until the work that spawn has started is done. If it is not done by
// then, Wait releases the driver, which makes every call through the driver fail, and waits once
// more for up to stopTime.
func (conn *connection) Wait() {
	if !conn.waitWorkers(stopTime) {
		conn.driver.stopDriver()
		conn.waitWorkers(stopTime)
	}
}

// waitWorkers waits up to limit until the work that spawn has started is done, and reports whether
// it is done.
func (conn *connection) waitWorkers(limit time.Duration) bool {
	done := make(chan struct{})
	go func() { // ends with the work
		defer close(done)
		conn.workers.Wait()
	}()
	select {
	case <-done:
		return true
	case <-time.After(limit):
		return false
	}
}

func milliseconds(d time.Duration) float64 { return max(1, float64(d.Milliseconds())) }
