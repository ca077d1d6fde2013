package commands

import (
	"context"
	"encoding/json"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// steps checks the actions of a batch, before any of them is sent, and adds them to the batch's
// parameters. It returns a call for each action. It sets the time that the batch may wait to the
// sum of the times of its actions, at most maxPatience.
func (x *run) steps(ctx context.Context, actions []Action) ([]call, error) {
	var calls []call
	var steps []verbs.Step
	for _, a := range actions {
		c := newCall(a.Verb, a.Params)
		err := x.prepare(ctx, c)
		var body json.RawMessage
		if err == nil {
			body, err = c.encode()
		}
		if err != nil {
			e := wire.AsError(err)
			e.Message = a.Label + ": " + e.Message
			return nil, e
		}
		x.timeout = min(x.timeout+c.patience(), maxPatience)
		calls = append(calls, c)
		steps = append(steps, verbs.Step{Command: a.Words, Verb: c.spec.Name, In: body})
	}
	if len(steps) > 0 {
		x.params["steps"] = steps
	}
	return calls, nil
}

// finish completes the result of one step of a batch: it writes the file that the result contains,
// and sets the result's text. If the file cannot be written, finish turns the result into an
// error. It does not change a screenshot that stays in the output (see [run.shows]).
func (x *run) finish(ctx context.Context, r *verbs.StepResult, c call) {
	if !r.Success {
		return
	}
	out, err := decode(c.verb, r.Result)
	if x.shows(out, c.text("path")) {
		return
	}
	if err == nil {
		err = savedStates{x}.sealOutput(ctx, out)
	}
	if err == nil {
		err = x.files().Write(out)
	}
	if err == nil {
		r.Result, err = json.Marshal(out)
	}
	if err != nil {
		e := wire.AsError(err)
		*r = verbs.StepResult{Command: r.Command, Index: r.Index, Error: &e.Message, Code: e.Code, Hint: e.Hint, Warning: r.Warning}
		return
	}
	if t, ok := out.(wire.Texter); ok {
		r.Text = t.Text()
	}
}

// shows reports whether out is a screenshot that stays in the output, because the caller shows
// screenshots and gave no path. Any other screenshot is written to a file.
func (x *run) shows(out any, path string) bool {
	_, isPicture := out.(*verbs.ScreenshotOut)
	return isPicture && x.showPictures && path == ""
}
