package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Handler serves a verb.
type Handler struct {
	wire.Handler
	// inBatch serves the verb as a command of a batch, under the ticket of the batch. If
	// inBatch is nil, a batch cannot contain the verb.
	inBatch func(ctx context.Context, c *Call, body []byte) (any, error)
}

// Queued returns the handler of a verb that uses a page. The verb waits in the queue for its
// turn.
func Queued[In, Out any](s *Session, v wire.Verb[In, Out], serve func(context.Context, *Call, In) (Out, error)) Handler {
	return Handler{
		Handler: wire.Bind(v, func(ctx context.Context, request *wire.Call, in In) (Out, error) {
			var none Out
			if !v.ReadOnly {
				if err := s.awaitPerson(ctx, in); err != nil {
					return none, err
				}
			}
			entered, ticket, err := s.queue.enter(ctx, v.Name, isAside(in))
			if err != nil {
				return none, s.checkHealth(ctx, err)
			}
			out, err := run(ctx, entered, s, v, request, ticket, in, serve)
			return out, s.checkHealth(ctx, err)
		}),
		inBatch: func(ctx context.Context, c *Call, body []byte) (any, error) {
			in, err := wire.DecodeIn[In](bytes.NewReader(body))
			if err != nil {
				return nil, err
			}
			c.bindCaller(v.Spec, in)
			return attempt(ctx, c, in, serve)
		},
	}
}

// run serves a verb whose turn has come. If the caller disconnected while the verb waited, run only
// returns an error. The parameter ctx is the context of the request, and entered is the context
// with which the verb is served.
func run[In, Out any](ctx, entered context.Context, s *Session, v wire.Verb[In, Out], request *wire.Call, ticket *Ticket, in In,
	serve func(context.Context, *Call, In) (Out, error),
) (Out, error) {
	defer ticket.releaseAfterDeferred(&s.deferred)
	if request.IsCallerGone() {
		var none Out
		return none, ContextError(ctx)
	}
	ticket.isRecovering = s.isRecovering
	ticket.pageAnswers = func() bool { return s.diagnose(ctx) == nil }
	c := &Call{Session: s, request: request, Ticket: ticket}
	c.bindCaller(v.Spec, in)
	defer c.endIfRefused()
	return attempt(entered, c, in, serve)
}

// briefTime is how long a verb of [QueuedBriefly] first waits in the queue.
const briefTime = time.Second

// QueuedBriefly returns the handler of a verb that the daemon can serve from its own data. An
// example is get url, because the daemon has the URL of the active tab even while the page is busy.
// The verb waits in the queue for up to briefTime. If its turn has not come by then, the daemon
// serves the verb from its own data, without a ticket. In some cases, for example if the daemon
// does not know which tab is active, the verb instead enters the queue again, after all commands
// that already wait. It then waits for its turn as long as a verb of [Queued] does.
func QueuedBriefly[In, Out any](s *Session, v wire.Verb[In, Out], serve func(context.Context, *Call, In) (Out, error)) Handler {
	h := Queued(s, v, serve)
	wait := h.Serve
	h.Handler = wire.Bind(v, func(ctx context.Context, request *wire.Call, in In) (Out, error) {
		var none Out
		short, cancel := context.WithTimeout(ctx, briefTime)
		defer cancel()
		_, ticket, err := s.queue.enter(short, v.Name, isAside(in))
		if err == nil {
			return run(ctx, ctx, s, v, request, ticket, in, serve)
		}
		if short.Err() == nil || ctx.Err() != nil {
			return none, err
		}
		ahead := s.queue.state().verb
		tabbed, ok := any(in).(verbs.TabNamer)
		// The verb enters the queue again in each of these cases:
		//   - No command runs any more, so that the verb's turn comes soon.
		//   - A connection is being made, perhaps to another browser with other pages.
		//   - No active tab is known.
		//   - The input names a tab. The daemon's data is about the active tab only.
		if ahead == "" || ahead == connecting || s.Tabs.Active().TargetID == "" || ok && tabbed.TabName() != "" {
			body, err := json.Marshal(in)
			if err != nil {
				return none, err
			}
			out, err := wait(ctx, request, body)
			if err != nil {
				return none, err
			}
			return out.(Out), nil
		}
		request.Warn("%q is still running", ahead)
		return serve(ctx, &Call{Session: s, request: request, Verb: v.Name, reads: true}, in)
	})
	return h
}

// Unqueued returns the handler of a verb that never waits for a page.
func Unqueued[In, Out any](v wire.Verb[In, Out], serve func(context.Context, *wire.Call, In) (Out, error)) Handler {
	h := wire.Bind(v, serve)
	return Handler{Handler: h, inBatch: func(ctx context.Context, c *Call, body []byte) (any, error) { return h.Serve(ctx, c.request, body) }}
}

// handlers returns the handlers of all verbs that the daemon serves.
func (s *Session) handlers() []Handler {
	batch := Queued(s, verbs.Batch, s.batch)
	batch.inBatch = nil
	end := Unqueued(verbs.Close, s.close)
	end.inBatch = s.closeInBatch
	all := append(s.backend.Handlers(), Unqueued(verbs.TabList, s.tabList), batch, end, Unqueued(verbs.Status, s.status),
		Unqueued(verbs.Confirm, s.confirm), Unqueued(verbs.Deny, s.deny), Unqueued(verbs.TakeOver, s.takeOver), Unqueued(verbs.HandBack, s.handBack))
	for i := range all {
		all[i] = s.obeyPolicy(s.keepAwake(s.requireOwner(all[i])))
	}
	return all
}

func (s *Session) closeInBatch(ctx context.Context, c *Call, body []byte) (any, error) {
	in, err := wire.DecodeIn[verbs.CloseIn](bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if err := s.mayClose(ctx, c.request); err != nil {
		return nil, err
	}
	return s.closeExcept(ctx, c.Ticket, c.request, in)
}
