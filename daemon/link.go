package daemon

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/daemon/web/cdp"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	connectTime = 20 * time.Second
	attachTime  = 5 * time.Second
)

// link is one connection of Playwright to the session's endpoint. When it is
// gone, another is made and the pages are adopted again.
type link struct {
	place   home.Endpoint
	path    string // of the endpoint
	party   string // that the connections at the endpoint belong to
	browser playwright.Browser
	context playwright.BrowserContext
	dialogs *dialogs
	kept    *keeping
	devices map[string]*playwright.DeviceDescriptor // that Playwright knows, by name
	runs    wire.Settings                           // of the browser
	news    verbs.NoticesOut                        // when it was made: which browser it is, and what happened to the one before
	gone    chan struct{}                           // closed when the connection is lost
	lose    sync.Once
	work    sync.WaitGroup // what handlers of events handed over

	mu       sync.Mutex // guards the fields below; never held during I/O
	pages    map[string]*page
	arrivals map[playwright.Page]*arrival
	changed  chan struct{} // closed and replaced when pages changes
	closing  bool          // nothing more is handed over
	own      *cdp.Conn     // nil before the first need
	told     bool          // news has been told
	holder   wire.AgentKey // whose the session is; empty: nobody's
	script   string        // that every document has, see asks
}

// arrival is a page that is being attached, or was.
type arrival struct {
	done chan struct{} // closed when page and err are set
	page *page
	err  error
}

