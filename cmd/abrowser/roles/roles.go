package roles

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"strconv"
	"sync"
	"syscall"

	"github.com/abrowser/abrowser/cmd/abrowser/cli"
	"github.com/abrowser/abrowser/launcher"
	"github.com/abrowser/abrowser/launcher/driver"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// role holds what a process needs to run as a daemon, keeper or broker. The settings come from
// the environment, in which another abrowser process has set them.
type role struct {
	root     home.Root
	settings wire.Settings
	build    string
	log      *slog.Logger
	launcher *launcher.Launcher
	ready    func(error) // called once, with nil or the error that prevents a start; unused in a broker
}

// Role runs the process's role if args name one instead of a command: the program that
// playwright-go starts in place of Node, a session's daemon, a browser's keeper or its broker. It
// reports whether args name a role, and returns the exit status.
func (p Program) Role(args []string) (handled bool, status int) {
	if handled, status := driver.Main(args); handled {
		return true, status
	}
	run := roleOf(args)
	if run == nil {
		return false, 0
	}
	// A signal cancels ctx. The role then cleans up and returns.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, p.System); err != nil {
		return true, cli.Fail(p.System, err)
	}
	return true, wire.ExitDone
}

func roleOf(args []string) func(context.Context, cli.System) error {
	switch {
	case len(args) == 2 && args[0] == "daemon":
		return func(ctx context.Context, sys cli.System) error { return serveSession(ctx, sys, args[1]) }
	case len(args) == 1 && args[0] == "keeper":
		return keepBrowser
	case len(args) == 1 && args[0] == "broker":
		return serveBrowser
	}
	return nil
}

// newRole returns the process's role with the settings from the environment.
func newRole(sys cli.System) (*role, error) {
	r := &role{log: newLog(sys), ready: func(error) {}}
	var err error
	if r.root, err = home.Locate(sys.Lookup); err != nil {
		return r, err
	}
	if r.settings, err = wire.SettingsFrom(sys.Lookup); err != nil {
		return r, err
	}
	r.launcher = &launcher.Launcher{Root: r.root, Log: r.log, Environ: sys.Environ()}
	r.build, err = r.launcher.Build()
	return r, err
}

// newLog returns a logger that writes JSON lines to stderr, which is the role's log file.
func newLog(sys cli.System) *slog.Logger {
	level := slog.LevelInfo
	_, text := wire.LookupVariable(sys.Lookup, wire.Variables("DEBUG"))
	if on, err := strconv.ParseBool(text); err == nil && on {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewJSONHandler(sys.Stderr, &slog.HandlerOptions{Level: level}))
}

// announced runs a role whose launcher waits until the role is ready. If the role fails before it
// is ready, announced reports the error to the launcher.
func announced(sys cli.System, run func(*role) error) error {
	// Call ReadyPipe before any file is opened. The environment contains only the number of the
	// pipe's descriptor, and an opened file could get this number.
	pipe, err := launcher.ReadyPipe(sys.Lookup)
	if err != nil {
		return err
	}
	r, err := newRole(sys)
	var once sync.Once
	r.ready = func(err error) { once.Do(func() { launcher.ReportReady(pipe, err) }) }
	if err == nil {
		err = run(r)
	}
	if err != nil {
		r.log.Error("ended", "error", err)
		r.ready(err)
	}
	return err
}
