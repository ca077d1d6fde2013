package web

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

func (c *call) tabNew(ctx context.Context, in verbs.TabNewIn) (verbs.TabNewOut, error) {
	to := ""
	if in.URL != "" {
		var err error
		if to, err = c.address(in.URL); err != nil {
			return verbs.TabNewOut{}, err
		}
	}
	ctx, cancel, err := c.Limit(ctx, in.Timeout, waitTime)
	if err != nil {
		return verbs.TabNewOut{}, err
	}
	defer cancel()
	if err := c.checkLabel(ctx, in.Label); err != nil {
		return verbs.TabNewOut{}, err
	}
	p, err := c.newPage(ctx)
	if err != nil {
		return verbs.TabNewOut{}, err
	}
	c.Begun = true
	if err := c.leaveFrame(); err != nil {
		return verbs.TabNewOut{}, err
	}
	tab := c.Tabs.Active()
	out := verbs.TabNewOut{TabID: tab.TabID, TargetID: p.target}
	if in.Label != "" {
		out.Label = &in.Label
		if err := c.Broker.Note(ctx, verbs.NoteIn{Target: p.target, Active: true, Label: &in.Label}); err != nil {
			return verbs.TabNewOut{}, err
		}
	}
	if to != "" {
		if err := c.on(p).load(ctx, to); err != nil {
			var coded *wire.Error
			if errors.As(err, &coded) {
				return verbs.TabNewOut{}, coded.With("tabId", tab.TabID)
			}
			return verbs.TabNewOut{}, err
		}
	}
	out.URL, out.Effects = p.URL(), c.effects(ctx)
	if err := c.CheckOutlived(ctx); err != nil {
		return verbs.TabNewOut{}, err
	}
	out.Total = len(c.Tabs.Known())
	return out, nil
}

// windowNew opens a tab in a new window. Playwright can open tabs only in a window that exists.
func (c *call) windowNew(ctx context.Context, in verbs.WindowNewIn) (verbs.WindowNewOut, error) {
	ctx, cancel, err := c.Limit(ctx, in.Timeout, waitTime)
	if err != nil {
		return verbs.WindowNewOut{}, err
	}
	defer cancel()
	_, tab, err := c.openTabBy(ctx, func(conn *connection) (*page, error) {
		browser, err := conn.browser.NewBrowserCDPSession()
		if err != nil {
			return nil, err
		}
		defer func() { _ = browser.Detach() }() // if this fails, the end of the connection detaches
		answer, err := browser.Send("Target.createTarget", map[string]any{"url": "about:blank", "newWindow": true})
		if err != nil {
			return nil, err
		}
		members, _ := answer.(map[string]any)
		target, _ := members["targetId"].(string)
		return conn.awaitPage(ctx, verbs.Tab{TargetID: target})
	})
	if err != nil {
		return verbs.WindowNewOut{}, err
	}
	c.Begun = true
	if err := errors.Join(c.leaveFrame(), c.Tabs.Activate(ctx, tab)); err != nil {
		return verbs.WindowNewOut{}, err
	}
	return verbs.WindowNewOut{TabID: tab.TabID, Total: len(c.Tabs.Known()), TargetID: tab.TargetID}, nil
}

func (c *call) checkLabel(ctx context.Context, label string) error {
	switch {
	case label == "":
		return nil
	case daemon.IsNumber(strings.TrimPrefix(label, "t")), len(label) > 100:
		return wire.Errorf(wire.CodeBadInput, "invalid label %q: it looks like a tab's id, or is too long", label).WithHint("abrowser tab new --label docs")
	}
	tabs, err := c.reachTabs(ctx)
	if err != nil {
		return err
	}
	for _, tab := range tabs {
		if tab.Label != nil && *tab.Label == label {
			return wire.Errorf(wire.CodeBadInput, "the label %q belongs to %s; labels are unique in a session", label, tab.TabID).WithHint(daemon.HintTabs)
		}
	}
	return nil
}

// reachTabs connects and lists the session's tabs.
func (c *call) reachTabs(ctx context.Context) ([]verbs.Tab, error) {
	if _, err := c.connected(ctx); err != nil {
		return nil, err
	}
	return c.Tabs.List(ctx)
}

// pick returns the tab whose id, label or target id is name.
func pick(tabs []verbs.Tab, name string) (verbs.Tab, error) {
	if daemon.IsNumber(name) {
		return verbs.Tab{}, wire.Errorf(wire.CodeBadInput, "invalid tab %q; a tab is named by its id, such as t2, or its label, not by its position", name).WithHint(daemon.HintTabs)
	}
	for _, tab := range tabs {
		if tab.TabID == name || tab.TargetID == name || tab.Label != nil && *tab.Label == name {
			return tab, nil
		}
	}
	return verbs.Tab{}, wire.Errorf(wire.CodeNotFound, "tab %s not found", name).WithHint(daemon.HintTabs)
}

