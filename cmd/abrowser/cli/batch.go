package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/abrowser/abrowser/cmd/abrowser/args"
	"github.com/abrowser/abrowser/cmd/abrowser/commands"
	"github.com/abrowser/abrowser/cmd/abrowser/config"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// runBatch runs the command batch: it parses several commands and sends them in one request.
func (c *command) runBatch(ctx context.Context) int {
	actions, err := c.actions(ctx)
	if err != nil {
		return c.printer.fail(err)
	}
	results := []verbs.StepResult{}
	if len(actions) > 0 {
		params := maps.Clone(c.line.Params)
		delete(params, "commands")
		result, err := c.do(ctx, commands.Command{Verb: verbs.Batch, Params: params, Actions: actions})
		if err != nil {
			return c.printer.fail(err)
		}
		results = result.Output.(*verbs.BatchOut).Results
	}
	return c.printer.batch(results, actions)
}

// actions parses the commands of the batch.
func (c *command) actions(ctx context.Context) ([]commands.Action, error) {
	all, err := c.batchCommands(ctx)
	if err != nil {
		return nil, err
	}
	var actions []commands.Action
	for i, words := range all {
		label := fmt.Sprintf("command %d (%s)", i+1, strings.Join(words, " "))
		l, err := args.Parse(words)
		if err == nil {
			err = checkBatchable(l)
		}
		if err != nil {
			e := wire.AsError(err)
			e.Message = label + ": " + e.Message
			return nil, e
		}
		actions = append(actions, commands.Action{Label: label, Words: words, Verb: l.Verb, Params: l.Params})
	}
	return actions, nil
}

// batchCommands returns the words of each command. It reads them from the arguments, or from
// standard input if the batch has no arguments.
func (c *command) batchCommands(ctx context.Context) ([][]string, error) {
	given, _ := c.line.Params["commands"].([]string)
	if len(given) == 0 {
		return c.readCommands(ctx)
	}
	var all [][]string
	for i, text := range given {
		words, err := args.Split(text)
		if err != nil {
			return nil, fmt.Errorf("command %d (%s): %w", i+1, text, err)
		}
		all = append(all, words)
	}
	return all, nil
}

func (c *command) readCommands(ctx context.Context) ([][]string, error) {
	if c.sys.Input {
		return nil, wire.Errorf(wire.CodeBadInput, "batch needs commands, as arguments or on standard input").
			WithHint("%s", verbs.Batch.Example)
	}
	raw, err := c.readInput(ctx, "the commands")
	if err != nil {
		return nil, err
	}
	var all [][]string
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, wire.Errorf(wire.CodeBadInput, "standard input is not a JSON array of word arrays: %s", config.JSONError(raw, err)).
			WithHint(`echo '[["open","https://example.com"],["get","title"]]' | abrowser batch`)
	}
	return all, nil
}

// checkBatchable returns an error if a command cannot be part of a batch. A batch can contain the
// commands that a session's daemon answers, except batch itself and eval --stdin. Global flags must
// stand before the word batch. In a command of the batch, --json and --max-output are ignored, and
// any other global flag is an error.
func checkBatchable(l args.Line) error {
	for _, f := range config.Fields() {
		if _, given := l.Global[f.Name]; given && f.Name != "json" && f.Name != "maxOutput" && f.Name != "contentBoundaries" {
			return wire.Errorf(wire.CodeBadInput, "--%s belongs before batch, not inside it", f.Flag)
		}
	}
	if l.Verb == nil {
		return wire.Errorf(wire.CodeBadInput, "not a command for a batch").WithHint("abrowser help batch")
	}
	spec := l.Verb.Describe()
	stdin, _ := l.Params["stdin"].(bool)
	switch {
	case spec.By != wire.ByDaemon, spec.Name == verbs.Batch.Name:
		return wire.Errorf(wire.CodeBadInput, "%s cannot be part of a batch", spec.Name)
	case spec.Name == verbs.Eval.Name && stdin:
		return wire.Errorf(wire.CodeBadInput, "eval --stdin cannot be part of a batch").WithHint("abrowser batch \"eval -b BASE64\"")
	}
	return nil
}

// batch prints the results of a batch and returns the exit status. It prints the text or the error
// of each result. With --json, it prints one JSON array of all results instead, without an
// [envelope].
func (p *printer) batch(results []verbs.StepResult, actions []commands.Action) int {
	status := wire.ExitDone
	for _, r := range results {
		if !r.Success {
			status = wire.ExitFailed
		}
	}
	p.printWarnings()
	if p.JSON {
		line, err := plainJSON(results)
		if err != nil {
			return p.fail(err)
		}
		return max(status, p.write(append(line, '\n')))
	}
	for i, r := range results {
		p.boundary = nil
		if p.ContentBoundaries && actions[i].Verb.Describe().PageText {
			p.boundary = boundaryOf(r.Result)
		}
		p.diagnose("warning", r.Warning)
		if r.Error != nil {
			p.diagnose("error", *r.Error)
			p.diagnose("hint", r.Hint)
			continue
		}
		if written := p.text(r.Text); written != wire.ExitDone {
			return written
		}
	}
	return status
}
