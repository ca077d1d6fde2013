package web

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/sockets/wire"
)

// page is a tab as Playwright drives it.
type page struct {
	playwright.Page
	conn   *connection
	target string
	cdp    playwright.CDPSession                  // for commands that Playwright has no method for
	opener string                                 // the target id of the page that opened this one
	clock  func(limit time.Duration) (any, error) // is documentStart, except in tests

	attaching chan struct{} // a semaphore, held while the field session is set
	mu        sync.Mutex    // guards the fields below
	session   *pageSession  // the session on the direct connection; nil until needed, and after it was dropped
	navigated chan struct{} // closed and replaced when the main frame navigates

	commits      atomic.Int64                 // navigations of the main frame so far
	parsed       atomic.Int64                 // commits+1 of the last document for which the wait is over; 0 if there is none
	pending      atomic.Bool                  // the main frame is navigating to another document
	mayNavigate  atomic.Bool                  // an action may have started a navigation that is not known to be over
	utilityWorld atomic.Pointer[utilityWorld] // the main frame's; outdated if commits has changed
	document     atomic.Pointer[document]     // the main frame's; outdated if commits has changed
	lastAct      atomic.Int64                 // the number of the last action
	acting       atomic.Int64                 // the number of the action that is in its act phase; 0 if there is none
	held         map[string]bool              // pressed keys and buttons; used only by the command whose turn it is
	shown        *shownSnapshot               // the last snapshot; used only by the command whose turn it is
	taken        *takenPicture                // the last screenshot with --if-changed; as shown
	camera       atomic.Pointer[camera]       // films the page; nil if the page is not filmed
	gone         chan struct{}                // closed when the page is closed
	crash        chan struct{}                // closed when the page's renderer has crashed
	close        sync.Once
	crashed      sync.Once
}

func newPage(conn *connection, p playwright.Page) (*page, error) {
	pg := &page{Page: p, conn: conn, attaching: make(chan struct{}, 1), navigated: make(chan struct{}), gone: make(chan struct{}), crash: make(chan struct{})}
	pg.clock = pg.documentStart
	p.OnClose(func(playwright.Page) { pg.close.Do(func() { close(pg.gone) }) })
	p.OnCrash(func(playwright.Page) { pg.crashed.Do(func() { close(pg.crash) }) })
	if !conn.at.Windowed { // in a window, the file chooser is for the person
		// The handler makes Playwright intercept file choosers. The broker counts them: see
		// [daemon.Tabs.TakeFileChooser].
		p.OnFileChooser(func(chooser playwright.FileChooser) { conn.onFileChooser(pg, chooser) })
	}
	p.OnFrameNavigated(func(f playwright.Frame) {
		if f.ParentFrame() == nil {
			pg.commits.Add(1)
			pg.mu.Lock()
			close(pg.navigated)
			pg.navigated = make(chan struct{})
			pg.mu.Unlock()
		}
	})
	cdp, err := conn.context.NewCDPSession(p)
	if err != nil {
		return nil, err
	}
	pg.cdp = cdp
	cdp.On("Abrowser.phase", pg.phase)
	cdp.On("Page.screencastFrame", func(event any) {
		if c := pg.camera.Load(); c != nil {
			c.take(event)
		}
	})
	info, err := pg.info()
	if err != nil {
		return nil, err
	}
	pg.target, pg.opener = info.target, info.opener
	pg.followNavigation()
	if err := conn.restoreSettings(pg); err != nil {
		return nil, err
	}
	return pg, pg.emulate(emulation{}, conn.emulation())
}

// phase handles the event by which the driver reports that an action has entered its act phase, or
// has returned to its wait phase: see [action]. The driver sends the event before it sends any
// input to the page. So if the connection is lost and no event has come, nothing was done.
func (p *page) phase(event any) {
	params, _ := event.(map[string]any)
	id, _ := params["id"].(float64)
	if acting, _ := params["acting"].(bool); !acting {
		id = 0
	}
	p.acting.Store(int64(id))
}

// targetInfo is what the browser process reports about a page.
type targetInfo struct{ target, opener, title, url string }

// info asks the browser process about the page. The browser process responds even while a
// dialog is open or the page is busy.
func (p *page) info() (targetInfo, error) {
	answer, err := p.cdp.Send("Target.getTargetInfo", nil)
	if err != nil {
		return targetInfo{}, err
	}
	outer, _ := answer.(map[string]any)
	members, _ := outer["targetInfo"].(map[string]any)
	text := func(name string) string { s, _ := members[name].(string); return s }
	info := targetInfo{text("targetId"), text("openerId"), text("title"), text("url")}
	if info.target == "" {
		return info, wire.Errorf(wire.CodeInternal, "the browser returned no target id for the page")
	}
	return info, nil
}

// isClosed reports whether Playwright has reported that the page was closed. When a connection is
// lost, Playwright reports this for all pages of the connection.
func (p *page) isClosed() bool { return daemon.IsClosed(p.gone) }

func (p *page) isGone() bool { return p.isClosed() || p.conn.isLost() }

func (p *page) isCrashed() bool { return daemon.IsClosed(p.crash) }

// waitForCrash waits up to [daemon.CrashTime] after a failed call, and reports whether the page
// has crashed.
func (p *page) waitForCrash() bool {
	select {
	case <-p.crash:
		return true
	case <-p.gone:
		return p.isCrashed()
	case <-time.After(daemon.CrashTime):
		return false
	}
}

// errorPageTime is how long Chromium may take to show its error page in place of a document
// that could not be loaded.
const errorPageTime = 2 * time.Second

// awaitErrorPage waits until Chromium has committed its error page after a failed navigation.
// The parameter commits is the page's number of commits before that navigation. The wait is
// needed because the commit of the error page interrupts a navigation that has begun before it.
func (p *page) awaitErrorPage(ctx context.Context, commits int64) {
	ctx, cancel := context.WithTimeout(ctx, errorPageTime)
	defer cancel()
	for {
		p.mu.Lock()
		moved := p.navigated
		p.mu.Unlock()
		if p.commits.Load() != commits && strings.HasPrefix(p.URL(), "chrome-error:") {
			return
		}
		select {
		case <-moved:
		case <-p.crash:
			return
		case <-p.gone:
			return
		case <-ctx.Done():
			return
		}
	}
}

// hold records whether a key or a button is pressed.
func (p *page) hold(name string, pressed bool) {
	if p.held == nil {
		p.held = map[string]bool{}
	}
	if delete(p.held, name); pressed {
		p.held[name] = true
	}
}