// connect makes a link. The pages that the session has already are attached when
// it returns, but for those that do not answer. socket is what [Session.alias] returns
// for the place.
func connect(ctx context.Context, pw *playwright.Playwright, place home.Endpoint, socket, session string, d *dialogs, a *asks) (*link, error) {
	limit := connectTime
	if at, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(at))
	}
	if limit <= 0 {
		return nil, ended(ctx)
	}
	party := rand.Text()
	path := wire.PathSession + session + "?" + wire.ParamParty + "=" + party
	browser, err := pw.Chromium.ConnectOverCDP(driverAddress(socket)+":"+path, playwright.BrowserTypeConnectOverCDPOptions{
		// The page stays as a person would see it; what keeps it awake the broker does.
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
	l := &link{
		place: place, path: path, party: party, browser: browser, context: contexts[0], dialogs: d, kept: a.kept, devices: pw.Devices,
		gone: make(chan struct{}), pages: map[string]*page{}, arrivals: map[playwright.Page]*arrival{}, changed: make(chan struct{}),
	}
	browser.OnDisconnected(func(playwright.Browser) { l.lost() })
	if !browser.IsConnected() { // it ended before there was a handler
		l.lost()
	}
	l.context.OnDialog(func(dialog playwright.Dialog) { l.hand(func() { l.dialogs.answer(dialog) }) })
	l.context.OnPage(func(p playwright.Page) { l.hand(func() { _, _ = l.attach(p) }) })
	err = l.guard(a)
	if e := a.kept.get().Emulation; err == nil && e.shared() {
		err = l.briefly(installTime, func() error { return l.emulate(emulation{}, e) })
	}
	if err != nil {
		l.close()
		return nil, connectError(err)
	}
	for _, p := range l.context.Pages() {
		l.hand(func() { _, _ = l.attach(p) })
	}
	return l, nil
}

// endpoint is the session's own CDP endpoint.
func endpoint(socket, session string) string {
	return "ws+unix://" + socket + ":" + wire.PathSession + session
}

// alias returns the path of the broker's socket as a URL can contain it.
func (s *Session) alias(place home.Endpoint) (string, error) {
	s.aliasing.Lock()
	defer s.aliasing.Unlock()
	return s.root.Alias(s.name, place.Socket)
}

// driverAddress is a socket as the driver is to have it, with a host that is an address. Any
// other it looks up, even for a socket, and without a host that is localhost: where the
// machine's hosts file has no IPv6 address for it, over the network, which may lose the
// question.
func driverAddress(socket string) string { return "ws+unix://127.0.0.1" + socket }

func connectError(err error) error {
	text := briefly(err)
	if errors.Is(err, playwright.ErrTimeout) || strings.Contains(text, "Timeout") {
		return wire.Errorf(wire.CodeWedged, "connecting to the session's pages took too long: one of them does not answer").
			WithHint("abrowser close --page gives the session a fresh page")
	}
	return wire.Errorf(wire.CodeBrowserGone, "connecting to the browser: %s", firstLine(text)).WithHint("abrowser browser status")
}

// hand runs what an event's handler must not do itself: handlers run on the
// goroutine that reads the driver's answers. close waits for it. It reports whether
// it does: nothing is run any more once the link is being closed.
func (l *link) hand(work func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closing {
		l.work.Go(func() { _ = guarded(func() error { work(); return nil }) })
	}
	return !l.closing
}

// attach makes a page usable, once, however many ask for it.
func (l *link) attach(p playwright.Page) (*page, error) {
	l.mu.Lock()
	a, known := l.arrivals[p]
	if !known {
		a = &arrival{done: make(chan struct{})}
		l.arrivals[p] = a
	}
	l.mu.Unlock()
	if known {
		<-a.done
		return a.page, a.err
	}
	a.page, a.err = newPage(l, p)
	l.mu.Lock()
	if a.err == nil {
		l.pages[a.page.target] = a.page
		l.announceLocked()
	}
	l.mu.Unlock()
	close(a.done)
	return a.page, a.err
}

func (l *link) announceLocked() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// page returns the page with this target id, or nil.
func (l *link) page(target string) *page {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pages[target]
}

// await returns the page with this target id as soon as it can be used.
func (l *link) await(ctx context.Context, target string) (*page, error) {
	ctx, cancel := context.WithTimeout(ctx, attachTime)
	defer cancel()
	for {
		l.mu.Lock()
		pg, changed := l.pages[target], l.changed
		l.mu.Unlock()
		if pg != nil {
			return pg, nil
		}
		select {
		case <-changed:
		case <-l.gone:
			return nil, goneError()
		case <-ctx.Done():
			return nil, wire.Errorf(wire.CodeWedged, "the tab %s does not answer", target).WithHint("abrowser tab new")
		}
	}
}

// closeTarget has the browser close a target, whatever Playwright knows of it.
func (l *link) closeTarget(target string) error {
	cdp, err := l.browser.NewBrowserCDPSession()
	if err != nil {
		return err
	}
	_, err = cdp.Send("Target.closeTarget", map[string]any{"targetId": target})
	return errors.Join(err, cdp.Detach())
}

func (l *link) lost() { l.lose.Do(func() { close(l.gone) }) }

// isGone reports whether the connection was lost.
func (l *link) isGone() bool { return isClosed(l.gone) }

// isClosed reports whether a channel that nothing is sent on is closed.
func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// close gives the connection up. It leaves the pages as they are.
func (l *link) close() {
	if !l.isGone() {
		// Over CDP this closes the connection alone. The goroutine ends with the driver.
		closed := make(chan struct{})
		go func() {
			defer close(closed)
			_ = guarded(func() error { return l.browser.Close() }) // however it ends
		}()
		timer := time.NewTimer(stopTime)
		defer timer.Stop()
		select {
		case <-closed:
		case <-timer.C:
		}
	}
	l.lost()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closing = true
	if l.own != nil {
		l.own.Close()
	}
}

// settled waits until all that was handed over has ended, and reports whether it
// has within limit.
func (l *link) settled(limit time.Duration) bool {
	done := make(chan struct{})
	go func() { // ends with what was handed over
		defer close(done)
		l.work.Wait()
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

func goneError() error {
	return wire.Errorf(wire.CodeBrowserGone, "the connection to the browser was lost").WithHint("abrowser browser status")
}

func milliseconds(d time.Duration) float64 { return max(1, float64(d.Milliseconds())) }
