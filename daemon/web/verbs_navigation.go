package daemon

import (
	"context"
	"errors"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

func (t *turn) open(ctx context.Context, in verbs.OpenIn) (verbs.OpenOut, error) {
	to := ""
	if in.URL != "" {
		var err error
		if to, err = completeURL(in.URL); err != nil {
			return verbs.OpenOut{}, err
		}
	}
	ctx, cancel, err := t.within(ctx, in.Timeout, waitTime)
	if err != nil {
		return verbs.OpenOut{}, err
	}
	defer cancel()
	t.leaves = to != ""
	p, err := t.openable(ctx)
	if err != nil {
		return verbs.OpenOut{}, err
	}
	if err := t.openHAR(in); err != nil {
		return verbs.OpenOut{}, err
	}
	if err := t.openAs(ctx, in); err != nil {
		return verbs.OpenOut{}, err
	}
	if in.OnEnd != "" {
		if err := t.kept.change(func(k *kept) { k.Closes = in.OnEnd == "close" }); err != nil {
			return verbs.OpenOut{}, err
		}
	}
	t.begun = t.begun || in.HAR != "" || len(in.HARs) > 0 || in.OnEnd != ""
	if to != "" {
		if err := t.load(ctx, p, to); err != nil {
			return verbs.OpenOut{}, t.orDownload(ctx, err)
		}
	}
	effects := t.effects(ctx)
	if err := t.outlived(ctx, p); err != nil {
		return verbs.OpenOut{}, err
	}
	active, _ := t.known()
	title := active.Title // as of the load event, which the browser learns of after it
	if active.TargetID != p.target || placeholder(title, active.URL) {
		if title, err = t.title(context.WithoutCancel(ctx), p); err != nil {
			t.log.Warn("reading the title", "error", err)
		}
	}
	if to != "" {
		t.prepare(p)
	}
	return verbs.OpenOut{URL: p.URL(), Title: title, TabID: active.TabID, TargetID: p.target, Effects: effects}, nil
}

// cutTitle is the length at which the browser cuts titles.
const cutTitle = 4096

// placeholder reports whether a title may be cut, or be what the browser shows of a page
// that has none: its URL, as a person reads it.
func placeholder(title, at string) bool {
	u, err := url.Parse(at)
	if title == "" || len(title) >= cutTitle || err != nil || strings.HasPrefix(title, u.Scheme+":") {
		return true
	}
	host, _, _ := strings.Cut(u.Host, ":")
	return host != "" && strings.HasPrefix(title, host) || strings.Contains(host, "xn--")
}

// orDownload says of a navigation that a download took its place, where one did.
func (t *turn) orDownload(ctx context.Context, err error) error {
	if !errors.Is(err, wire.CodeNavigation) {
		return err
	}
	if _, lost := t.listTabs(ctx); lost != nil {
		return err
	}
	if strings.Contains(err.Error(), "Download is starting") { // which may be known before our broker has told of it
		t.awaitBegin(ctx)
	}
	for _, d := range t.tellDownloads(ctx) {
		return wire.Errorf(wire.CodeNavigation, "that is no page but a download, %s", d.SuggestedFilename).WithHint("abrowser wait --download .")
	}
	return err
}

// openable is the session's page, a new one where the last was closed or crashed. A
// crashed one goes: nothing can be done with it any more.
func (t *turn) openable(ctx context.Context) (*page, error) {
	p, err := t.active(ctx)
	switch {
	case errors.Is(err, wire.CodePageClosed):
		return t.newPage(ctx)
	case !errors.Is(err, wire.CodePageCrashed):
		return p, err
	}
	old, l := t.known()
	if p, err = t.newPage(ctx); err != nil {
		return nil, err
	}
	now, _ := t.known()
	t.call.Warn("tab %s had crashed; %s takes its place", old.TabID, now.TabID)
	if err := t.manage(quickTime, func() error { return l.closeTarget(old.TargetID) }); err != nil {
		t.log.Warn("closing a page that crashed", "error", firstLine(briefly(err)))
	}
	return p, nil
}

// load takes a page to a URL and waits for its load event. Where the document is
// there but the event does not come, that is success with a warning; before that
// the navigation is stopped, so that it does not happen later.
func (t *turn) load(ctx context.Context, p *page, to string) error {
	err := t.navigate(ctx, p, func(limit *float64) error {
		_, err := p.Goto(to, playwright.PageGotoOptions{WaitUntil: playwright.WaitUntilStateCommit, Timeout: limit})
		return err
	})
	if err != nil {
		return err
	}
	return t.loaded(ctx, p)
}

// navigate runs a call that ends when the page has committed to another document,
// and stops the loading when ctx ends first.
func (t *turn) navigate(ctx context.Context, p *page, call func(limit *float64) error) error {
	if ctx.Err() != nil {
		return ended(ctx)
	}
	limit, commits := slice(ctx, maxTime), p.commits.Load()
	over := make(chan struct{})
	stopped := make(chan struct{})
	go func() { // ends with the call below
		defer close(stopped)
		select {
		case <-ctx.Done():
			_ = guarded(func() error { _, err := p.cdp.Send("Page.stopLoading", nil); return err })
		case <-over:
		}
	}()
	var err error
	for {
		err = t.watch(limit, func() error { return call(playwright.Float(milliseconds(limit + time.Second))) })
		// While the page's process is replaced Chromium refuses the command: nothing was done.
		if err == nil || !strings.Contains(err.Error(), "Not attached to an active page") || !pause(ctx, 20*time.Millisecond) {
			break
		}
	}
	close(over)
	if !errors.Is(err, wire.CodeWedged) {
		<-stopped
	}
	switch {
	case err == nil:
		t.arrived, t.begun = true, true
		p.acted.Store(false)
		return nil
	case errors.Is(err, wire.CodeWedged):
		return err
	case ctx.Err() != nil:
		what := netError(err)
		t.begun = t.begun || p.commits.Load() != commits || what != "" && what != aborted // with an error page
		if err := ended(ctx); !errors.Is(err, wire.CodeTimeout) {
			return err
		}
		return wire.Errorf(wire.CodeTimeout, "the page did not answer in time; the navigation was stopped").
			WithHint("--timeout takes more milliseconds")
	case p.isCrashed(), strings.Contains(err.Error(), "ERR_ABORTED") && p.crashes():
		return wire.Errorf(wire.CodePageCrashed, "the page crashed while it was loading").WithHint("abrowser open")
	case isGone(err) && !neverSent(err):
		return wire.Errorf(wire.CodeResultUnknown, "the page went away while it was loading").WithHint("abrowser status")
	}
	if what := netError(err); what != "" && what != aborted {
		p.awaitErrorPage(ctx, commits)
	}
	return navigationError(err)
}

const aborted = "net::ERR_ABORTED"

// netError returns Chromium's name of the error that made a navigation fail, or "".
func netError(err error) string {
	return regexp.MustCompile(`net::ERR_[A-Z0-9_]+`).FindString(briefly(err))
}

func navigationError(err error) error {
	text := briefly(err)
	switch what := netError(err); {
	case what == aborted:
		return wire.Errorf(wire.CodeNavigation, "navigation failed: %s: a download, an empty answer or another navigation took its place", what)
	case what != "":
		return wire.Errorf(wire.CodeNavigation, "navigation failed: %s", what)
	case regexp.MustCompile(`(?i)invalid url`).MatchString(text):
		return wire.Errorf(wire.CodeBadInput, "the browser does not take that for a URL")
	case regexp.MustCompile(`interrupted by another navigation|Download is starting`).MatchString(text):
		return wire.Errorf(wire.CodeNavigation, "navigation failed: %s", firstLine(text))
	}
	return coded(err)
}

// loaded waits for the load event of the document that the page has committed to.
func (t *turn) loaded(ctx context.Context, p *page) error {
	err := t.reached(ctx, p, playwright.LoadStateLoad)
	if err == nil {
		return nil
	}
	if !errors.Is(err, wire.CodeTimeout) {
		if errors.Is(err, wire.CodeInterrupted) {
			t.stopLoading(p)
		}
		return err
	}
	short, cancel := context.WithTimeout(context.WithoutCancel(ctx), 50*time.Millisecond)
	defer cancel()
	if t.reached(short, p, playwright.LoadStateDomcontentloaded) == nil {
		t.call.Warn("the page's load event did not come in time; the document is there")
		return nil
	}
	t.stopLoading(p)
	return wire.Errorf(wire.CodeTimeout, "the page began to load but its document did not come in time; loading was stopped").
		WithHint("--timeout takes more milliseconds")
}

func (t *turn) stopLoading(p *page) {
	err := t.watch(time.Second, func() error { _, err := p.cdp.Send("Page.stopLoading", nil); return err })
	p.waited.Store(p.commits.Load() + 1) // it may never be parsed
	if err != nil {
		t.log.Warn("stopping a load", "error", firstLine(briefly(err)))
	}
}

// reached waits in slices until the page is in a state of loading.
func (t *turn) reached(ctx context.Context, p *page, state *playwright.LoadState) error {
	for {
		limit := slice(ctx, sliceTime)
		err := t.peek(limit+grace, func() error {
			return p.WaitForLoadState(playwright.PageWaitForLoadStateOptions{State: state, Timeout: playwright.Float(milliseconds(limit))})
		})
		switch {
		case err == nil:
			return nil
		case p.isCrashed():
			return wire.Errorf(wire.CodePageCrashed, "the page crashed while it was loading").WithHint("abrowser open")
		case !t.engine.alive(): // the driver is not asked here: the client waits for its events
			p.link.lost()
			return goneError()
		case p.isGone():
			return wire.Errorf(wire.CodePageClosed, "the page was closed while it was loading").WithHint("abrowser open")
		case ctx.Err() != nil:
			return ended(ctx)
		case !isTimeout(err):
			return coded(err)
		}
	}
}

func (t *turn) back(ctx context.Context, in verbs.StepIn) (verbs.PageURL, error) {
	return t.step(ctx, in, func(p *page, limit *float64) error {
		_, err := p.GoBack(playwright.PageGoBackOptions{WaitUntil: playwright.WaitUntilStateCommit, Timeout: limit})
		return err
	})
}

func (t *turn) forward(ctx context.Context, in verbs.StepIn) (verbs.PageURL, error) {
	return t.step(ctx, in, func(p *page, limit *float64) error {
		_, err := p.GoForward(playwright.PageGoForwardOptions{WaitUntil: playwright.WaitUntilStateCommit, Timeout: limit})
		return err
	})
}

func (t *turn) reload(ctx context.Context, in verbs.StepIn) (verbs.PageURL, error) {
	return t.step(ctx, in, func(p *page, limit *float64) error {
		_, err := p.Reload(playwright.PageReloadOptions{WaitUntil: playwright.WaitUntilStateCommit, Timeout: limit})
		return err
	})
}

func (t *turn) step(ctx context.Context, in verbs.StepIn, call func(*page, *float64) error) (verbs.PageURL, error) {
	ctx, cancel, err := t.within(ctx, in.Timeout, waitTime)
	if err != nil {
		return verbs.PageURL{}, err
	}
	defer cancel()
	p, err := t.active(ctx)
	if err != nil {
		return verbs.PageURL{}, err
	}
	if err := t.navigate(ctx, p, func(limit *float64) error { return call(p, limit) }); err != nil {
		return verbs.PageURL{}, err
	}
	if err := t.loaded(ctx, p); err != nil {
		return verbs.PageURL{}, err
	}
	effects := t.effects(ctx)
	t.prepare(p)
	return verbs.PageURL{URL: p.URL(), Effects: effects}, nil
}
