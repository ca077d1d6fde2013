package web

import (
	"context"
	"encoding/json"
	"maps"
	"time"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/daemon/web/direct"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	actionTime = 10 * time.Second // for actions, unless the caller asks for another time
	// stillTime is how long after the page's last change an action waits for its element, unless
	// the command sets a timeout.
	stillTime = 3 * time.Second
	waitTime  = 25 * time.Second // for wait, open and eval
	readTime  = 5 * time.Second  // for reads, which a working page answers at once
	clearTime = 30 * time.Second // for commands that may handle thousands of cookies, or megabytes of data
	maxTime   = 24 * time.Hour
	sliceTime = 250 * time.Millisecond
)

// call is a command that uses a page.
type call struct {
	*daemon.Call
	*pages
	page          *page  // the page that the command acts on or reads; nil until it is found
	aheadOfEvents bool   // the page has responded directly; Playwright's events may come later
	settled       bool   // it is known whether the page navigates: see page.mayNavigate
	replacesLoad  bool   // the command navigates, and replaces what the page is loading
	acceptsListed bool   // the broker's entry for the tab is enough for the reply
	askedDirectly bool   // the last message to the page was sent over the direct connection
	choosers      int    // how many file choosers had opened before the command
	typed         bool   // keyboard input was sent, and the page may navigate because of it
	frame         string // the prefix of all selectors in the session's frame; see enterFrame
	waitsInFull   bool   // an action waits until its timeout, even on a page that does not change: see stillTime
}

// pageCall is a command and the page that it acts on or reads.
type pageCall struct {
	*call
	page *page
}

func (c *call) on(p *page) *pageCall { return &pageCall{c, p} }

// queued returns the handler of a verb whose commands wait in the queue for their turn.
func queued[In, Out any](p *pages, v wire.Verb[In, Out], serve func(*call, context.Context, In) (Out, error)) daemon.Handler {
	return daemon.Queued(p.session, v, bind(p, func(c *call, ctx context.Context, in In) (Out, error) {
		defer recorderCall{c}.traceCommand(ctx, v.Name, in)()
		return serve(c, ctx, in)
	}))
}

// queuedBriefly returns the handler of a verb whose commands wait in the queue only briefly: see
// [daemon.QueuedBriefly]. If the turn of such a command does not come in that time, the command
// runs without a ticket, at the same time as another command. So the verb must only read, and must
// not wait for a busy page.
func queuedBriefly[In, Out any](p *pages, v wire.Verb[In, Out], serve func(*call, context.Context, In) (Out, error)) daemon.Handler {
	return daemon.QueuedBriefly(p.session, v, bind(p, serve))
}

// by returns a function that serves a command by a method of a type that embeds the call.
func by[T, In, Out any](embed func(*call) T, serve func(T, context.Context, In) (Out, error)) func(*call, context.Context, In) (Out, error) {
	return func(c *call, ctx context.Context, in In) (Out, error) { return serve(embed(c), ctx, in) }
}

func bind[In, Out any](p *pages, serve func(*call, context.Context, In) (Out, error)) func(context.Context, *daemon.Call, In) (Out, error) {
	return func(ctx context.Context, c *daemon.Call, in In) (Out, error) {
		made := &call{Call: c, pages: p, choosers: p.prompts.Opened()}
		c.BeforeReply = made.warnOfLateEffects
		return serve(made, ctx, in)
	}
}

// onPage returns the handler of a verb that acts on the session's page or reads it. The handler
// finds the page, waits for its document (see currentPage), and calls serve(). The parameter usual
// is the command's time limit if the caller sets none. check() validates the input; it may be nil.
// If check() or parseSelector refuses the input, the handler starts no browser.
func onPage[In, Out any](p *pages, v wire.Verb[In, Out], usual time.Duration, check func(In) error, serve func(*pageCall, context.Context, In) (Out, error)) daemon.Handler {
	return queued(p, v, func(c *call, ctx context.Context, in In) (Out, error) {
		var none Out
		if of, ok := any(in).(verbs.ElementNamer); ok {
			if _, err := parseSelector(of.ElementName()); err != nil {
				return none, err
			}
		}
		if check != nil {
			if err := check(in); err != nil {
				return none, err
			}
		}
		var timed verbs.Timed = verbs.TimeoutIn{}
		if t, ok := any(in).(verbs.Timed); ok {
			timed = t
		}
		ctx, cancel, err := c.limit(ctx, timed, usual)
		if err != nil {
			return none, err
		}
		defer cancel()
		at, err := c.currentPage(ctx)
		if err != nil {
			return none, err
		}
		if err := c.on(at).enterFrame(ctx); err != nil {
			return none, err
		}
		return serve(c.on(at), ctx, in)
	})
}

