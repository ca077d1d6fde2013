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

// Connect connects to the session's pages, if necessary, and checks that the caller may run
// the command. The reply to the first command on a connection says whether the browser has
// taken the place of one that died.
func (c *Call) Connect(ctx context.Context) error {
	if err := c.passOnIdle(ctx); err != nil {
		return err
	}
	conn, err := c.connect(ctx)
	if err == nil {
		err = c.mayAct(ctx, conn)
	}
	if errors.Is(err, wire.CodeBrowserGone) && conn != nil && conn.isLost() && ctx.Err() == nil { // its settings were another agent's
		if conn, err = c.connect(ctx); err == nil {
			err = c.mayAct(ctx, conn)
		}
	}
	if err == nil && !c.foreign {
		if reopened := c.takeNews(ctx, conn); len(reopened) > 0 {
			c.Warn("the browser died and was started again, and what its pages held is gone; %s", reopenedText(reopened))
		}
	}
	return err
}

// takeNews returns the tabs that were opened again before the connection was made, once, and
// acknowledges the news.
func (c *Call) takeNews(ctx context.Context, conn *connection) []verbs.Reopened {
	conn.mu.Lock()
	news := conn.news
	told := conn.told || len(news.Reopened) == 0
	conn.told = true
	conn.mu.Unlock()
	if told {
		return nil
	}
	c.acknowledge(ctx, news)
	return news.Reopened
}

// passOnIdle tells the broker for how long the browser is to stay, if the caller asks for
// another time than the callers before. If the browser does not run, the next connection
// does that.
func (c *Call) passOnIdle(ctx context.Context) error {
	want := c.request.Settings.BrowserIdle
	c.mu.Lock()
	same := want == "" || want == c.browserIdle
	if !same {
		c.browserIdle = want
	}
	c.mu.Unlock()
	if same || c.live() == nil {
		return nil
	}
	_, err := c.Broker.news(ctx, verbs.NoticesIn{IdleTimeout: want})
	return err
}

const acknowledgeTime = time.Second

