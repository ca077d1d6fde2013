package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/args"
	"github.com/abrowser/abrowser/cmd/abrowser/commands"
	"github.com/abrowser/abrowser/cmd/abrowser/config"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Run runs one command line and returns the exit status.
func Run(argv []string, sys System, p commands.Program) int {
	c := &command{sys: sys, program: p, printer: printer{out: sys.Stdout, err: sys.Stderr, width: sys.Width}}
	return c.execute(argv)
}

// execute parses a command line, runs the command and returns the exit status.
func (c *command) execute(argv []string) int {
	var parsed error
	c.line, parsed = args.Parse(argv)
	c.inherit()
	dir, _ := c.sys.Dir() // fails if the directory was removed; most commands work without it
	resolved, err := config.Resolve(c.line.Global, c.sys.Lookup, dir)
	c.printer.Output, c.printer.warnings = resolved.Output, resolved.Warnings
	if parsed != nil {
		err = parsed
		c.printer.JSON = c.printer.JSON || asksJSON(argv)
	}
	switch {
	case parsed == nil && (c.line.Verb == nil || c.line.On("help") || c.line.On("version")):
		return c.meta() // also if a configuration file is broken
	case err != nil:
		return c.printer.fail(err)
	}
	identity, err := resolved.Identify()
	c.printer.session = identity.Session // set even if err is not nil, unless the session's name is invalid
	if err != nil {
		return c.printer.fail(err)
	}
	c.runner = commands.New(resolved, identity, c.program)
	if c.repl != nil {
		c.runner.Use(&c.repl.connections)
	}
	if c.line.Verb.Describe().Name == verbs.REPL.Name {
		return c.runREPL() // each of its commands listens for signals
	}
	listens := time.Duration(0)
	if c.line.Verb.Describe().ReadOnly && c.repl == nil {
		listens = quick
	}
	ctx, stop := c.sys.Interrupted(context.Background(), listens)
	defer stop()
	return c.run(ctx)
}

// Fail prints an error in the format of a failed command and returns the exit status.
func Fail(sys System, err error) int {
	return (&printer{out: sys.Stdout, err: sys.Stderr}).fail(err)
}

// asksJSON reports whether a command line that could not be parsed contains --json.
func asksJSON(argv []string) bool {
	if end := slices.Index(argv, "--"); end >= 0 {
		argv = argv[:end]
	}
	return slices.Contains(argv, "--json") || slices.Contains(argv, "--json=true")
}

// command is one run of the command line.
type command struct {
	sys     System
	program commands.Program
	printer printer
	line    args.Line
	runner  *commands.Runner // nil for help, version and completion
	repl    *repl            // the command repl that this command is a line of, or nil
}

// run runs the verb and prints its answer.
func (c *command) run(ctx context.Context) int {
	if c.line.Verb.Describe().Name == verbs.Batch.Name {
		return c.runBatch(ctx)
	}
	if err := c.readScript(ctx); err != nil {
		return c.printer.fail(wire.WithDefaultHint(err, "abrowser %s --help", c.line.Name()))
	}
	c.printer.pageText = c.line.Verb.Describe().PageText
	result, err := c.do(ctx, commands.Command{Verb: c.line.Verb, Params: c.line.Params, Announce: c.announce})
	if err != nil {
		return c.printer.fail(err)
	}
	if result.Exit != nil {
		return *result.Exit
	}
	return c.printer.answer(result.Output, result.Failure)
}

// announce prints the output of a command that continues to run, and reports whether it succeeded.
// If the output cannot be encoded or written, announce reports that error to the user.
func (c *command) announce(out any) bool { return c.printer.answer(out, nil) == wire.ExitDone }

// do runs a command, and passes its warnings, session and records to the printer.
func (c *command) do(ctx context.Context, cmd commands.Command) (commands.Result, error) {
	result, err := c.runner.Do(ctx, cmd)
	c.printer.warnings = append(c.printer.warnings, result.Warnings...)
	c.printer.session, c.printer.records = result.Session, result.Records
	return result, err
}

// readScript handles eval --stdin and auth save --password-stdin. It reads the script or the
// password from standard input and stores it in a parameter. For any other command, readScript does
// nothing.
func (c *command) readScript(ctx context.Context) error {
	params := c.line.Params
	if on, _ := params["passwordStdin"].(bool); on && c.line.Verb.Describe().Name == verbs.AuthSave.Name {
		raw, err := c.readInput(ctx, "the password")
		params["password"] = commands.OneLine(raw)
		return err
	}
	if on, _ := params["stdin"].(bool); !on || c.line.Verb.Describe().Name != verbs.Eval.Name {
		return nil
	}
	if _, given := params["script"]; given {
		return wire.Errorf(wire.CodeBadInput, "eval takes a script or --stdin, not both")
	}
	raw, err := c.readInput(ctx, "the script")
	delete(params, "stdin")
	params["script"] = string(raw)
	return err
}

// readInput reads standard input. The parameter name is the name of the input in error messages.
func (c *command) readInput(ctx context.Context, name string) ([]byte, error) {
	if err := c.runner.LoadFull(ctx); err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(io.LimitReader(c.sys.Stdin, wire.MaxRequest+1))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	return raw, nil
}

// complete prints the answer to a completion command.
func (c *command) complete() int {
	full, err := c.program.Full(context.Background(), home.Root{}) // completion needs no root
	if err != nil {
		return c.printer.fail(err)
	}
	out, err := full.Complete(slices.Concat(c.line.Words, c.line.Rest))
	if err != nil {
		return c.printer.fail(err)
	}
	return c.printer.write(out)
}
