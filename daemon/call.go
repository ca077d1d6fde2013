package daemon

import (
	"context"
	"errors"
	"time"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const maxTime = 24 * time.Hour

// Call is one command while the daemon serves it.
type Call struct {
	*Session
	// Ticket is the command's place in the queue. It is nil if the command is served without
	// one: see [QueuedBriefly].
	Ticket *Ticket
	Verb   string
	Tab    string // the tab that the command reads; "" is the active one
	// Begun is set when the command may have changed something. The result of a command that is
	// interrupted after that is unknown.
	Begun bool
	// Undone is set while the command has certainly changed nothing. If the connection or the
	// driver is lost while Undone is set, the command may be run again.
	Undone bool
	// BeforeReply is called when the command has ended, before the reply is sent. It may be
	// nil.
	BeforeReply func(ctx context.Context)

	request *wire.Call
	reads   bool // any agent may run the command, since it only reads
	// repeatable means that the command changes nothing, so that it can be run twice. It is not
	// set for the verb wait, although wait changes nothing: see bindCaller.
	repeatable bool
	// foreign means that another agent owns the session, so that the caller may only read. The
	// reply has no notices, which are for the owner.
	foreign   bool
	closes    string        // the tab that the command is to close or activate; may be ""
	until     time.Time     // the command's deadline; zero before [Call.Limit]
	asked     bool          // the caller set a time limit
	remaining time.Duration // how long a second run may take; 0: as long as the first
}

// Warn adds a warning to the reply.
func (c *Call) Warn(format string, args ...any) { c.request.Warn(format, args...) }

// Agent returns the agent that the request names, or "" for the agent with the session's name.
func (c *Call) Agent() string { return c.request.Agent }

// IsForeign reports whether another agent owns the session, so that the caller may only read.
func (c *Call) IsForeign() bool { return c.foreign }

// IsCallerGone reports whether ctx is done or the caller has disconnected. If it is true, the
// command must do nothing more.
func (c *Call) IsCallerGone(ctx context.Context) bool {
	return ctx.Err() != nil || c.request.IsCallerGone()
}

// MaySet returns an error if the caller may not change the session's settings. If no agent owns the
// session, MaySet records the caller as the agent that makes the settings from now on. It drops
// settings that do not apply to the caller (see [State.appliesTo]).
func (c *Call) MaySet(ctx context.Context) error { return c.maySet(ctx, c.request, c.Verb) }

// attempt runs a command. If the command fails without having changed anything, attempt runs it
// once more in two cases: the connection was lost, or the command's time ended while the broker
// or the driver was being replaced.
func attempt[In, Out any](ctx context.Context, c *Call, in In, serve func(context.Context, *Call, In) (Out, error)) (Out, error) {
	// Each command of a batch reports its own notices. Notices that come after the last command
	// of the batch are reported by the next request.
	if c.Verb != verbs.Batch.Name {
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
		// If the command is repeatable and the caller set no limit, the second run gets the whole
		// usual time again. In all other cases it gets only the time that is left.
		if c.asked || !c.repeatable {
			c.remaining = max(time.Until(c.until), time.Millisecond)
		}
		out, err = serve(ctx, c, in)
		_, err = c.classifyLoss(ctx, err)
	}
	if c.Begun && errors.Is(err, wire.CodeInterrupted) {
		err = wire.Errorf(wire.CodeResultUnknown, "%s interrupted: it had begun, and what it did until then stays", c.Verb).WithHint(HintSnapshot)
	}
	// In the daemon, CodeNotRunning means that no broker runs. A caller that got this code would
	// conclude that no daemon runs.
	if isNotRunning(err) {
		err = wire.Errorf(wire.CodeBrowserGone, "the browser went away: %v", err).WithHint("abrowser browser status")
	}
	return out, err
}

// Limit returns a context that ends when the command's time is over. The parameter asked is the
// time that the caller asked for, in milliseconds. If it is 0, the command gets the verb's default
// time, which is the parameter usual. Limit connects first, so that the start of a browser does
// not use up the command's time.
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
