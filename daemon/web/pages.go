package web

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// currentPage returns the page of the tab that the command names, or else the session's active
// page. It first waits for the page's document: see awaitDocument. If the session has no page
// yet, currentPage opens one. In a new daemon, the active page is the one that was active under the
// previous daemon. If the active page was closed, currentPage does not use another page but returns
// an error. There is one exception: the opener of a closed popup becomes active again.
func (c *call) currentPage(ctx context.Context) (*page, error) {
	p, err := c.activePage(ctx)
	if err != nil {
		return nil, err
	}
	return p, c.on(p).awaitDocument(ctx)
}

// activePage returns the same page as currentPage, but does not wait for its document.
func (c *call) activePage(ctx context.Context) (*page, error) {
	p, err := c.findPage(ctx)
	if err != nil || p != nil {
		return p, err
	}
	return c.newPage(ctx)
}

// findPage returns the same page as activePage. If the session has no page yet, it opens none
// and returns nil.
func (c *call) findPage(ctx context.Context) (*page, error) {
	p, err := c.lookUpPage(ctx)
	c.page = p
	return p, err
}

func (c *call) lookUpPage(ctx context.Context) (*page, error) {
	conn, err := c.connected(ctx)
	if err != nil {
		return nil, err
	}
	if c.Tab != "" {
		return c.namedPage(ctx, conn)
	}
	active := c.Tabs.Active()
	if p := conn.page(active.TargetID); p != nil && !p.isGone() {
		return c.checkUsable(p)
	}
	tabs, err := c.Tabs.List(ctx)
	if err != nil {
		return nil, err
	}
	tab, ok := c.Successor(tabs, active)
	if !ok {
		if active.TargetID == "" {
			return nil, nil
		}
		return nil, daemon.TabClosedError(active, len(tabs) > 0)
	}
	if tab.Crashed {
		if err := c.Tabs.Activate(ctx, tab); err != nil {
			return nil, err
		}
		return nil, daemon.PageCrashedError()
	}
	p, err := c.adopt(ctx, conn, tab)
	if err != nil {
		return nil, err
	}
	if err := c.Tabs.Activate(ctx, tab); err != nil {
		return nil, err
	}
	return c.checkUsable(p)
}

// namedPage returns the page of the tab that the command names. The tab does not become active.
func (c *call) namedPage(ctx context.Context, conn *connection) (*page, error) {
	tabs, err := c.Tabs.List(ctx)
	if err != nil {
		return nil, err
	}
	tab, err := pick(tabs, c.Tab)
	switch {
	case err != nil:
		return nil, err
	case tab.Crashed:
		return nil, daemon.PageCrashedError()
	}
	p, err := c.adopt(ctx, conn, tab)
	if err != nil {
		return nil, err
	}
	return c.checkUsable(p)
}

