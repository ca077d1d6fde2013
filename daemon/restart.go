package daemon

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// linked is [Session.linked] for a command. The first one on a connection to a
// browser that took another one's place says so in its reply.
func (t *turn) linked(ctx context.Context) (*link, error) {
	if err := t.tellIdle(ctx); err != nil {
		return nil, err
	}
	l, err := t.Session.linked(ctx)
	if err == nil {
		err = t.mayAct(ctx, l)
	}
	if errors.Is(err, wire.CodeBrowserGone) && l != nil && l.isGone() && ctx.Err() == nil { // it was another agent's
		if l, err = t.Session.linked(ctx); err == nil {
			err = t.mayAct(ctx, l)
		}
	}
	if err == nil && !t.foreign {
		if news := t.take(ctx, l); len(news) > 0 {
			t.call.Warn("the browser died and was started again, and what its pages held is gone; %s", reopenedText(news))
		}
	}
	return l, err
}

// take takes the news of a connection, once, and lets the broker forget them.
func (t *turn) take(ctx context.Context, l *link) []verbs.Reopened {
	l.mu.Lock()
	news := l.news
	told := l.told || len(news.Reopened) == 0
	l.told = true
	l.mu.Unlock()
	if told {
		return nil
	}
	t.heard(ctx, news)
	return news.Reopened
}

// tellIdle passes on how long the browser is to stay, where the caller asks for
// something else than callers before: now, where it runs, and whenever another one
// is connected to.
func (t *turn) tellIdle(ctx context.Context) error {
	want := t.call.Settings.BrowserIdle
	t.mu.Lock()
	same := want == "" || want == t.browserIdle
	if !same {
		t.browserIdle = want
	}
	l := t.link
	t.mu.Unlock()
	if same || l == nil || l.isGone() {
		return nil
	}
	_, err := t.broker.news(ctx, verbs.NoticesIn{IdleTimeout: want})
	return err
}

const heardTime = time.Second

func (t *turn) heard(ctx context.Context, news verbs.NoticesOut) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), heardTime)
	defer cancel()
	if _, err := t.broker.news(ctx, verbs.NoticesIn{Seen: news.At}); err != nil {
		t.log.Warn("telling that the news were told", "error", err) // they are told twice
	}
}

