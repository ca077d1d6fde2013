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
// command. If the browser died and was restarted before the connection was made, Connect adds a
// warning to the reply. It does so once for each connection, and only if the caller may act in the
// session. The reply to a caller that may only read never has the warning.
func (c *Call) Connect(ctx context.Context) error {
	if err := c.passOnIdle(ctx); err != nil {
		return err
	}
	conn, err := c.connect(ctx)
	if err == nil {
		err = c.mayAct(ctx, conn)
	}
	// If the pages have the settings of another agent, mayAct has closed the connection and
	// returned [ConnectionLostError]. The command then needs a new connection.
	if errors.Is(err, wire.CodeBrowserGone) && conn != nil && conn.isLost() && ctx.Err() == nil {
		if conn, err = c.connect(ctx); err == nil {
			err = c.mayAct(ctx, conn)
		}
	}
	if err == nil && !c.foreign && !c.request.Aside {
		if reopened := c.takeNews(ctx, conn); len(reopened) > 0 {
			c.Warn("the browser died and was started again, and what its pages held is gone; %s", reopenedText(reopened))
		}
	}
	return err
}

// takeNews returns the tabs that were opened again after a crash of the browser, as the broker
// reported them when the connection was made. The first call for a connection returns the tabs and
// acknowledges them to the broker. Later calls return nothing.
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

// passOnIdle sends the request's BrowserIdle setting to the broker, if it differs from the one that
// this daemon got last. If there is no connection, the broker gets the setting when the next
// connection is made.
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

// reopenedText returns a text that names the tabs that were opened again, with their URLs.
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

// classifyLoss finds out what was lost when a command failed. It returns an error that names the
// loss. It also returns whether the command may be run again:
//
//   - The driver ended. The pages are still there, so a command that changed nothing may be run
//     again.
//   - The browser was replaced or was stopped. The command may not be run again.
//   - The page was closed. The command may not be run again.
//   - Only the connection was lost. The command may be run again if it only reads, or if it had
//     not done anything yet.
//
// If the broker is being restarted, classifyLoss waits for the new one.
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
	// The browser was stopped or does not return. The command is not run in another browser,
	// which would not have the same pages.
	case failed != nil:
		return false, err
	case restarted != nil:
		return false, restarted
	case !gone && !closed:
		return false, err
	}
	pageClosed := conn.IsPageClosed(active.TargetID)
	switch {
	case closed && !c.Tabs.Lists(ctx, active.TargetID):
		return false, closedAtError(err, active)
	case pageClosed && !c.Tabs.Lists(ctx, active.TargetID):
		return false, TabClosedError(active, false)
	// The broker still lists the page, so only the connection to the page was lost.
	case closed && (conn.isLost() || pageClosed):
		conn.Drop()
		return c.repeatable && ctx.Err() == nil, wire.Errorf(wire.CodeResultUnknown, "the connection to the page was lost while the command ran").WithHint(HintSnapshot)
	}
	return gone && conn.isLost() && ctx.Err() == nil, err
}

// awaitRecovery reports whether a failed command may be run again. Two conditions must hold: the
// command has changed nothing, and it failed because the broker or the driver was being replaced
// while the command waited for a response. Before awaitRecovery returns true, it waits until the
// replacement is complete. If that takes longer than recoveryTime, awaitRecovery returns false.
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

// restarted checks whether the browser was replaced after the connection was made. If it was, the
// first returned error lists the tabs that were opened again, and the news about them is
// acknowledged to the broker. If the broker does not respond, the second returned error says why.
// The parameter unknown means that the command may have been done.
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

// CheckOutlived is called when a command has loaded a page, before the reply describes the page.
// It returns an error if the browser that loaded the page was replaced or stopped, because the
// page may not exist any more. If the connection was not lost, it returns nil at once.
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

// restartedError returns the error of a command during which the browser died. The parameter
// unknown means that the command may have been done.
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
		return err.WithHint("abrowser open %s", wire.ShellWord(active.URL))
	}
	return err.WithHint(HintSnapshot)
}

// watchConnection makes a new connection as soon as the old one is lost. It does not wait for a
// command, because the broker suspends the tabs of a session that has had no connection for a few
// seconds. watchConnection does not start a browser that was stopped.
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

// Reconnect makes a new connection to the session's pages if the present one, the driver or the
// broker is lost. The daemon and its backend call Reconnect when they notice the loss, even if no
// command needs the pages. Reconnect waits in the queue for its turn, as a command does.
func (s *Session) Reconnect(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	ctx, ticket, err := s.queue.enter(ctx, connecting, true)
	if err != nil {
		return err
	}
	defer ticket.release()
	s.mu.Lock()
	s.caller = nil
	s.mu.Unlock()
	if s.settings.SessionMode() == wire.ModeIncognito {
		// The broker forgets an incognito session that was ended. This check must come before
		// connect, which makes another browser context for an unknown session.
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