// withDriver returns the handler of a verb that asks the driver about the session's pages, and does
// not ask the pages themselves. The handler opens no page.
func withDriver[In, Out any](p *pages, v wire.Verb[In, Out], serve func(context.Context, *direct.Driver, In) (Out, error)) daemon.Handler {
	return queuedBriefly(p, v, func(c *call, ctx context.Context, in In) (Out, error) {
		var none Out
		ctx, cancel, err := c.limit(ctx, verbs.TimeoutIn{}, readTime)
		if err != nil {
			return none, err
		}
		defer cancel()
		at, err := c.anyPage(ctx)
		if err != nil {
			return none, err
		}
		c.awaitEvents()
		return serve(ctx, &direct.Driver{Call: c.Call, Ask: func(method string, params map[string]any, out any) error {
			if at == nil {
				return nil
			}
			return at.askDriver(ctx, method, params, out)
		}}, in)
	})
}

// anyPage returns a page of the session through which the driver can be called. That is the active
// page if it can be used, and otherwise any open page. anyPage returns nil if the session has no
// page.
func (c *call) anyPage(ctx context.Context) (*page, error) {
	p, err := c.findPage(ctx)
	if err == nil {
		return p, nil
	}
	conn := c.current()
	if conn == nil || conn.isLost() || ctx.Err() != nil {
		return nil, err
	}
	if p := conn.openPage(); p != nil {
		return p, nil
	}
	return nil, err
}

// openPage returns one of the open pages, or nil if there is none.
func (conn *connection) openPage() *page {
	conn.mu.Lock()
	defer conn.mu.Unlock()
	for _, p := range conn.pages {
		if !p.isClosed() {
			return p
		}
	}
	return nil
}

// askDriver calls a method of launcher/driver, and decodes the response into out.
func (p *page) askDriver(ctx context.Context, method string, params map[string]any, out any) error {
	ask := maps.Clone(params)
	ask["target"] = p.target
	given, err := askAside(ctx, p.conn, func() (any, error) { return p.cdp.Send(method, ask) })
	if err != nil {
		return codeError(err)
	}
	raw, err := json.Marshal(given)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, out)
}

// limit returns a context that ends when the command's time is over: see [daemon.Call.Limit].
func (c *call) limit(ctx context.Context, in verbs.Timed, usual time.Duration) (context.Context, context.CancelFunc, error) {
	c.waitsInFull = in.WaitsInFull()
	return c.Limit(ctx, in.Milliseconds(), usual)
}

// connected connects if necessary, and returns the connection.
func (c *call) connected(ctx context.Context) (*connection, error) {
	err := c.Connect(ctx)
	return c.current(), err
}

// watch makes a call to the page, which cannot be cancelled. If the call is overdue, the next
// command waits until the call has returned: see [daemon.Ticket.Watch].
func (c *call) watch(limit time.Duration, call func() error) error {
	c.askedDirectly = false
	err := c.Ticket.Watch(limit, c.crashed(), call)
	c.noteDriverLoss(err)
	return err
}

// watchTabs makes a call in the same way as watch. The call concerns tabs and not the command's
// page, so a crash of that page does not end the wait for the call.
func (c *call) watchTabs(limit time.Duration, call func() error) error {
	c.askedDirectly = false
	err := c.Ticket.Watch(limit, nil, call)
	c.noteDriverLoss(err)
	return err
}

// peek makes a call to the page that changes nothing there. If the call takes longer than limit,
// peek returns an error, and the next command does not wait for the call: see [daemon.Ticket.Peek].
func (c *call) peek(limit time.Duration, call func() error) error {
	c.askedDirectly = false
	err := c.Ticket.Peek(limit, c.crashed(), call)
	c.noteDriverLoss(err)
	return err
}

// crashed returns a channel that is closed when the command's page crashes. The channel is nil
// until the page is found.
func (c *call) crashed() <-chan struct{} {
	if c.page == nil {
		return nil
	}
	return c.page.crash
}

// readFor makes a call that reads from the page, and returns its result. If the call takes longer
// than limit, and the page does not respond or is too slow, readFor returns an error, and the result
// is discarded: see [daemon.Ticket.Read].
func readFor[T any](c *call, limit time.Duration, question func() (T, error)) (T, error) {
	c.askedDirectly = false
	answers := make(chan T, 1)
	err := c.Ticket.Read(limit, c.crashed(), func() error {
		answer, err := question()
		answers <- answer
		return err
	})
	c.noteDriverLoss(err)
	var none T
	if err != nil {
		return none, err
	}
	return <-answers, nil
}

// noteDriverLoss marks the connection as lost if err means that the driver is gone.
func (c *call) noteDriverLoss(err error) {
	if conn := c.current(); conn != nil && isDriverGone(err) {
		conn.Drop()
	}
}

// askAside makes a call that changes nothing, in a goroutine of its own, and returns its result. If
// ctx ends or the connection is lost first, askAside returns an error, and the result is discarded.
func askAside[T any](ctx context.Context, conn *connection, question func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	got := make(chan answer, 1)
	conn.spawn(func() {
		value, err := question()
		got <- answer{value, err}
	})
	var none T
	select {
	case a := <-got:
		return a.value, a.err
	case <-conn.lost:
		return none, daemon.ConnectionLostError()
	case <-ctx.Done():
		return none, daemon.ContextError(ctx)
	}
}