func (c *Call) acknowledge(ctx context.Context, news verbs.NoticesOut) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), acknowledgeTime)
	defer cancel()
	if _, err := c.Broker.news(ctx, verbs.NoticesIn{Seen: news.At}); err != nil {
		c.Log.Warn("acknowledging the news", "error", err) // they are told twice
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

// classifyLoss finds out what was lost when a command fails: the driver, which loses no page;
// a page that was closed; the browser, in whose place another was started; or only the
// connection. It returns the error that says so, and whether the command may be run again.
// It may if only the connection was lost before the command did anything; a command that only
// reads may, on the same page, unless the page was closed. classifyLoss waits until the broker
// responds.
func (c *Call) classifyLoss(ctx context.Context, err error) (again bool, _ error) {
	gone, closed := errors.Is(err, wire.CodeBrowserGone), errors.Is(err, wire.CodePageClosed)
	if !gone && !closed && !errors.Is(err, wire.CodeResultUnknown) && !errors.Is(err, wire.CodePageCrashed) {
		return false, err
	}
	active, conn := c.Tabs.Active(), c.current()
	switch {
	case (gone || closed) && !c.backend.IsAlive():
		return (c.repeatable || c.Undone) && ctx.Err() == nil, wire.Errorf(wire.CodeResultUnknown,
			"%s not confirmed: Playwright's driver ended while it ran, and the page is still there; it may or may not have been done", c.Ticket.verb).
			WithHint(HintSnapshot)
	case conn == nil || ctx.Err() != nil:
		return false, err
	}
	restarted, failed := c.restarted(ctx, conn, errors.Is(err, wire.CodeResultUnknown))
	switch {
	case failed != nil: // the browser was stopped, or does not come back: another one would not be the same
		return false, err
	case restarted != nil:
		return false, restarted
	case !gone && !closed:
		return false, err
	}
	pageClosed := conn.IsPageClosed(active.TargetID)
	switch {
	case pageClosed && !c.Tabs.Lists(ctx, active.TargetID):
		if closed {
			return false, err
		}
		return false, TabClosedError(active, false)
	case closed && (conn.isLost() || pageClosed): // the broker still lists the page, so only the connection to it was lost
		conn.Drop()
		return c.repeatable && ctx.Err() == nil, wire.Errorf(wire.CodeResultUnknown, "the connection to the page was lost while the command ran").WithHint(HintSnapshot)
	}
	return gone && conn.isLost() && ctx.Err() == nil, err
}

// awaitRecovery finds out whether the time of a failed command ended while the broker or the
// driver was being replaced. If so, and if the command has changed nothing, awaitRecovery
// waits for the replacement and reports that the command may be run again: the page is not
// at fault.
func (c *Call) awaitRecovery(ctx context.Context, err error) (again bool) {
	wedged := errors.Is(err, wire.CodeWedged)
	timeOver := errors.Is(err, wire.CodeTimeout) || !c.until.IsZero() && time.Now().After(c.until)
	if err == nil || c.Ticket == nil || !(c.repeatable && (wedged || timeOver) || c.Undone && wedged) || !c.isRecovering() {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, recoveryTime)
	defer cancel()
	for conn := c.current(); (conn == nil || !conn.isLost()) && c.isRecovering(); {
		if !Sleep(ctx, retryTime) {
			return false
		}
	}
	return true
}

// restarted returns the error of a command whose browser has been replaced since its
// connection was made, or nil if the browser is the same. The error tells the news, which are
// told once.
func (c *Call) restarted(ctx context.Context, conn *connection, unknown bool) (restarted, failed error) {
	news, err := c.Broker.news(ctx, verbs.NoticesIn{})
	if err != nil || conn.news.Browser == "" || news.Browser == conn.news.Browser {
		return nil, err
	}
	active := c.Tabs.Active()
	conn.Drop()
	c.acknowledge(ctx, news)
	return c.restartedError(active, news, unknown), nil
}

// CheckOutlived returns an error if the connection was lost on which a command has loaded a
// page: what its reply would say of the page may not be so any more.
func (c *Call) CheckOutlived(ctx context.Context) error {
	conn := c.current()
	if conn == nil || !conn.isLost() {
		return nil
	}
	restarted, err := c.restarted(ctx, conn, true)
	if err != nil {
		return wire.Errorf(wire.CodeResultUnknown, "the browser went away when the page was there").WithHint("abrowser status")
	}
	return restarted
}

// restartedError returns the error of a command during which the browser died.
func (c *Call) restartedError(active verbs.Tab, news verbs.NoticesOut, unknown bool) error {
	outcome := "it was not done"
	if unknown {
		outcome = "it may or may not have been done"
	}
	where := "the session has no page any more"
	if len(news.Reopened) > 0 {
		where = reopenedText(news.Reopened)
	}
	verb := "the command"
	if c.Ticket != nil {
		verb = fmt.Sprintf("%q", c.Ticket.verb)
	}
	err := wire.Errorf(wire.CodeBrowserRestart, "the browser died while %s ran, and was started again; %s; %s", verb, outcome, where).
		With("mayBeDone", unknown)
	if active.URL != "" && len(news.Reopened) == 0 {
		return err.WithHint("abrowser open %s", active.URL)
	}
	return err.WithHint(HintSnapshot)
}

// watchConnection connects again when the connection was lost, before the next command needs
// it: the broker takes a session without a connection for one that has ended. A browser that
// was stopped is not started again.
func (s *Session) watchConnection(ctx context.Context) {
	for {
		var c *connection
		select {
		case c = <-s.connections:
		case <-ctx.Done():
			return
		}
		select {
		case <-c.Lost():
		case <-ctx.Done():
			return
		}
		s.CheckSocket()
		if !s.backend.IsAlive() || !s.Broker.awaitReturn(ctx) { // Backend.Watch handles the first
			continue
		}
		if err := s.Reconnect(ctx); err != nil && !errors.Is(err, wire.CodeInterrupted) && !isNotRunning(err) {
			s.Log.Warn("the connection was lost", "error", err)
		}
	}
}

// connecting is the queue's name for [Session.Reconnect], which is no verb.
const connecting = "connect"

const connectTime = 20 * time.Second

// Reconnect connects to the session's pages without a command.
func (s *Session) Reconnect(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	ctx, ticket, err := s.queue.enter(ctx, connecting)
	if err != nil {
		return err
	}
	defer ticket.release()
	s.mu.Lock()
	s.caller = nil
	s.mu.Unlock()
	if s.settings.SessionMode() == wire.ModeIncognito {
		// Before the browser context is made again: the broker knows nothing of a session
		// that was ended and has none.
		if out, err := s.Broker.claim(ctx, nil); err == nil && out.Unknown {
			s.expire()
			return wire.Errorf(wire.CodeInterrupted, "the session was ended")
		}
	}
	_, err = s.connect(ctx)
	return err
}

// IsConnected reports whether there is a connection that was not lost.
func (s *Session) IsConnected() bool { return s.live() != nil }
