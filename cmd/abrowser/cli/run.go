package cli

import (
	"context"
	"slices"
	"time"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// app is one run of the command line. Its fields are set in the order they stand
// in, each as soon as what is before it allows.
type app struct {
	sys      System
	names    names
	printer  printer
	dir      string // the working directory, empty where there is none any more
	layers   layers
	settings wire.Settings
	root     home.Root
	session  string
	agent    string // who acts, where that is not the session itself
	home     string // the session that an agent with a secret id is at home in, see [app.agentIn]
	owner    string // the process that the session is for
	program  Program
	behind   Behind // see [app.need]
}

// Run answers one command line and returns the exit status.
func Run(args []string, sys System, p Program) int { return newApp(sys, p).run(args) }

// Fail prints an error as a command that fails does and returns the exit status.
func Fail(sys System, err error) int {
	return (&printer{out: sys.Stdout, err: sys.Stderr}).fail(err)
}

func newApp(sys System, p Program) *app {
	a := &app{sys: sys, program: p, names: namesOf(verbs.All())}
	a.printer.out, a.printer.err = sys.Stdout, sys.Stderr
	return a
}

func (a *app) run(args []string) int {
	l, err := read(a.names, args)
	if configured := a.configure(l.global); err == nil {
		err = configured
	} else {
		a.printer.JSON = a.printer.JSON || asksJSON(args)
	}
	if err != nil {
		return a.printer.fail(err)
	}
	if l.verb == nil || l.has("help") || l.has("version") {
		return a.tellOfItself(l)
	}
	if err := a.identify(); err != nil {
		return a.printer.fail(err)
	}
	listens := time.Duration(0)
	if l.verb.Describe().ReadOnly {
		listens = quick
	}
	ctx, stop := a.sys.Interrupted(context.Background(), listens)
	defer stop()
	return a.perform(ctx, l)
}

// asksJSON finds --json in a command line that could not be read to its end.
func asksJSON(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return slices.Contains(args, "--json") || slices.Contains(args, "--json=true")
}

// configure finds the settings. Output comes first, so that an error in what is
// behind it is already printed as asked for.
func (a *app) configure(global members) error {
	// A working directory that was removed has no configuration and no relative
	// paths, and is no reason to do nothing.
	a.dir, _ = a.sys.Dir()
	a.layers = layers{flags: global, lookup: a.sys.Lookup, dir: a.dir}
	output, err := a.resolveOutput()
	if err != nil {
		return err
	}
	a.printer.Output = output
	who, err := a.layers.resolve(whoFields())
	if err != nil {
		return err
	}
	a.layers.who = who
	named, _ := who["config"].(string)
	files, warnings, err := readConfig(a.dir, named, a.sys.Lookup)
	if err != nil {
		return err
	}
	a.printer.warn(warnings...)
	a.layers.files = files
	if a.printer.Output, err = a.resolveOutput(); err != nil {
		return err
	}
	given, err := a.layers.resolveSettings()
	if err != nil {
		return err
	}
	a.settings, err = fill[wire.Settings](given)
	return err
}

func (a *app) resolveOutput() (Output, error) {
	given, err := a.layers.resolve(outputFields())
	if err != nil {
		return Output{}, err
	}
	return fill[Output](given)
}

// identify finds whose command it is.
func (a *app) identify() error {
	session, err := a.layers.session()
	if err != nil {
		return err
	}
	a.session, a.printer.session = session, session
	if a.agent, err = a.layers.agent(session); err != nil {
		return err
	}
	if a.owner, err = a.layers.owner(); err != nil {
		return err
	}
	if a.root, err = home.Locate(a.sys.Lookup); err != nil {
		return err
	}
	if a.settings, err = a.root.Normalize(a.settings, session, a.sys.Lookup); err != nil {
		return err
	}
	return nil
}

// perform has the command answered and prints the answer.
func (a *app) perform(ctx context.Context, l line) int {
	if err := a.prepare(ctx, &l); err != nil {
		return a.printer.fail(withHelp(err, l.verb.Describe()))
	}
	if l.verb.Describe().Name == verbs.Batch.Name {
		return a.performBatch(ctx, l)
	}
	out, err := a.answer(ctx, l)
	if err == nil {
		err = a.writeFile(out)
	}
	if err != nil {
		return a.printer.fail(err)
	}
	return a.printer.answer(out)
}

// prepare does to a line what only the caller can do: environment and files
// become members of the request, paths are resolved in the caller's directory.
func (a *app) prepare(ctx context.Context, l *line) error {
	if err := a.checkPerson(*l); err != nil {
		return err
	}
	for _, f := range l.verb.Fields() {
		if _, ok := l.in[f.Name]; ok || f.Env == "" {
			continue
		}
		value, _, err := a.layers.find(f)
		if err != nil {
			return err
		}
		if value != nil {
			l.in[f.Name] = value
		}
	}
	if err := a.readScript(ctx, l); err != nil {
		return err
	}
	return a.resolvePaths(l)
}
