package daemon

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// current is the session's active page. Where the session has none yet it is made,
// and where the daemon is new the one the last daemon had is taken up again. A
// page that was closed is an error and never replaced by another, but that the
// opener takes over from a popup that closed. It waits for the page's document: see
// awaitDocument.
func (t *turn) current(ctx context.Context) (*page, error) {
	p, err := t.active(ctx)
	if err != nil {
		return nil, err
	}
	return p, t.awaitDocument(ctx, p)
}

// active is current without waiting for the document.
func (t *turn) active(ctx context.Context) (*page, error) {
	p, err := t.find(ctx)
	if err != nil || p != nil {
		return p, err
	}
	return t.newPage(ctx)
}

// find is current, but returns nil where the session has no page yet.
func (t *turn) find(ctx context.Context) (*page, error) {
	p, err := t.lookUp(ctx)
	t.page = p
	return p, err
}

func (t *turn) lookUp(ctx context.Context) (*page, error) {
	l, err := t.linked(ctx)
	if err != nil {
		return nil, err
	}
	if t.tab != "" {
		return t.named(ctx, l)
	}
	active, _ := t.known()
	if p := l.page(active.TargetID); p != nil && !p.isGone() {
		return t.usable(p)
	}
	tabs, err := t.listTabs(ctx)
	if err != nil {
		return nil, err
	}
	tab, ok := t.successor(tabs, active)
	if !ok {
		if active.TargetID == "" {
			return nil, nil
		}
		return nil, closedError(active, len(tabs) > 0)
	}
	if active.TargetID == "" {
		t.tell(tabs) // the tabs of an earlier daemon are no news
	}
	if tab.Crashed {
		if err := t.activate(ctx, tab); err != nil {
			return nil, err
		}
		return nil, crashedError()
	}
	p, err := t.adopt(ctx, l, tab)
	if err != nil {
		return nil, err
	}
	if err := t.activate(ctx, tab); err != nil {
		return nil, err
	}
	return t.usable(p)
}

// named is the page of the tab that the command names. It does not become the active
// one.
func (t *turn) named(ctx context.Context, l *link) (*page, error) {
	tabs, err := t.listTabs(ctx)
	if err != nil {
		return nil, err
	}
	tab, err := pick(tabs, t.tab)
	switch {
	case err != nil:
		return nil, err
	case tab.Crashed:
		return nil, crashedError()
	}
	p, err := t.adopt(ctx, l, tab)
	if err != nil {
		return nil, err
	}
	return t.usable(p)
}

// adopt is the page in a tab. One that was opened again a moment ago, and is not yet
// where the tab is listed, is waited for: what acts on it is meant for that document.
// Where it does not get there in time it is taken as it is.
func (t *turn) adopt(ctx context.Context, l *link, tab verbs.Tab) (*page, error) {
	p, err := t.attached(ctx, l, tab)
	if err != nil || blank(tab.URL) || !blank(p.URL()) {
		return p, err
	}
	if !arrives(ctx, p, attachTime) {
		t.log.Warn("a tab is not where it is listed", "tab", tab.TabID)
	}
	return p, nil
}

