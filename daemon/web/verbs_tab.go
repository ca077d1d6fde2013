package daemon

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const hintTabs = "abrowser tab list"

// tabList is a control verb: it never waits for a page, and starts no browser.
func (s *Session) tabList(ctx context.Context, _ *wire.Call, in verbs.TabListIn) (verbs.TabsOut, error) {
	ask := s.listTabs
	if in.All {
		ask = s.broker.allTabs
	}
	tabs, err := ask(ctx)
	if errors.Is(err, wire.CodeNotRunning) {
		err = nil
	}
	all := []verbs.Tab{}
	for _, tab := range tabs {
		if !in.All {
			tab.SessionID, tab.State, tab.Mode, tab.Browser = "", "", "", ""
		}
		all = append(all, tab)
	}
	return verbs.TabsOut{Tabs: all}, err
}

func (t *turn) tabNew(ctx context.Context, in verbs.TabNewIn) (verbs.TabNewOut, error) {
	to := ""
	if in.URL != "" {
		var err error
		if to, err = completeURL(in.URL); err != nil {
			return verbs.TabNewOut{}, err
		}
	}
	ctx, cancel, err := t.within(ctx, in.Timeout, waitTime)
	if err != nil {
		return verbs.TabNewOut{}, err
	}
	defer cancel()
	if err := t.checkLabel(ctx, in.Label); err != nil {
		return verbs.TabNewOut{}, err
	}
	p, err := t.newPage(ctx)
	if err != nil {
		return verbs.TabNewOut{}, err
	}
	t.begun = true
	tab, _ := t.known()
	out := verbs.TabNewOut{TabID: tab.TabID, TargetID: p.target}
	if in.Label != "" {
		out.Label = &in.Label
		if err := t.broker.note(ctx, verbs.NoteIn{Target: p.target, Active: true, Label: &in.Label}); err != nil {
			return verbs.TabNewOut{}, err
		}
	}
	if to != "" {
		if err := t.load(ctx, p, to); err != nil {
			var coded *wire.Error
			if errors.As(err, &coded) {
				return verbs.TabNewOut{}, coded.With("tabId", tab.TabID)
			}
			return verbs.TabNewOut{}, err
		}
	}
	out.URL, out.Effects = p.URL(), t.effects(ctx)
	if err := t.outlived(ctx, p); err != nil {
		return verbs.TabNewOut{}, err
	}
	t.mu.Lock()
	out.Total = len(t.tabs)
	t.mu.Unlock()
	return out, nil
}

func (t *turn) checkLabel(ctx context.Context, label string) error {
	switch {
	case label == "":
		return nil
	case isNumber(strings.TrimPrefix(label, "t")), len(label) > 100:
		return wire.Errorf(wire.CodeBadInput, "%q is no label: it would be taken for a tab's id, or is too long", label).WithHint("abrowser tab new --label docs")
	}
	tabs, err := t.reachTabs(ctx)
	if err != nil {
		return err
	}
	for _, tab := range tabs {
		if tab.Label != nil && *tab.Label == label {
			return wire.Errorf(wire.CodeBadInput, "the label %q is %s's; labels are unique in a session", label, tab.TabID).WithHint(hintTabs)
		}
	}
	return nil
}

// reachTabs lists the session's tabs, with the browser made to run.
func (t *turn) reachTabs(ctx context.Context) ([]verbs.Tab, error) {
	if _, err := t.linked(ctx); err != nil {
		return nil, err
	}
	return t.listTabs(ctx)
}

// pick is the tab that a person names by id, label or target id.
func pick(tabs []verbs.Tab, name string) (verbs.Tab, error) {
	if isNumber(name) {
		return verbs.Tab{}, wire.Errorf(wire.CodeBadInput, "%q is no tab; a tab's id, such as t2, or its label is taken, no position", name).WithHint(hintTabs)
	}
	for _, tab := range tabs {
		if tab.TabID == name || tab.TargetID == name || tab.Label != nil && *tab.Label == name {
			return tab, nil
		}
	}
	return verbs.Tab{}, wire.Errorf(wire.CodeNotFound, "the session has no tab %q", name).WithHint(hintTabs)
}

func (t *turn) tabSwitch(ctx context.Context, in verbs.TabRefIn) (verbs.TabSwitchOut, error) {
	ctx, cancel, err := t.within(ctx, 0, actionTime)
	if err != nil {
		return verbs.TabSwitchOut{}, err
	}
	defer cancel()
	tabs, err := t.reachTabs(ctx)
	if err != nil {
		return verbs.TabSwitchOut{}, err
	}
	tab, err := pick(tabs, in.Tab)
	if err != nil {
		return verbs.TabSwitchOut{}, err
	}
	_, l := t.known()
	if tab.Crashed {
		if err := t.activate(ctx, tab); err != nil {
			return verbs.TabSwitchOut{}, err
		}
		return verbs.TabSwitchOut{}, crashedError()
	}
	p, err := t.adopt(ctx, l, tab)
	if err != nil {
		return verbs.TabSwitchOut{}, err
	}
	t.begun = true
	if err := t.activate(ctx, tab); err != nil {
		return verbs.TabSwitchOut{}, err
	}
	title, err := t.title(ctx, p)
	if err != nil {
		title = tab.Title
	}
	return verbs.TabSwitchOut{TabID: tab.TabID, Label: tab.Label, URL: p.URL(), Title: title, TargetID: tab.TargetID}, nil
}