// awaitDocumentURL waits until a page has a document of its own, and reports whether the page has
// one. It waits for at most limit.
func awaitDocumentURL(ctx context.Context, p *page, limit time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	poll := time.NewTicker(20 * time.Millisecond)
	defer poll.Stop()
	for isBlank(p.URL()) {
		select {
		case <-poll.C:
		case <-p.crash:
			return false
		case <-p.conn.lost:
			return false
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// isBlank reports whether the URL is that of a page without a document of its own.
func isBlank(url string) bool { return url == "" || url == ":" || url == "about:blank" }

func (c *call) checkUsable(p *page) (*page, error) {
	if p.opener != "" {
		c.Tabs.SetOpener(p.target, p.opener)
	}
	if p.isCrashed() {
		return nil, daemon.PageCrashedError()
	}
	return p, nil
}

// newPage opens a tab and makes it the active one.
func (c *call) newPage(ctx context.Context) (*page, error) {
	p, tab, err := c.openTab(ctx)
	if err != nil {
		return nil, err
	}
	return p, c.Tabs.Activate(ctx, tab)
}

// openTabTime is how long the browser may take to open a tab, unless the command's time is over
// earlier. On a slow machine on which many sessions start at once, a tab may take 15 s.
const openTabTime = time.Minute

// openTab opens a tab of the session. The tab does not become active.
func (c *call) openTab(ctx context.Context) (*page, verbs.Tab, error) {
	return c.openTabBy(ctx, func(conn *connection) (*page, error) {
		made, err := conn.context.NewPage()
		if err != nil {
			return nil, err
		}
		return conn.attach(made)
	})
}

// openTabBy opens a tab by calling create(). The tab does not become active.
func (c *call) openTabBy(ctx context.Context, create func(*connection) (*page, error)) (*page, verbs.Tab, error) {
	conn, err := c.connected(ctx)
	if err != nil {
		return nil, verbs.Tab{}, err
	}
	before, err := c.tabsBefore(ctx)
	if err != nil {
		return nil, verbs.Tab{}, err
	}
	var p *page
	err = c.watchTabs(daemon.TimeLeft(ctx, openTabTime), func() (err error) {
		p, err = create(conn)
		return err
	})
	if isGone(err) && !isNotSent(err) {
		return nil, verbs.Tab{}, wire.Errorf(wire.CodeResultUnknown, "the browser went away while the tab was made").WithHint(daemon.HintTabs)
	}
	if err != nil && strings.Contains(err.Error(), "Target crashed") {
		return nil, verbs.Tab{}, wire.Errorf(wire.CodePageCrashed, "the tab crashed while it was made").WithHint(daemon.HintTabs)
	}
	if err != nil {
		return nil, verbs.Tab{}, codeError(c.poolError(ctx, err))
	}
	tab, err := c.tabOf(ctx, p.target)
	if err != nil {
		return nil, verbs.Tab{}, err
	}
	c.page = p
	c.warnOfEvicted(before)
	c.Tabs.MarkTold(tab)
	return p, tab, nil
}

// tabOf returns the tab that the broker lists for a target.
func (c *call) tabOf(ctx context.Context, target string) (verbs.Tab, error) {
	tabs, err := c.Tabs.List(ctx)
	if err != nil {
		return verbs.Tab{}, err
	}
	for _, tab := range tabs {
		if tab.TargetID == target {
			return tab, nil
		}
	}
	return verbs.Tab{}, wire.Errorf(wire.CodePageClosed, "the tab was closed at once").With("targetId", target)
}

const (
	effectsTime = 3 * time.Second
	urlTime     = 500 * time.Millisecond
	catchTime   = 500 * time.Millisecond
)

// effects returns the side effects of the command: dialogs, downloads, and the tabs that it
// opened. It waits up to effectsTime until these tabs can be used. It returns no error, since
// the command has been done.
func (c *call) effects(ctx context.Context) verbs.Effects {
	var e verbs.Effects
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), effectsTime)
	defer cancel()
	quiet := c.isQuiet()
	if !quiet || c.typed {
		c.mayNavigate()
	}
	if !quiet {
		e.Opened = c.newTabs(ctx)
		if e.FileChooser = c.Tabs.TakeFileChooser(); e.FileChooser {
			// Playwright asks the page about the file chooser before it reports it.
			c.prompts.AwaitOpened(ctx, c.choosers)
		}
	}
	e.Dialogs = c.AddNotices()
	e.Downloads = c.downloads.TakeNew(ctx)
	return e
}

// newTabs returns the tabs that no reply has named yet, and marks them as named. It waits for
// a bounded time until they can be used.
func (c *call) newTabs(ctx context.Context) []verbs.OpenedTab {
	c.pendingTabs.Store(false)
	tabs, err := c.Tabs.ListSettled(ctx)
	if err != nil {
		if !errors.Is(err, wire.CodeNotRunning) {
			c.Log.Warn("asking for tabs", "error", err)
		}
		return nil
	}
	c.catchUp()
	var all []verbs.OpenedTab
	for _, tab := range c.Tabs.Untold(tabs) {
		all = append(all, c.awaitOpened(ctx, tab))
	}
	return all
}

// warnOfLateEffects warns of side effects that came after the reply to the command that caused
// them: tabs that a page has opened, perhaps during the deferred work of a click (see
// fastAttempt.deferEnd), and downloads. It leaves out those that the reply to this command already
// names.
func (c *call) warnOfLateEffects(ctx context.Context) {
	pending := c.pendingTabs.Load()
	if c.IsForeign() || !pending && !c.downloads.HasNew(ctx) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), effectsTime)
	defer cancel()
	if pending {
		for _, tab := range c.newTabs(ctx) {
			c.Warn("tab %s has been opened: %s", tab.TabID, tab.URL)
		}
	}
	for _, started := range c.downloads.TakeNew(ctx) {
		c.Warn("the page has started the download of %s: %s", started.SuggestedFilename, started.URL)
	}
}

// isQuiet reports whether the command is known to have no side effects that the broker would
// report. This is known if the command's last response came over the direct connection, and carried
// the broker's mark that nothing has changed: see [cdp.Conn.IsQuiet].
func (c *call) isQuiet() bool {
	conn := c.current()
	return c.askedDirectly && conn != nil && conn.isQuiet()
}

// catchUp waits until Playwright has reported everything that happened before the page responded,
// and then until the daemon has answered the reported dialogs. Each of the two waits takes up to
// catchTime. They are needed only after a response over the direct connection, which may arrive
// before Playwright's events. A response through Playwright arrives after all earlier events. If
// the broker has sent no page events since the last call of catchUp, catchUp does not wait.
func (c *call) catchUp() {
	events := int64(c.Tabs.Events())
	isNew := events != c.seenEvents.Swap(events)
	ahead := c.aheadOfEvents
	c.aheadOfEvents = false
	if ahead && isNew {
		c.awaitEvents()
		c.dialogs.AwaitAnswered(catchTime)
	}
}

// awaitOpened waits for a bounded time until a new tab can be used and has its URL. It returns
// the tab in any case.
func (c *call) awaitOpened(ctx context.Context, tab verbs.Tab) verbs.OpenedTab {
	out := verbs.OpenedTab{TabID: tab.TabID, URL: tab.URL, TargetID: tab.TargetID}
	conn := c.current()
	if conn == nil {
		return out
	}
	p, err := conn.awaitPage(ctx, tab)
	if err != nil {
		c.Warn("tab %s does not answer yet", tab.TabID)
		return out
	}
	if _, err := c.checkUsable(p); err != nil {
		return out
	}
	if awaitDocumentURL(ctx, p, urlTime) {
		out.URL = p.URL()
	}
	return out
}