// arrives waits until a page has a document of its own, and reports whether it has.
func arrives(ctx context.Context, p *page, within time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	poll := time.NewTicker(20 * time.Millisecond)
	defer poll.Stop()
	for blank(p.URL()) {
		select {
		case <-poll.C:
		case <-p.crash:
			return false
		case <-p.link.gone:
			return false
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// blank reports whether a page at the URL has no document of its own yet.
func blank(url string) bool { return url == "" || url == ":" || url == "about:blank" }

// successor is the tab to act on among those that live. By target id first; by tab
// id where the browser was started again and gave the tab another target.
func (t *turn) successor(tabs []verbs.Tab, active verbs.Tab) (verbs.Tab, bool) {
	if active.TargetID == "" {
		for _, tab := range tabs {
			if tab.Active {
				return tab, true
			}
		}
		if len(tabs) > 0 {
			return tabs[len(tabs)-1], true
		}
		return verbs.Tab{}, false
	}
	for _, tab := range tabs {
		if tab.TargetID == active.TargetID || tab.TabID == active.TabID {
			return tab, true
		}
	}
	opener := t.openerOf(active.TargetID)
	for _, tab := range tabs {
		if opener != "" && tab.TargetID == opener {
			t.call.Warn("tab %s was closed; %s, which opened it, is active again", active.TabID, tab.TabID)
			return tab, true
		}
	}
	return verbs.Tab{}, false
}

func (t *turn) usable(p *page) (*page, error) {
	if opener := p.opener; opener != "" {
		t.mu.Lock()
		t.openers[p.target] = opener
		t.mu.Unlock()
	}
	if p.isCrashed() {
		return nil, crashedError()
	}
	return p, nil
}

func crashedError() error {
	return wire.Errorf(wire.CodePageCrashed, "the page crashed").WithHint("abrowser open")
}

func (s *Session) openerOf(target string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.openers[target]
}

func closedError(tab verbs.Tab, others bool) error {
	err := wire.Errorf(wire.CodePageClosed, "the session's page %s is closed; it was at %s", tab.TabID, tab.URL).
		With("tabId", tab.TabID).With("url", tab.URL)
	if others {
		return err.WithHint("abrowser tab list")
	}
	return err.WithHint("abrowser open %s", tab.URL)
}

// newPage makes a tab of the session and makes it the active one.
func (t *turn) newPage(ctx context.Context) (*page, error) {
	p, tab, err := t.openTab(ctx)
	if err != nil {
		return nil, err
	}
	return p, t.activate(ctx, tab)
}

const openTabTime = 10 * time.Second

// openTab makes a tab of the session.
func (t *turn) openTab(ctx context.Context) (*page, verbs.Tab, error) {
	l, err := t.linked(ctx)
	if err != nil {
		return nil, verbs.Tab{}, err
	}
	before, err := t.roomFor(ctx)
	if err != nil {
		return nil, verbs.Tab{}, err
	}
	var p *page
	err = t.manage(openTabTime, func() error {
		made, err := l.context.NewPage()
		if err != nil {
			return err
		}
		p, err = l.attach(made)
		return err
	})
	if isGone(err) && !neverSent(err) {
		return nil, verbs.Tab{}, wire.Errorf(wire.CodeResultUnknown, "the browser went away while the tab was made").WithHint(hintTabs)
	}
	if err != nil && strings.Contains(err.Error(), "Target crashed") {
		return nil, verbs.Tab{}, wire.Errorf(wire.CodePageCrashed, "the tab crashed while it was made").WithHint(hintTabs)
	}
	if err != nil {
		return nil, verbs.Tab{}, coded(t.poolFull(ctx, err))
	}
	tab, err := t.tabOf(ctx, p.target)
	if err != nil {
		return nil, verbs.Tab{}, err
	}
	t.page = p
	t.tellEvicted(before)
	t.tell([]verbs.Tab{tab})
	return p, tab, nil
}

// tabOf is what the broker says of a target that is the session's.
func (t *turn) tabOf(ctx context.Context, target string) (verbs.Tab, error) {
	tabs, err := t.listTabs(ctx)
	if err != nil {
		return verbs.Tab{}, err
	}
	for _, tab := range tabs {
		if tab.TargetID == target {
			return tab, nil
		}
	}
	return verbs.Tab{}, wire.Errorf(wire.CodePageClosed, "the tab was closed at once")
}

// tell marks tabs as ones that the caller knows of.
func (s *Session) tell(tabs []verbs.Tab) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, tab := range tabs {
		s.told[tab.TabID] = true
	}
}

// untold returns the tabs that no reply has named yet, and marks them.
func (s *Session) untold(tabs []verbs.Tab) []verbs.Tab {
	s.mu.Lock()
	defer s.mu.Unlock()
	var fresh []verbs.Tab
	for _, tab := range tabs {
		if !s.told[tab.TabID] {
			s.told[tab.TabID] = true
			fresh = append(fresh, tab)
		}
	}
	return fresh
}

const (
	effectsTime = 3 * time.Second
	urlTime     = 500 * time.Millisecond
	catchTime   = 500 * time.Millisecond
)

// effects is what the command caused beside what it was asked for: the tabs that
// opened, usable when they are named, and the dialogs. It never fails the
// command, which has been done.
func (t *turn) effects(ctx context.Context) verbs.Effects {
	var e verbs.Effects
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), effectsTime)
	defer cancel()
	quiet := t.isQuiet()
	if !quiet || t.typed {
		t.mayNavigate()
	}
	if !quiet {
		e.Opened = t.fresh(ctx)
	}
	e.Dialogs = t.tellNews()
	e.Downloads = t.tellDownloads(ctx)
	return e
}

// fresh are the tabs that no reply has told of, usable, and told of with this one.
func (t *turn) fresh(ctx context.Context) []verbs.OpenedTab {
	t.owes.Store(false)
	tabs, err := t.settledTabs(ctx)
	if err != nil {
		if !errors.Is(err, wire.CodeNotRunning) {
			t.log.Warn("asking for tabs", "error", err)
		}
		return nil
	}
	t.catchUp()
	var all []verbs.OpenedTab
	for _, tab := range t.untold(tabs) {
		all = append(all, t.opened(ctx, tab))
	}
	return all
}

// tellOwed warns of the tabs that were opened in what the command before had left to do,
// where this one has not told of them.
func (t *turn) tellOwed(ctx context.Context) {
	if t.foreign || !t.owes.Load() {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), effectsTime)
	defer cancel()
	for _, tab := range t.fresh(ctx) {
		t.call.Warn("the page has opened tab %s: %s", tab.TabID, tab.URL)
	}
}

// isQuiet reports whether the page's last answer came with the news that there is none.
func (t *turn) isQuiet() bool {
	_, l := t.known()
	return t.direct && l != nil && l.isQuiet()
}

// catchUp waits, for a bounded time, until Playwright has told us of all that happened
// until the page answered us: what we ask it ourselves, it may answer before. Of what it
// is asked through Playwright all is known.
func (t *turn) catchUp() {
	t.mu.Lock()
	news := t.happened != t.caughtUp
	t.caughtUp = t.happened
	t.mu.Unlock()
	ahead := t.ahead
	t.ahead = false
	if ahead && news {
		t.hearAll()
		t.dialogs.settle(catchTime)
	}
}

// opened waits, for a bounded time, until the tab can be used and knows its URL.
func (t *turn) opened(ctx context.Context, tab verbs.Tab) verbs.OpenedTab {
	out := verbs.OpenedTab{TabID: tab.TabID, URL: tab.URL, TargetID: tab.TargetID}
	_, l := t.known()
	if l == nil {
		return out
	}
	p, err := l.await(ctx, tab.TargetID)
	if err != nil {
		t.call.Warn("tab %s does not answer yet", tab.TabID)
		return out
	}
	if _, err := t.usable(p); err != nil {
		return out
	}
	if arrives(ctx, p, urlTime) {
		out.URL = p.URL()
	}
	return out
}