func (t *turn) tabClose(ctx context.Context, in verbs.TabCloseIn) (verbs.TabCloseOut, error) {
	ctx, cancel, err := t.within(ctx, 0, actionTime)
	if err != nil {
		return verbs.TabCloseOut{}, err
	}
	defer cancel()
	tabs, err := t.reachTabs(ctx)
	if err != nil {
		return verbs.TabCloseOut{}, err
	}
	active, l := t.known()
	if active.TargetID == "" {
		active, _ = t.successor(tabs, active)
	}
	tab := active
	if in.Tab != "" {
		if tab, err = pick(tabs, in.Tab); err != nil {
			return verbs.TabCloseOut{}, err
		}
	}
	if len(tabs) <= 1 {
		return verbs.TabCloseOut{}, wire.Errorf(wire.CodeBadInput, "cannot close the last tab").WithHint("abrowser close --page")
	}
	if t.isLeft(ctx) {
		return verbs.TabCloseOut{}, ended(ctx)
	}
	t.begun = true
	rest, err := t.closeTab(ctx, l, tab)
	if err != nil {
		return verbs.TabCloseOut{}, err
	}
	if tab.TargetID == active.TargetID {
		err = t.activate(ctx, t.heir(rest, tab))
	}
	return verbs.TabCloseOut{TabID: tab.TabID, Label: tab.Label, Closed: true}, err
}

const closedTime = 2 * time.Second

// closeTab closes a tab and returns those that are left. Playwright takes some pages
// for closed that are not, and knows none that crashed: these the browser closes.
func (t *turn) closeTab(ctx context.Context, l *link, tab verbs.Tab) ([]verbs.Tab, error) {
	if !tab.Crashed {
		p, err := l.await(ctx, tab.TargetID)
		if err != nil {
			return nil, err
		}
		if err := t.manage(quickTime, func() error { return p.Close() }); err != nil && !isGone(err) {
			return nil, coded(err)
		}
		soon, cancel := context.WithTimeout(ctx, closedTime)
		defer cancel()
		rest, err := t.untilClosed(soon, l, tab.TargetID)
		if !errors.Is(err, wire.CodeTimeout) || ctx.Err() != nil {
			return rest, err
		}
		t.log.Warn("a page that was closed is still there")
	}
	// Where the connection was lost meanwhile, the tab may be closed all the same.
	if err := t.manage(quickTime, func() error { return l.closeTarget(tab.TargetID) }); err != nil && !isGone(err) {
		return nil, coded(err)
	}
	return t.untilClosed(ctx, l, tab.TargetID)
}

// heir is the tab that is active after one was closed: its opener, else the one
// before it.
func (t *turn) heir(rest []verbs.Tab, closed verbs.Tab) verbs.Tab {
	opener := t.openerOf(closed.TargetID)
	for _, tab := range rest {
		if tab.TargetID == opener {
			return tab
		}
	}
	if len(rest) == 0 {
		return closed
	}
	return rest[len(rest)-1]
}

// untilClosed waits until the broker no longer lists a target. Where the connection
// over which it was to be closed is lost, it may never have been told to.
func (t *turn) untilClosed(ctx context.Context, l *link, target string) ([]verbs.Tab, error) {
	for {
		tabs, err := t.listTabs(ctx)
		if err != nil {
			return nil, err
		}
		listed := false
		for _, tab := range tabs {
			listed = listed || tab.TargetID == target
		}
		if !listed {
			return tabs, nil
		}
		if l.isGone() {
			return nil, goneError()
		}
		if !pause(ctx, 20*time.Millisecond) {
			return nil, ended(ctx)
		}
	}
}

// clickNewTab opens a link in a new tab, which does not become the active one.
func (t *turn) clickNewTab(ctx context.Context, in verbs.ClickIn) (verbs.ClickOut, error) {
	if _, err := parseSelector(in.Selector); err != nil {
		return verbs.ClickOut{}, err
	}
	ctx, cancel, err := t.within(ctx, in.Timeout, actionTime)
	if err != nil {
		return verbs.ClickOut{}, err
	}
	defer cancel()
	p, err := t.current(ctx)
	if err != nil {
		return verbs.ClickOut{}, err
	}
	at, err := t.target(ctx, p, in.Selector)
	if err != nil {
		return verbs.ClickOut{}, err
	}
	if _, err := t.perform(ctx, p, at, action{name: "click", verb: "await"}); err != nil {
		return verbs.ClickOut{}, err
	}
	to, err := t.href(ctx, at)
	if err != nil {
		return verbs.ClickOut{}, err
	}
	fresh, tab, err := t.openTab(ctx)
	if err != nil {
		return verbs.ClickOut{}, err
	}
	t.begun = true
	err = t.navigate(ctx, fresh, func(limit *float64) error {
		_, err := fresh.Goto(to, playwright.PageGotoOptions{
			WaitUntil: playwright.WaitUntilStateCommit, Timeout: limit, Referer: playwright.String(p.URL()),
		})
		return err
	})
	if err != nil {
		return verbs.ClickOut{}, err
	}
	out := verbs.ClickOut{Clicked: in.Selector, NewTab: true, URL: fresh.URL(), Effects: t.effects(ctx)}
	out.Opened = append([]verbs.OpenedTab{{TabID: tab.TabID, URL: out.URL, TargetID: tab.TargetID}}, out.Opened...)
	return out, nil
}

func (t *turn) href(ctx context.Context, at target) (string, error) {
	limit := slice(ctx, quickTime)
	answer, err := look(t, limit+time.Second, func() (any, error) {
		return script("e => { const a = e.closest('a[href], area[href]'); return a ? a.href : '' }", nil)(at.find, playwright.Float(milliseconds(limit)))
	})
	if err != nil {
		return "", coded(err)
	}
	to, _ := answer.(string)
	if to == "" {
		return "", wire.Errorf(wire.CodeNotActionable, "%q has no href; --new-tab only works on links", at.sel.given).WithHint("abrowser click %s", at.sel.given)
	}
	return completeURL(to)
}