// reopenedText says which tabs were opened again, and where.
func reopenedText(tabs []verbs.Reopened) string {
	const most = 5
	var all []string
	for i, tab := range tabs {
		if i == most {
			all = append(all, fmt.Sprintf("and %d more", len(tabs)-most))
			break
		}
		text := fmt.Sprintf("%s was opened again at %.200s", tab.TabID, tab.URL)
		if tab.Empty {
			text = fmt.Sprintf("%s, which was at %.200s, was opened again empty", tab.TabID, tab.URL)
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

// lostTime is how long after its pages' end a connection's own end may come.
const lostTime = 100 * time.Millisecond

// explain tells what went away in the middle of a command: the driver, with which
// no page is lost; a page that was closed; the browser, which is another one now;
// or only the connection to it. In the last case, and where nothing has been done,
// the command can be done again; one that only reads, on the same page, in any case
// but a page's end. It waits until the broker answers.
func (t *turn) explain(ctx context.Context, err error) (again bool, _ error) {
	gone, closed := errors.Is(err, wire.CodeBrowserGone), errors.Is(err, wire.CodePageClosed)
	active, l := t.known()
	switch {
	case !gone && !closed && !errors.Is(err, wire.CodeResultUnknown) && !errors.Is(err, wire.CodePageCrashed):
		return false, err
	case (gone || closed) && !t.engine.alive():
		return (t.reads || t.undone) && ctx.Err() == nil, wire.Errorf(wire.CodeResultUnknown,
			"%s not confirmed: Playwright's driver ended while it ran, and the page is still there; it may or may not have been done", t.slot.verb).
			WithHint(hintSnapshot)
	case l == nil || ctx.Err() != nil:
		return false, err
	}
	restarted, asked := t.restarted(ctx, l, errors.Is(err, wire.CodeResultUnknown))
	switch {
	case asked != nil: // it was stopped, or does not come back: another browser is not the same
		return false, err
	case restarted != nil:
		return false, restarted
	}
	p := l.page(active.TargetID)
	switch {
	case !gone && !closed:
		return false, err
	case p != nil && p.closed() && !t.lists(ctx, active.TargetID):
		if closed {
			return false, err
		}
		return false, closedError(active, false)
	case closed && (l.isGone() || p != nil && p.closed()): // it is only our view of the page that ended
		l.lost()
		return t.reads && ctx.Err() == nil, wire.Errorf(wire.CodeResultUnknown, "the connection to the page was lost while the command ran").WithHint("abrowser snapshot")
	}
	return gone && l.isGone() && ctx.Err() == nil, err
}

// restarted is the error of a command whose browser is another one by now than that of
// its connection, nil where it is the same. It tells the news, which are told once.
func (t *turn) restarted(ctx context.Context, l *link, unknown bool) (restarted, failed error) {
	news, err := t.broker.news(ctx, verbs.NoticesIn{})
	if err != nil || l.news.Browser == "" || news.Browser == l.news.Browser {
		return nil, err
	}
	active, _ := t.known()
	l.lost()
	t.heard(ctx, news)
	return t.restartedError(active, news, unknown), nil
}

// outlived is the error of a command that has loaded a page in a browser that is no
// more: what it would say of the page is not so.
func (t *turn) outlived(ctx context.Context, p *page) error {
	if !p.link.isGone() {
		return nil
	}
	restarted, err := t.restarted(ctx, p.link, true)
	if err != nil { // nobody knows
		return wire.Errorf(wire.CodeResultUnknown, "the browser went away when the page was there").WithHint("abrowser status")
	}
	return restarted
}

// lists reports whether the broker still lists a target as the session's. Where it
// does not say, it may.
func (t *turn) lists(ctx context.Context, target string) bool {
	tabs, err := t.listTabs(ctx)
	for _, tab := range tabs {
		if tab.TargetID == target {
			return true
		}
	}
	return err != nil
}

// restartedError is for a command under which the browser died.
func (t *turn) restartedError(active verbs.Tab, news verbs.NoticesOut, unknown bool) error {
	outcome := "it was not done"
	if unknown {
		outcome = "it may or may not have been done"
	}
	where := "the session has no page any more"
	if len(news.Reopened) > 0 {
		where = reopenedText(news.Reopened)
	}
	verb := "the command"
	if t.slot != nil {
		verb = fmt.Sprintf("%q", t.slot.verb)
	}
	err := wire.Errorf(wire.CodeBrowserRestart, "the browser died while %s ran, and was started again; %s; %s", verb, outcome, where).
		With("mayBeDone", unknown)
	if active.URL != "" && len(news.Reopened) == 0 {
		return err.WithHint("abrowser open %s", active.URL)
	}
	return err.WithHint("abrowser snapshot")
}

// watchLink has the session's pages adopted again when the connection to them was
// lost, before the next command asks for them: a session without a connection
// passes for one that has ended. Where the browser was stopped, nobody wants it now.
func (s *Session) watchLink(ctx context.Context) {
	for {
		var l *link
		select {
		case l = <-s.links:
		case <-ctx.Done():
			return
		}
		select {
		case <-l.gone:
		case <-ctx.Done():
			return
		}
		if !s.engine.alive() || !s.broker.returns(ctx) { // see watchDriver for the first
			continue
		}
		if err := s.connectAgain(ctx); err != nil && !errors.Is(err, wire.CodeInterrupted) && !errors.Is(err, wire.CodeNotRunning) {
			s.log.Warn("the connection was lost", "error", err)
		}
	}
}
