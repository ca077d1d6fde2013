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

// Connect connects to the session's pages, if necessary, and checks that the caller may run the
// command. The reply to the first command on a connection has a warning if the browser died and
// was restarted before.
func (c *Call) Connect(ctx context.Context) error {
	if err := c.passOnIdle(ctx); err != nil {
		return err
	}
	conn, err := c.connect(ctx)
	if err == nil {
		err = c.mayAct(ctx, conn)
	}
	// mayAct has closed the connection, which had the settings of another agent.
	if errors.Is(err, wire.CodeBrowserGone) && conn != nil && conn.isLost() && ctx.Err() == nil {
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

// takeNews returns, once for each connection, the tabs that were opened again before the
// connection was made. It acknowledges the news to the broker.
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

// passOnIdle sends the caller's BrowserIdle setting to the broker, if it differs from the last
// one. If there is no connection, the setting is sent when the next one is made.
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
		c.Log.Warn("acknowledging the news", "error", err) // the broker will report the news again
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

// classifyLoss finds out what was lost when a command failed: the driver, which loses no page;
// a page that was closed; the browser, which was replaced; or only the connection. It returns
// the error that says so, and whether the command may be run again. A command may be run again
// if only the connection was lost, before the command did anything. A command that only reads
// may be run again on the same page, unless the page was closed. classifyLoss waits until the
// broker responds.
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
	// The browser was stopped or does not return. Another browser would not have the same
	// pages.
	case failed != nil:
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
	// The broker still lists the page, so only the connection to the page was lost.
	case closed && (conn.isLost() || pageClosed):
		conn.Drop()
		return c.repeatable && ctx.Err() == nil, wire.Errorf(wire.CodeResultUnknown, "the connection to the page was lost while the command ran").WithHint(HintSnapshot)
	}
	return gone && conn.isLost() && ctx.Err() == nil, err
}

// awaitRecovery reports whether a failed command may be run again because its time ended while
// the broker or the driver was being replaced, and not because of the page. The command must
// have changed nothing. awaitRecovery first waits up to recoveryTime for the replacement.
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

// restarted returns an error if the browser was replaced after the connection was made, and nil
// if it is the same. The error reports the news, which restarted acknowledges. If the broker
// does not respond, failed says why.
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

// CheckOutlived returns an error if the connection was lost after a command had loaded a page,
// and the browser was replaced or does not respond. The reply would describe a page that may
// not exist any more.
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

// watchConnection connects again when the connection was lost, without waiting for a command:
// the broker counts a session without a connection as ended. It does not start a browser that
// was stopped.
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
		// If the driver has ended, Backend.Watch reconnects.
		if !s.backend.IsAlive() || !s.Broker.awaitReturn(ctx) {
			continue
		}
		if err := s.Reconnect(ctx); err != nil && !errors.Is(err, wire.CodeInterrupted) && !isNotRunning(err) {
			s.Log.Warn("the connection was lost", "error", err)
		}
	}
}

// connecting is the name under which [Session.Reconnect] waits in the queue. It is not a verb.
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
		// This check comes before the browser context is made again: the broker does not know
		// an incognito session that was ended.
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
