package daemon

import (
	"context"
	"errors"
	"time"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const maxTime = 24 * time.Hour

// Call is a command that is served.
type Call struct {
	*Session
	// Ticket is the command's place in the queue. It is nil if the command is served without
	// one: see [QueuedBriefly].
	Ticket *Ticket
	Verb   string
	Tab    string // the tab that the command reads; "" is the active one
	// Begun means that the command has changed something, or may have. If it is interrupted
	// then, its result is unknown.
	Begun bool
	// Undone means that the command has changed nothing, however it fails. If the connection
	// is lost then, the command is run again.
	Undone bool
	// BeforeReply is called when the command is over, unless it is nil.
	BeforeReply func(ctx context.Context)

	request *wire.Call
	reads   bool // any agent may run the command, since it only reads
	// repeatable means that the command changes nothing and does not wait, so that it can be
	// run twice.
	repeatable bool
	// foreign means that the caller is an agent that may only read. What happened to the
	// session is told to its own agent.
	foreign   bool
	closes    string        // the tab that the command names to close it or to switch to it
	until     time.Time     // when the command's time is over; zero if that is not known yet
	asked     bool          // the caller set the command's time
	remaining time.Duration // of the command's time when it is run again; 0 is all of it
}

// Warn adds a warning to the reply.
func (c *Call) Warn(format string, args ...any) { c.request.Warn(format, args...) }

// Agent returns the agent that the caller says it is, "" for the session itself.
func (c *Call) Agent() string { return c.request.Agent }

// IsForeign reports whether the session is another agent's, so that the caller may only read.
func (c *Call) IsForeign() bool { return c.foreign }

// IsCallerGone reports whether ctx is done or the caller has disconnected, so that nothing
// more must be done.
func (c *Call) IsCallerGone(ctx context.Context) bool {
	return ctx.Err() != nil || c.request.IsCallerGone()
}

// MaySet refuses a caller that may not change the session's settings, and otherwise makes
// the session the caller's.
func (c *Call) MaySet(ctx context.Context) error { return c.maySet(ctx, c.request, c.Verb) }

// attempt runs a command. If the connection is lost before the command has done anything, or
// the command does nothing, attempt runs it once more on a new connection.
func attempt[In, Out any](ctx context.Context, c *Call, in In, serve func(context.Context, *Call, In) (Out, error)) (Out, error) {
	if c.Verb != verbs.Batch.Name { // each command of a batch has its own notices; those after the last are the next command's
		defer c.AddNotices()
	}
	defer func() {
		if c.BeforeReply != nil {
			c.BeforeReply(ctx)
		}
	}()
	out, err := serve(ctx, c, in)
	again, err := c.classifyLoss(ctx, err)
	if again || c.awaitRecovery(ctx, err) {
		c.Log.Info("once more", "verb", c.Ticket.verb)
		if c.asked || !c.repeatable { // otherwise the caller set no limit, and the command gets its usual time
			c.remaining = max(time.Until(c.until), time.Millisecond)
		}
		out, err = serve(ctx, c, in)
		_, err = c.classifyLoss(ctx, err)
	}
	if c.Begun && errors.Is(err, wire.CodeInterrupted) {
		err = wire.Errorf(wire.CodeResultUnknown, "%s interrupted: it had begun, and what it did until then stays", c.Verb).WithHint(HintSnapshot)
	}
	if isNotRunning(err) { // the broker is not; the caller would take it for the daemon
		err = wire.Errorf(wire.CodeBrowserGone, "the browser went away: %v", err).WithHint("abrowser browser status")
	}
	return out, err
}

// Limit bounds a command by the milliseconds that its caller asked for, or by usual if these
// are 0. It connects first if necessary: the start of a browser takes the caller's time and
// not the command's.
func (c *Call) Limit(ctx context.Context, asked int, usual time.Duration) (context.Context, context.CancelFunc, error) {
	limit := usual
	c.asked = asked != 0
	if c.asked {
		limit = time.Duration(asked) * time.Millisecond
		if asked < 0 || limit > maxTime || limit < 0 {
			return nil, nil, wire.Errorf(wire.CodeBadInput, "timeout is %d; it takes milliseconds from 1 to %d", asked, maxTime.Milliseconds()).
				WithHint("abrowser help lists the flags of each command")
		}
	}
	if err := c.Connect(ctx); err != nil {
		return nil, nil, err
	}
	if c.remaining > 0 {
		limit = min(limit, c.remaining)
	}
	c.until = time.Now().Add(limit)
	ctx, cancel := context.WithDeadlineCause(ctx, c.until,
		wire.Errorf(wire.CodeTimeout, "not done within %v", limit).WithHint("--timeout takes more milliseconds"))
	return ctx, cancel, nil
}