func (c *call) tabSwitch(ctx context.Context, in verbs.TabRefIn) (verbs.TabSwitchOut, error) {
	ctx, cancel, err := c.Limit(ctx, 0, actionTime)
	if err != nil {
		return verbs.TabSwitchOut{}, err
	}
	defer cancel()
	tabs, err := c.reachTabs(ctx)
	if err != nil {
		return verbs.TabSwitchOut{}, err
	}
	tab, err := pick(tabs, in.Tab)
	if err != nil {
		return verbs.TabSwitchOut{}, err
	}
	conn := c.current()
	if tab.Crashed {
		if err := c.Tabs.Activate(ctx, tab); err != nil {
			return verbs.TabSwitchOut{}, err
		}
		return verbs.TabSwitchOut{}, daemon.PageCrashedError()
	}
	p, err := c.adopt(ctx, conn, tab)
	if err != nil {
		return verbs.TabSwitchOut{}, err
	}
	c.Begun = true
	if err := errors.Join(c.leaveFrame(), c.Tabs.Activate(ctx, tab)); err != nil {
		return verbs.TabSwitchOut{}, err
	}
	title, err := c.on(p).title(ctx)
	if err != nil {
		title = tab.Title
	}
	return verbs.TabSwitchOut{TabID: tab.TabID, Label: tab.Label, URL: p.URL(), Title: title, TargetID: tab.TargetID}, nil
}

