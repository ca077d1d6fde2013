package web

import (
	"context"
	"errors"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/daemon/web/address"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// address completes a URL, and returns an error if the session may not open it.
func (c *call) address(given string) (string, error) {
	to, err := address.Complete(given)
	if err == nil {
		err = c.CheckAddress(to)
	}
	return to, err
}

func (c *call) open(ctx context.Context, in verbs.OpenIn) (verbs.OpenOut, error) {
	to := ""
	if in.URL != "" {
		var err error
		if to, err = c.address(in.URL); err != nil {
			return verbs.OpenOut{}, err
		}
	}
	ctx, cancel, err := c.Limit(ctx, in.Timeout, waitTime)
	if err != nil {
		return verbs.OpenOut{}, err
	}
	defer cancel()
	c.replacesLoad = to != ""
	p, err := c.openable(ctx)
	if err != nil {
		return verbs.OpenOut{}, err
	}
	if err := (recorderCall{c}).openHAR(in); err != nil {
		return verbs.OpenOut{}, err
	}
	if err := (settingsCall{c}).openEmulated(ctx, in); err != nil {
		return verbs.OpenOut{}, err
	}
	if err := (settingsCall{c}).openCredentials(ctx, to); err != nil {
		return verbs.OpenOut{}, err
	}
	if in.OnEnd != "" {
		if err := c.State.Change(func(s *daemon.State) { s.ClosesTabs = in.OnEnd == "close" }); err != nil {
			return verbs.OpenOut{}, err
		}
	}
	c.Begun = c.Begun || in.HAR != "" || len(in.HARs) > 0 || in.OnEnd != ""
	if to != "" {
		if err := c.leaveFrame(); err != nil {
			return verbs.OpenOut{}, err
		}
		if err := c.on(p).load(ctx, to); err != nil {
			return verbs.OpenOut{}, c.orDownload(ctx, err)
		}
	}
	effects := c.effects(ctx)
	if err := c.CheckOutlived(ctx); err != nil {
		return verbs.OpenOut{}, err
	}
	active := c.Tabs.Active()
	// This title was listed after the load event, and the browser gets the title before that event.
	title := active.Title
	if active.TargetID != p.target || len(title) >= cutTitle || isPlaceholder(title, active.URL) {
		if title, err = c.on(p).title(context.WithoutCancel(ctx)); err != nil {
			title = "" // the title is not known, and the listed title may be the URL
			c.Log.Warn("reading the title", "error", err)
		}
	}
	if to != "" {
		c.on(p).prepareUtilityWorld()
	}
	return verbs.OpenOut{URL: p.URL(), Title: title, TabID: active.TabID, TargetID: p.target, Effects: effects}, nil
}

// cutTitle is the length at which the browser cuts titles.
const cutTitle = 4096

// isPlaceholder reports whether the page may have no title, although the browser lists one. This is
// so if the listed title is empty or may be the URL of the page, which is at.
func isPlaceholder(title, at string) bool {
	u, err := url.Parse(at)
	if title == "" || err != nil || strings.HasPrefix(title, u.Scheme+":") {
		return true
	}
	host, _, _ := strings.Cut(u.Host, ":")
	return host != "" && strings.HasPrefix(title, host) || strings.Contains(host, "xn--")
}

// orDownload returns the error of a navigation or, if a download has started instead, an error
// that says so.
func (c *call) orDownload(ctx context.Context, err error) error {
	if !errors.Is(err, wire.CodeNavigation) {
		return err
	}
	if _, lost := c.Tabs.List(ctx); lost != nil {
		return err
	}
	// Playwright may report the download before the broker lists it.
	if strings.Contains(err.Error(), "Download is starting") {
		c.downloads.AwaitStart(ctx)
	}
	for _, d := range c.downloads.TakeNew(ctx) {
		return wire.Errorf(wire.CodeNavigation, "the URL is a download, %s, and not a page", d.SuggestedFilename).WithHint("abrowser wait --download .")
	}
	return err
}

// openable returns the session's active page. In these cases it opens a new page and returns that
// one:
//
//   - The session has no page yet.
//   - The active page has crashed. openable closes it, since it cannot be used any more.
//   - The active page was closed, and the tab that opened it is not open.
func (c *call) openable(ctx context.Context) (*page, error) {
	p, err := c.activePage(ctx)
	switch {
	case errors.Is(err, wire.CodePageClosed):
		return c.newPage(ctx)
	case !errors.Is(err, wire.CodePageCrashed):
		return p, err
	}
	old, conn := c.Tabs.Active(), c.current()
	if p, err = c.newPage(ctx); err != nil {
		return nil, err
	}
	now := c.Tabs.Active()
	c.Warn("tab %s had crashed; %s takes its place", old.TabID, now.TabID)
	if err := c.watchTabs(readTime, func() error { return conn.closeTarget(old.TargetID) }); err != nil {
		c.Log.Warn("closing a page that crashed", "error", firstLine(errorText(err)))
	}
	return p, nil
}

// load navigates to a URL and waits for the load event. If the document is there but the event
// does not come in time, load warns and succeeds. If the document is not there in time, load stops
// the navigation, so that it does not happen later.
func (c *pageCall) load(ctx context.Context, to string) error {
	for range maxRedirects {
		commits := c.page.commits.Load()
		err := c.navigate(ctx, func(limit *float64) error {
			_, err := c.page.Goto(to, playwright.PageGotoOptions{WaitUntil: playwright.WaitUntilStateCommit, Timeout: limit})
			return err
		})
		if err == nil {
			return c.awaitLoad(ctx)
		}
		if !isReplaced(err) || ctx.Err() != nil {
			return err
		}
		// Playwright returns an error if a navigation that the page itself began is committed
		// first. The command's navigation began later than that one, so it is still pending or was
		// replaced.
		c.settle(daemon.TimeLeft(ctx, maxTime))
		if c.page.commits.Load() == commits {
			return err // no document has come: the URL is a download, or the response is empty
		}
		if c.page.URL() == to {
			c.settled, c.Begun = true, true
			return c.awaitLoad(ctx)
		}
	}
	return wire.Errorf(wire.CodeNavigation, "navigation failed: the page went to other documents by itself, %d times in a row", maxRedirects).
		WithHint("abrowser close --page gives the session a fresh page")
}

// isReplaced reports whether a navigation failed with an error that can mean that another
// navigation has replaced it.
func isReplaced(err error) bool {
	text := errorText(err)
	return strings.Contains(text, "interrupted by another navigation") || strings.Contains(text, errAborted)
}

// navigate makes a call that returns when the page has committed to another document. If ctx ends
// first, navigate stops the loading.
func (c *pageCall) navigate(ctx context.Context, call func(limit *float64) error) error {
	if ctx.Err() != nil {
		return daemon.ContextError(ctx)
	}
	limit, commits := daemon.TimeLeft(ctx, maxTime), c.page.commits.Load()
	over := make(chan struct{})
	stopped := make(chan struct{})
	go func() { // ends with the call below
		defer close(stopped)
		select {
		case <-ctx.Done():
			_ = daemon.Recover(func() error { _, err := c.page.cdp.Send("Page.stopLoading", nil); return err })
		case <-over:
		}
	}()
	var err error
	for {
		err = c.watch(limit, func() error { return call(playwright.Float(milliseconds(limit + time.Second))) })
		// Chromium refuses the command while the page's process is being replaced. A refused
		// command has done nothing, so it is sent again.
		if err == nil || !strings.Contains(err.Error(), "Not attached to an active page") || !daemon.Sleep(ctx, 20*time.Millisecond) {
			break
		}
	}
	close(over)
	if !errors.Is(err, wire.CodeWedged) {
		<-stopped
	}
	switch {
	case err == nil:
		c.settled, c.Begun = true, true
		c.page.mayNavigate.Store(false)
		return nil
	case errors.Is(err, wire.CodeWedged):
		return err
	case ctx.Err() != nil:
		what := netError(err)
		// With an error other than errAborted, the page shows an error page.
		c.Begun = c.Begun || c.page.commits.Load() != commits || what != "" && what != errAborted
		if err := daemon.ContextError(ctx); !errors.Is(err, wire.CodeTimeout) {
			return err
		}
		return wire.Errorf(wire.CodeTimeout, "the page did not answer in time; the navigation was stopped").
			WithHint("--timeout takes more milliseconds")
	case c.page.isCrashed(), strings.Contains(err.Error(), "ERR_ABORTED") && c.page.waitForCrash():
		return wire.Errorf(wire.CodePageCrashed, "the page crashed while it was loading").WithHint("abrowser open")
	case isGone(err) && !isNotSent(err):
		return wire.Errorf(wire.CodeResultUnknown, "the page went away while it was loading").WithHint("abrowser status")
	}
	if what := netError(err); what != "" && what != errAborted {
		c.page.awaitErrorPage(ctx, commits)
	}
	if netError(err) == "net::ERR_TUNNEL_CONNECTION_FAILED" && c.IsFiltered() {
		return wire.Errorf(wire.CodeNavigation, "the page has redirected to a host that cannot be reached or is not among the allowed domains").WithHint("abrowser get url")
	}
	return navigationError(err)
}

// hintAddress is a hint for a URL that leads nowhere.
const hintAddress = "check the URL, then abrowser open URL"

const errAborted = "net::ERR_ABORTED"

// netError returns Chromium's name of the error that made a navigation fail, or "".
func netError(err error) string {
	return regexp.MustCompile(`net::ERR_[A-Z0-9_]+`).FindString(errorText(err))
}

func navigationError(err error) error {
	text := errorText(err)
	switch what := netError(err); {
	case what == errAborted:
		return wire.Errorf(wire.CodeNavigation, "navigation failed: %s: a download, an empty response or another navigation replaced it", what).
			WithHint("abrowser get url; a download is fetched with abrowser wait --download FILE")
	case what != "":
		return wire.Errorf(wire.CodeNavigation, "navigation failed: %s", what).WithHint(hintAddress)
	case regexp.MustCompile(`(?i)invalid url`).MatchString(text):
		return wire.Errorf(wire.CodeBadInput, "invalid URL").WithHint(hintAddress)
	case regexp.MustCompile(`interrupted by another navigation|Download is starting`).MatchString(text):
		return wire.Errorf(wire.CodeNavigation, "navigation failed: %s", firstLine(text)).WithHint("abrowser get url")
	}
	return codeError(err)
}

// awaitLoad waits for the load event of the document that the page has committed to. If the event
// does not come in time, but the document is parsed, awaitLoad warns and returns nil. If the
// document is not parsed either, awaitLoad stops the loading and returns an error.
func (c *pageCall) awaitLoad(ctx context.Context) error {
	err := c.awaitLoadState(ctx, playwright.LoadStateLoad)
	if err == nil {
		return nil
	}
	if !errors.Is(err, wire.CodeTimeout) {
		if errors.Is(err, wire.CodeInterrupted) {
			c.stopLoading()
		}
		return err
	}
	short, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if parsed, _ := c.hasReached(short, playwright.LoadStateDomcontentloaded, 0); parsed {
		c.Warn("the page's load event did not come in time; the document is there")
		return nil
	}
	c.stopLoading()
	return wire.Errorf(wire.CodeTimeout, "the page began to load but its document did not come in time; loading was stopped").
		WithHint("--timeout takes more milliseconds")
}

func (c *pageCall) stopLoading() {
	err := c.watch(time.Second, func() error { _, err := c.page.cdp.Send("Page.stopLoading", nil); return err })
	c.page.parsed.Store(c.page.commits.Load() + 1) // the document may never be parsed completely
	if err != nil {
		c.Log.Warn("stopping a load", "error", firstLine(errorText(err)))
	}
}

// awaitLoadState waits until the page's document has reached a load state.
func (c *pageCall) awaitLoadState(ctx context.Context, state *playwright.LoadState) error {
	for {
		if reached, err := c.hasReached(ctx, state, daemon.TimeLeft(ctx, maxTime)); reached || err != nil {
			return err
		}
	}
}

// hasReached waits up to limit until the page's document has reached a load state, and reports whether
// it has. It returns an error if ctx ends before the driver responds. It asks the driver, and does not
// use playwright-go's WaitForLoadState. If that call times out at the moment at which the event comes,
// the library sends on a closed channel, which ends the daemon.
func (c *pageCall) hasReached(ctx context.Context, state *playwright.LoadState, limit time.Duration) (bool, error) {
	ask := map[string]any{"target": c.page.target, "state": string(*state), "limit": milliseconds(limit)}
	given, err := askAside(ctx, c.page.conn, func() (any, error) { return c.page.cdp.Send("Abrowser.loaded", ask) })
	c.noteDriverLoss(err)
	answer, _ := given.(map[string]any)
	loaded, open := answer["loaded"].(bool)
	switch {
	case loaded:
		return true, nil
	case c.page.isCrashed():
		return false, wire.Errorf(wire.CodePageCrashed, "the page crashed while it was loading").WithHint("abrowser open")
	case c.page.conn.isLost():
		return false, daemon.ConnectionLostError()
	case c.page.isClosed(), err == nil && !open:
		return false, wire.Errorf(wire.CodePageClosed, "the page was closed while it was loading").WithHint("abrowser open")
	case ctx.Err() != nil:
		return false, daemon.ContextError(ctx)
	case err != nil:
		return false, codeError(err)
	}
	return false, nil
}

func (c *call) back(ctx context.Context, in verbs.StepIn) (verbs.PageURL, error) {
	return c.navigateHistory(ctx, in, func(p *page, limit *float64) error {
		_, err := p.GoBack(playwright.PageGoBackOptions{WaitUntil: playwright.WaitUntilStateCommit, Timeout: limit})
		return err
	})
}

func (c *call) forward(ctx context.Context, in verbs.StepIn) (verbs.PageURL, error) {
	return c.navigateHistory(ctx, in, func(p *page, limit *float64) error {
		_, err := p.GoForward(playwright.PageGoForwardOptions{WaitUntil: playwright.WaitUntilStateCommit, Timeout: limit})
		return err
	})
}

func (c *call) reload(ctx context.Context, in verbs.StepIn) (verbs.PageURL, error) {
	return c.navigateHistory(ctx, in, func(p *page, limit *float64) error {
		_, err := p.Reload(playwright.PageReloadOptions{WaitUntil: playwright.WaitUntilStateCommit, Timeout: limit})
		return err
	})
}

func (c *call) navigateHistory(ctx context.Context, in verbs.StepIn, call func(*page, *float64) error) (verbs.PageURL, error) {
	ctx, cancel, err := c.Limit(ctx, in.Timeout, waitTime)
	if err != nil {
		return verbs.PageURL{}, err
	}
	defer cancel()
	p, err := c.activePage(ctx)
	if err != nil {
		return verbs.PageURL{}, err
	}
	if err := c.on(p).navigate(ctx, func(limit *float64) error { return call(p, limit) }); err != nil {
		return verbs.PageURL{}, err
	}
	if err := c.on(p).awaitLoad(ctx); err != nil {
		return verbs.PageURL{}, err
	}
	// After an earlier navigation, the browser may show its error page late. Playwright then takes
	// the error page for the requested document.
	if strings.HasPrefix(p.URL(), "chrome-error:") {
		return verbs.PageURL{}, wire.Errorf(wire.CodeNavigation, "navigation failed: the browser shows its error page").WithHint("abrowser reload")
	}
	effects := c.effects(ctx)
	c.on(p).prepareUtilityWorld()
	return verbs.PageURL{URL: p.URL(), Effects: effects}, nil
}
