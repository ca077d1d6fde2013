package web

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/sockets/wire"
)

// page is one tab as Playwright drives it.
type page struct {
	playwright.Page
	conn   *connection
	target string
	cdp    playwright.CDPSession                  // for short questions that Playwright's own calls cannot ask
	opener string                                 // target id of the page that opened it
	clock  func(limit time.Duration) (any, error) // see [page.began]

	attaching chan struct{} // has room for one, who makes the channel
	mu        sync.Mutex    // guards the fields below
	session   *pageSession  // nil before the first need, and where it was given up
	navigated chan struct{} // closed and replaced when its main frame has navigated

	commits      atomic.Int64                 // navigations of its main frame so far
	parsed       atomic.Int64                 // commits+1 of the last document that a command has waited for
	pending      atomic.Bool                  // its main frame is navigating to another document
	mayNavigate  atomic.Bool                  // an action may have begun a navigation that is not known to be over
	utilityWorld atomic.Pointer[utilityWorld] // of its main frame, when it was asked for last
	document     atomic.Pointer[document]     // of its main frame, when it was asked for last
	lastAct      atomic.Int64                 // the number of the last action that the driver was asked for
	acting       atomic.Int64                 // the number of the action in its act phase; 0 is none
	gone         chan struct{}                // closed when the page is closed
	crash        chan struct{}                // closed when its renderer is gone
	close        sync.Once
	crashed      sync.Once
}

func newPage(conn *connection, p playwright.Page) (*page, error) {
	pg := &page{Page: p, conn: conn, attaching: make(chan struct{}, 1), navigated: make(chan struct{}), gone: make(chan struct{}), crash: make(chan struct{})}
	pg.clock = pg.documentStart
	p.OnClose(func(playwright.Page) { pg.close.Do(func() { close(pg.gone) }) })
	p.OnCrash(func(playwright.Page) { pg.crashed.Do(func() { close(pg.crash) }) })
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
	info, err := pg.info()
	if err != nil {
		return nil, err
	}
	pg.target, pg.opener = info.target, info.opener
	pg.followNavigation()
	return pg, pg.emulate(emulation{}, conn.emulation())
}

// phase notes that the driver's action begins to act, or waits again. The driver sends
// this before it sends the page any input, so that a connection that is lost without it
// was lost before anything was done.
func (p *page) phase(event any) {
	params, _ := event.(map[string]any)
	id, _ := params["id"].(float64)
	if acting, _ := params["acting"].(bool); !acting {
		id = 0
	}
	p.acting.Store(int64(id))
}

// targetInfo is what the browser itself, and not the page, knows of a page.
type targetInfo struct{ target, opener, title, url string }

// info asks the browser; it answers while a dialog is open and while the page is
// busy.
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
		return info, wire.Errorf(wire.CodeInternal, "the browser names no target for the page")
	}
	return info, nil
}

// isClosed reports whether the page was closed, or its connection lost.
func (p *page) isClosed() bool { return daemon.IsClosed(p.gone) }

func (p *page) isGone() bool { return p.isClosed() || p.conn.isLost() }

func (p *page) isCrashed() bool { return daemon.IsClosed(p.crash) }

// waitForCrash is isCrashed for a page of which something has just failed.
func (p *page) waitForCrash() bool {
	timer := time.NewTimer(daemon.CrashTime)
	defer timer.Stop()
	select {
	case <-p.crash:
		return true
	case <-p.gone:
		return p.isCrashed()
	case <-timer.C:
		return false
	}
}