func (c *call) tabClose(ctx context.Context, in verbs.TabCloseIn) (verbs.TabCloseOut, error) {
	ctx, cancel, err := c.Limit(ctx, 0, actionTime)
	if err != nil {
		return verbs.TabCloseOut{}, err
	}
	defer cancel()
	tabs, err := c.reachTabs(ctx)
	if err != nil {
		return verbs.TabCloseOut{}, err
	}
	active, conn := c.Tabs.Active(), c.current()
	if active.TargetID == "" {
		active, _ = c.Successor(tabs, active)
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
	if c.IsCallerGone(ctx) {
		return verbs.TabCloseOut{}, daemon.ContextError(ctx)
	}
	c.Begun = true
	rest, err := c.closeTab(ctx, conn, tab)
	if err != nil {
		return verbs.TabCloseOut{}, err
	}
	if tab.TargetID == active.TargetID {
		err = c.Tabs.Activate(ctx, c.successorOfClosed(rest, tab))
	}
	return verbs.TabCloseOut{TabID: tab.TabID, Label: tab.Label, Closed: true}, err
}

const closedTime = 2 * time.Second

// closeTab closes a tab and returns the remaining tabs. It closes two kinds of tabs through the
// browser process: crashed ones, because Playwright has no page for them, and those that are still
// open after Playwright has closed their page.
func (c *call) closeTab(ctx context.Context, conn *connection, tab verbs.Tab) ([]verbs.Tab, error) {
	if !tab.Crashed {
		p, err := conn.awaitPage(ctx, tab)
		if err != nil {
			return nil, err
		}
		if err := c.watchTabs(readTime, func() error { return p.Close() }); err != nil && !isGone(err) {
			return nil, codeError(err)
		}
		soon, cancel := context.WithTimeout(ctx, closedTime)
		defer cancel()
		rest, err := c.untilClosed(soon, conn, tab.TargetID)
		if !errors.Is(err, wire.CodeTimeout) || ctx.Err() != nil {
			return rest, err
		}
		c.Log.Warn("a page that was closed is still there")
	}
	// Ignore an error that means that the connection was lost, because the tab may have been closed
	// before the loss. untilClosed finds out whether it was closed.
	if err := c.watchTabs(readTime, func() error { return conn.closeTarget(tab.TargetID) }); err != nil && !isGone(err) {
		return nil, codeError(err)
	}
	return c.untilClosed(ctx, conn, tab.TargetID)
}

// successorOfClosed returns the tab that becomes active after the active tab was closed. That is
// the opener of the closed tab or, if the opener is not open, the last of the remaining tabs. The
// parameter rest contains the remaining tabs.
func (c *call) successorOfClosed(rest []verbs.Tab, closed verbs.Tab) verbs.Tab {
	opener := c.Tabs.Opener(closed.TargetID)
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

// untilClosed waits until the broker no longer lists a target, and returns the remaining tabs. The
// parameter conn is the connection over which the closing was requested. If conn is lost,
// untilClosed returns an error, because the target may stay open.
func (c *call) untilClosed(ctx context.Context, conn *connection, target string) ([]verbs.Tab, error) {
	for {
		tabs, err := c.Tabs.List(ctx)
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
		if conn.isLost() {
			return nil, daemon.ConnectionLostError()
		}
		if !daemon.Sleep(ctx, 20*time.Millisecond) {
			return nil, daemon.ContextError(ctx)
		}
	}
}

// clickNewTab opens a link in a new tab, which does not become the active one.
func (c *pageCall) clickNewTab(ctx context.Context, in verbs.ClickIn) (verbs.ClickOut, error) {
	at, err := c.target(ctx, in.Selector)
	if err != nil {
		return verbs.ClickOut{}, err
	}
	if _, err := c.performInDriver(ctx, at, action{name: "click", verb: "await"}); err != nil {
		return verbs.ClickOut{}, err
	}
	to, err := c.linkTarget(ctx, at)
	if err != nil {
		return verbs.ClickOut{}, err
	}
	fresh, tab, err := c.openTab(ctx)
	if err != nil {
		return verbs.ClickOut{}, err
	}
	c.Begun = true
	err = c.on(fresh).navigate(ctx, func(limit *float64) error {
		_, err := fresh.Goto(to, playwright.PageGotoOptions{
			WaitUntil: playwright.WaitUntilStateCommit, Timeout: limit, Referer: playwright.String(c.page.URL()),
		})
		return err
	})
	if err != nil {
		return verbs.ClickOut{}, err
	}
	out := verbs.ClickOut{Clicked: in.Selector, NewTab: true, URL: fresh.URL(), Effects: c.effects(ctx)}
	out.Opened = append([]verbs.OpenedTab{{TabID: tab.TabID, URL: out.URL, TargetID: tab.TargetID}}, out.Opened...)
	return out, nil
}

func (c *call) linkTarget(ctx context.Context, at target) (string, error) {
	limit := daemon.TimeLeft(ctx, readTime)
	answer, err := readFor(c, limit+time.Second, func() (any, error) {
		return script("e => { const a = e.closest('a[href], area[href]'); return a ? a.href : '' }", nil)(at.find, playwright.Float(milliseconds(limit)))
	})
	if err != nil {
		return "", codeError(err)
	}
	to, _ := answer.(string)
	if to == "" {
		return "", wire.Errorf(wire.CodeNotActionable, "%q has no href; --new-tab only works on links", at.sel.given).WithHint("abrowser click %s", wire.ShellWord(at.sel.given))
	}
	return c.address(to)
}

// poolError converts the broker's error that the pool of extra tabs is full to an error with a
// code, which also lists how many extra tabs each agent has. It returns any other error as it is.
// Extra tabs are all tabs of a session but its first; the pool is the limit that the agents of a
// browser share.
func (c *call) poolError(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	at := strings.Index(err.Error(), "POOL_FULL: ")
	if at < 0 {
		return err
	}
	full := wire.Errorf(wire.CodePoolFull, "%s", firstLine(err.Error()[at:])).
		WithHint("abrowser pool request queues for a slot; abrowser pool requests says when one is kept for you")
	state, asked := c.Broker.Pool(ctx, c.Agent())
	if asked != nil {
		c.Log.Warn("asking for the pool", "error", asked)
		return full
	}
	var owners []string
	for _, share := range state.Owners {
		owners = append(owners, fmt.Sprintf("%s: %d", share.AgentID, share.TabCount))
	}
	full.Message += " Owners: " + strings.Join(owners, ", ")
	return full.With("tabPool", state.TabPool).With("ownerBreakdown", state.Owners).With("activeReservations", state.ActiveReservations)
}

// tabsBefore lists the session's tabs before another one is opened, for warnOfEvicted. If the
// session has no extra tab, the broker cannot close one to make room, and tabsBefore returns nil.
func (c *call) tabsBefore(ctx context.Context) ([]verbs.Tab, error) {
	if len(c.Tabs.Known()) <= 1 {
		return nil, nil
	}
	return c.Tabs.List(ctx)
}

// warnOfEvicted is called after a tab was opened. The parameter before lists the tabs that the
// session had until then. If one of them is not open any more, the broker has closed it to make
// room for the new tab, and warnOfEvicted warns of this.
func (c *call) warnOfEvicted(before []verbs.Tab) {
	now := c.Tabs.Known()
	for _, tab := range before {
		if !slices.ContainsFunc(now, func(left verbs.Tab) bool { return left.TargetID == tab.TargetID }) {
			c.Warn("the pool of extra tabs is full: your oldest, %s at %.200s, was closed for the new one", tab.TabID, tab.URL)
		}
	}
}
