package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// performBatch sends several commands in one request. All of them are read and
// checked before the first is sent.
func (a *app) performBatch(ctx context.Context, l line) int {
	steps, patience, err := a.steps(ctx, l)
	if err != nil {
		return a.printer.fail(err)
	}
	out := &verbs.BatchOut{Results: []verbs.StepResult{}}
	if len(steps) > 0 {
		delete(l.in, "commands")
		l.in["steps"], l.patience = steps, patience
		answer, err := a.answer(ctx, l)
		if err != nil {
			return a.printer.fail(err)
		}
		out = answer.(*verbs.BatchOut)
	}
	for i := range out.Results {
		if i < len(steps) {
			a.finish(&out.Results[i], steps[i])
		}
	}
	return a.printer.batch(out.Results)
}

// steps reads the batch's commands and says how long they may take together.
func (a *app) steps(ctx context.Context, l line) ([]verbs.Step, time.Duration, error) {
	commands, err := a.commands(ctx, l)
	if err != nil {
		return nil, 0, err
	}
	var steps []verbs.Step
	var patience time.Duration
	for i, words := range commands {
		step, took, err := a.step(ctx, words)
		if err != nil {
			e := wire.AsError(err)
			e.Message = fmt.Sprintf("command %d (%s): %s", i+1, strings.Join(words, " "), e.Message)
			return nil, 0, e
		}
		steps = append(steps, step)
		patience += took
	}
	return steps, min(patience, longestPatience), nil
}

// commands are the words of each command, from the arguments or, where there are
// none, from standard input.
func (a *app) commands(ctx context.Context, l line) ([][]string, error) {
	given, _ := l.in["commands"].([]string)
	if len(given) == 0 {
		return a.readCommands(ctx, l)
	}
	var commands [][]string
	for i, command := range given {
		words, err := split(command)
		if err != nil {
			return nil, fmt.Errorf("command %d (%s): %w", i+1, command, err)
		}
		commands = append(commands, words)
	}
	return commands, nil
}

func (a *app) readCommands(ctx context.Context, l line) ([][]string, error) {
	if a.sys.Input {
		return nil, wire.Errorf(wire.CodeBadInput, "batch needs commands, as arguments or on standard input").
			WithHint("%s", l.verb.Describe().Example)
	}
	if err := a.need(ctx); err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(io.LimitReader(a.sys.Stdin, wire.MaxRequest+1))
	if err != nil {
		return nil, fmt.Errorf("reading the commands: %w", err)
	}
	var commands [][]string
	if err := json.Unmarshal(raw, &commands); err != nil {
		return nil, wire.Errorf(wire.CodeBadInput, "standard input is no JSON array of word arrays: %s", where(raw, err)).
			WithHint(`echo '[["open","https://example.com"],["get","title"]]' | abrowser batch`)
	}
	return commands, nil
}

// step reads one command as the command line itself is read.
func (a *app) step(ctx context.Context, words []string) (verbs.Step, time.Duration, error) {
	l, err := read(a.names, words)
	if err != nil {
		return verbs.Step{}, 0, err
	}
	if err := inBatch(l); err != nil {
		return verbs.Step{}, 0, err
	}
	if err := a.prepare(ctx, &l); err != nil {
		return verbs.Step{}, 0, err
	}
	body, err := l.request()
	return verbs.Step{Command: words, Verb: l.verb.Describe().Name, In: body}, patienceOf(l), err
}

// inBatch refuses what has no place in a batch: commands that its daemon does not
// answer, and flags that are the batch's own. Output flags do no harm.
func inBatch(l line) error {
	for _, f := range globalFields() {
		if _, given := l.global[f.Name]; given && f.Name != "json" && f.Name != "maxOutput" {
			return wire.Errorf(wire.CodeBadInput, "--%s stands before batch, not inside it", f.Flag)
		}
	}
	switch {
	case l.verb == nil:
		return wire.Errorf(wire.CodeBadInput, "this is no command for a batch").WithHint("abrowser help batch")
	case l.verb.Describe().By != wire.ByDaemon, l.verb.Describe().Name == verbs.Batch.Name:
		return wire.Errorf(wire.CodeBadInput, "%s cannot stand in a batch", l.verb.Describe().Name)
	case l.verb.Describe().Name == verbs.Eval.Name && l.on("stdin"):
		return wire.Errorf(wire.CodeBadInput, "eval --stdin cannot stand in a batch").WithHint("abrowser batch \"eval -b BASE64\"")
	}
	return nil
}

// finish does with a step's result what a command of its own would do: writes its
// file and makes its text.
func (a *app) finish(r *verbs.StepResult, step verbs.Step) {
	v, ok := verbs.Find(step.Verb)
	if !ok || !r.Success {
		return
	}
	out, err := decode(v, r.Result)
	if err == nil {
		err = a.writeFile(out)
	}
	if err == nil {
		r.Result, err = plainJSON(out)
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

// batch prints the results: as text each step's own, as JSON the bare array.
func (p *printer) batch(results []verbs.StepResult) int {
	status := wire.ExitDone
	for _, r := range results {
		if !r.Success {
			status = wire.ExitFailed
		}
	}
	p.tellWarnings()
	if p.JSON {
		line, err := plainJSON(results)
		if err != nil {
			return p.fail(err)
		}
		return max(status, p.write(append(line, '\n')))
	}
	for _, r := range results {
		p.tell("warning", r.Warning)
		if r.Error != nil {
			p.tell("error", *r.Error)
			p.tell("hint", r.Hint)
			continue
		}
		if written := p.text(r.Text); written != wire.ExitDone {
			return written
		}
	}
	return status
}
