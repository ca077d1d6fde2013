package daemon

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const maxSteps = 1000

// batch runs several commands in one turn of the lane. All of them are checked
// before the first is run.
func (t *turn) batch(ctx context.Context, in verbs.BatchIn) (verbs.BatchOut, error) {
	if len(in.Steps) > maxSteps {
		return verbs.BatchOut{}, wire.Errorf(wire.CodeBadInput, "a batch takes %d commands at most, not %d", maxSteps, len(in.Steps))
	}
	known := map[string]served{}
	for _, h := range t.handlers() {
		known[h.Verb.Describe().Name] = h
	}
	for i, step := range in.Steps {
		h, ok := known[step.Verb]
		if !ok || h.inTurn == nil {
			return verbs.BatchOut{}, wire.Errorf(wire.CodeBadInput, "command %d of the batch: %q does not run in a batch", i+1, step.Verb).
				WithHint("run it by itself")
		}
		if err := h.Check(body(step)); err != nil {
			e := wire.AsError(err)
			e.Message = "command " + itoa(i+1) + " of the batch: " + e.Message
			return verbs.BatchOut{}, e
		}
	}
	out := verbs.BatchOut{Results: []verbs.StepResult{}}
	for i, step := range in.Steps {
		left := t.isLeft(ctx)
		if left && i == 0 {
			return out, ended(ctx)
		}
		t.slot.finish() // of the one before
		result := t.stepResult(ctx, known[step.Verb], step)
		if in.OmitCommand {
			result.Command, result.Index = nil, &i
		}
		out.Results = append(out.Results, result)
		if left || in.Bail && !result.Success {
			break
		}
	}
	if t.isLeft(ctx) && !slices.ContainsFunc(out.Results, func(r verbs.StepResult) bool { return r.Code != wire.CodeInterrupted }) {
		return out, ended(ctx)
	}
	return out, nil
}

// stepResult runs one command of a batch, with warnings of its own. If the caller has left,
// the command is not begun.
func (t *turn) stepResult(ctx context.Context, h served, step verbs.Step) verbs.StepResult {
	call := &wire.Call{Session: t.call.Session, Agent: t.call.Agent, Settings: t.call.Settings, Deadline: t.call.Deadline, CallerGone: t.call.CallerGone}
	inner := &turn{Session: t.Session, call: call, slot: t.slot}
	out, err := any(nil), ended(ctx)
	if !t.isLeft(ctx) {
		out, err = h.inTurn(ctx, inner, body(step))
	}
	reply := wire.NewReply(call, out, err)
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
