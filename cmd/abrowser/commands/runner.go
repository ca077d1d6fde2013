package commands

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/abrowser/abrowser/cmd/abrowser/config"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Runner runs commands for one caller: a command line, or the client of an MCP server. Several
// commands may run at the same time.
type Runner struct {
	config   *config.Config
	identity config.Identity
	program  Program
	full     FullProgram // see LoadFull

	connections *Connections // nil means that each request connects

	home         string // the session of the task that has started the MCP server; see [run.agentIn]
	showPictures bool   // the caller shows screenshots for which it gives no path
}

// New returns a runner for the caller with this configuration and identity.
func New(c *config.Config, id config.Identity, p Program) *Runner {
	return &Runner{config: c, identity: id, program: p}
}

// Use makes the runner send its requests over these connections, and leave them open.
func (r *Runner) Use(c *Connections) { r.connections = c }

// Command is a verb and its parameters.
type Command struct {
	Session  string // empty means the runner's own
	Verb     wire.AnyVerb
	Params   map[string]any // as package args parses them: numbers are ints, and lists are []string
	Settings map[string]any // by the names in [wire.Settings]; they override the runner's
	Actions  []Action       // the commands of [verbs.Batch]
	Running  bool           // the command starts no session that does not run

	// Announce prints the output of a command that then continues to run, and reports whether it
	// succeeded. It is required for [verbs.CDP].
	Announce func(out any) bool
}

// Action is one command of a batch.
type Action struct {
	Label  string   // names the action in an error, such as "action 2"
	Words  []string // repeated in the result
	Verb   wire.AnyVerb
	Params map[string]any
}

// Result is the answer to a command. Warnings and records may accompany an error, too.
type Result struct {
	Session  string // the session that answered: that of the tab, if the command named a tab
	Output   any    // a pointer to the verb's output
	Failure  error  // the error of a command that failed but has an output to show
	Warnings []string
	Records  []wire.Record // what policies decided while the command ran
	Exit     *int          // the exit status, if the command has printed its output itself
}

// LoadFull loads the full program. In the thin program, it replaces the process by the full
// program, which runs the command again from its beginning. Therefore, call it before standard
// input is read and before the command has done anything.
func (r *Runner) LoadFull(ctx context.Context) error {
	if r.full != nil {
		return nil
	}
	if err := interruption(ctx, ctx.Err()); err != nil {
		return err
	}
	var err error
	r.full, err = r.program.Full(ctx, r.identity.Root)
	return err
}

// Do runs a command and writes the files of its output. The paths in the output are those of the
// written files.
func (r *Runner) Do(ctx context.Context, c Command) (Result, error) {
	x, err := r.newRun(c)
	if err != nil {
		return Result{Session: x.session}, err
	}
	out, err := x.do(ctx, c.Actions)
	return Result{Session: x.session, Output: out, Failure: x.failure, Warnings: x.warnings, Records: x.records, Exit: x.exit}, err
}

// newRun returns a run for the command, in the command's session and with its settings. Even if
// newRun fails, the run it returns contains the session.
func (r *Runner) newRun(c Command) (*run, error) {
	x := &run{
		Runner: *r, call: newCall(c.Verb, c.Params),
		announce: c.Announce, session: r.identity.Session, agent: r.identity.Agent, owner: r.identity.Owner, settings: r.identity.Settings,
	}
	x.spec.NoStart = x.spec.NoStart || c.Running
	if c.Session != "" {
		x.session = c.Session
		if err := home.CheckName(c.Session); err != nil {
			return x, err
		}
	}
	if len(c.Settings) == 0 {
		return x, nil
	}
	raw, err := json.Marshal(c.Settings)
	if err != nil {
		return x, err
	}
	x.settings.Defaults = slices.DeleteFunc(slices.Clone(x.settings.Defaults), func(name string) bool { return c.Settings[name] != nil })
	if err := json.Unmarshal(raw, &x.settings); err != nil {
		return x, wire.Errorf(wire.CodeBadInput, "%v", err).WithHint("tools/list shows what each tool takes")
	}
	if err := x.settings.Check(); err != nil {
		return x, err
	}
	x.settings, err = x.root().Normalize(x.settings, x.session, r.config.Lookup)
	return x, err
}

func (x *run) do(ctx context.Context, actions []Action) (any, error) {
	if err := x.prepare(ctx, x.call); err != nil {
		return nil, wire.WithDefaultHint(err, "abrowser %s --help", x.spec.Name)
	}
	steps, err := x.steps(ctx, actions)
	if err != nil {
		return nil, err
	}
	out, err := x.answer(ctx)
	if err != nil {
		return nil, err
	}
	if batch, ok := out.(*verbs.BatchOut); ok {
		for i := range batch.Results[:min(len(batch.Results), len(steps))] {
			x.finish(ctx, &batch.Results[i], steps[i])
		}
	}
	if x.shows(out, x.text("path")) {
		return out, nil
	}
	if err := (savedStates{x}).sealOutput(ctx, out); err != nil {
		return nil, err
	}
	return out, x.files().Write(out)
}

// Root returns the directory of the caller's sockets and files.
func (r *Runner) Root() home.Root { return r.identity.Root }
