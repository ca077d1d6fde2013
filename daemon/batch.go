package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const maxSteps = 1000

// batch runs the commands of a batch one after the other. No other queued command runs between
// two of them. batch checks all commands before it runs the first one.
func (s *Session) batch(ctx context.Context, c *Call, in verbs.BatchIn) (verbs.BatchOut, error) {
	if len(in.Steps) > maxSteps {
		return verbs.BatchOut{}, wire.Errorf(wire.CodeBadInput, "a batch takes %d commands at most, not %d", maxSteps, len(in.Steps))
	}
	known := map[string]Handler{}
	for _, h := range s.handlers() {
		known[h.Verb.Describe().Name] = h
	}
	for i, step := range in.Steps {
		h, ok := known[step.Verb]
		if !ok || h.inBatch == nil {
			return verbs.BatchOut{}, wire.Errorf(wire.CodeBadInput, "command %d of the batch: %q does not run in a batch", i+1, step.Verb).
				WithHint("run it by itself")
		}
		if err := h.Check(body(step)); err != nil {
			e := wire.AsError(err)
			e.Message = fmt.Sprintf("command %d of the batch: %s", i+1, e.Message)
			return verbs.BatchOut{}, e
		}
	}
	out := verbs.BatchOut{Results: []verbs.StepResult{}}
	for i, step := range in.Steps {
		gone := c.IsCallerGone(ctx)
		if gone && i == 0 {
			return out, ContextError(ctx)
		}
		c.Ticket.runDeferred() // the deferred work of the previous command
		result := c.runStep(ctx, known[step.Verb], step)
		if in.OmitCommand {
			result.Command, result.Index = nil, &i
		}
		out.Results = append(out.Results, result)
		if gone || in.Bail && !result.Success {
			break
		}
	}
	if c.IsCallerGone(ctx) && !slices.ContainsFunc(out.Results, func(r verbs.StepResult) bool { return r.Code != wire.CodeInterrupted }) {
		return out, ContextError(ctx)
	}
	return out, nil
}

// runStep runs one command of a batch and returns its result, which has the warnings of this
// command only. If the caller has disconnected, the command is not run and the result is an
// error.
func (c *Call) runStep(ctx context.Context, h Handler, step verbs.Step) verbs.StepResult {
	request := &wire.Call{
		Session: c.request.Session, Agent: c.request.Agent, Settings: c.request.Settings, Deadline: c.request.Deadline, CallerGone: c.request.CallerGone,
	}
	out, err := any(nil), ContextError(ctx)
	if !c.IsCallerGone(ctx) {
		out, err = h.inBatch(ctx, &Call{Session: c.Session, request: request, Ticket: c.Ticket}, body(step))
	}
	reply := wire.NewReply(request, out, err)
	result := verbs.StepResult{Command: step.Command, Success: reply.Error == nil, Result: reply.Data, Warning: strings.Join(reply.Warnings, "\n"), Records: reply.Records}
	if reply.Error != nil {
		result.Result = json.RawMessage("null")
		result.Error, result.Code, result.Hint = &reply.Error.Message, reply.Error.Code, reply.Error.Hint
	}
	return result
}

func body(step verbs.Step) []byte {
	if len(step.In) == 0 {
		return []byte("{}")
	}
	return step.In
}
