package daemon

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/sockets/wire"
)

// page is one tab as Playwright drives it.
type page struct {
	playwright.Page
	link   *link
	target string
	cdp    playwright.CDPSession                  // for short questions that Playwright's own calls cannot ask
	opener string                                 // target id of the page that opened it
	clock  func(limit time.Duration) (any, error) // see [page.began]

	attaching chan struct{} // has room for one, who makes the channel
	mu        sync.Mutex    // guards own
	own       *channel      // nil before the first need, and where it was given up

	commits  atomic.Int64             // navigations of its main frame so far
	world    atomic.Pointer[world]    // of its main frame, when it was asked for last
	document atomic.Pointer[document] // of its main frame, when it was asked for last
	gone     chan struct{}            // closed when the page is closed
	crash    chan struct{}            // closed when its renderer is gone
	close    sync.Once
	crashed  sync.Once
}

func newPage(l *link, p playwright.Page) (*page, error) {
	pg := &page{Page: p, link: l, attaching: make(chan struct{}, 1), gone: make(chan struct{}), crash: make(chan struct{})}
	pg.clock = pg.began
	p.OnClose(func(playwright.Page) { pg.close.Do(func() { close(pg.gone) }) })
	p.OnCrash(func(playwright.Page) { pg.crashed.Do(func() { close(pg.crash) }) })
	p.OnFrameNavigated(func(f playwright.Frame) {
		if f.ParentFrame() == nil {
			pg.commits.Add(1)
		}
	})
	cdp, err := l.context.NewCDPSession(p)
	if err != nil {
		return nil, err
	}
	pg.cdp = cdp
	info, err := pg.info()
	if err != nil {
		return nil, err
	}
	pg.target, pg.opener = info.target, info.opener
	return pg, pg.emulate(emulation{}, l.kept.get().Emulation)
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

// closed reports whether the page was closed, or its connection lost.
func (p *page) closed() bool { return isClosed(p.gone) }

func (p *page) isGone() bool { return p.closed() || p.link.isGone() }

func (p *page) isCrashed() bool { return isClosed(p.crash) }

// crashTime is how long the news of a crash may come after what it made fail.
const crashTime = 200 * time.Millisecond

// crashes is isCrashed for a page of which something has just failed.
func (p *page) crashes() bool {
	timer := time.NewTimer(crashTime)
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
