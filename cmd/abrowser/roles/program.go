// Package roles runs what the process is when it is not a command: a session's daemon, a
// browser's keeper or broker, Playwright's Node. It also provides what commands need beyond
// a socket: starting and killing processes, installing, serving an MCP client.
//
// It wires daemon, launcher and broker together and has no rules of its own. Only main
// imports it. Its invariant: a process that another abrowser started reports once, over the
// pipe that it inherited, that it serves or why it does not.
package roles

import (
	"context"
	"errors"

	"github.com/abrowser/abrowser/cmd/abrowser/ask"
	"github.com/abrowser/abrowser/cmd/abrowser/cli"
	"github.com/abrowser/abrowser/cmd/abrowser/mcp"
	"github.com/abrowser/abrowser/launcher"
	"github.com/abrowser/abrowser/launcher/driver"
	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Program is the whole program.
type Program struct{}

// Build is the program's own.
func (Program) Build() (string, error) { return (&launcher.Launcher{}).Build() }

// Behind never fails: all is here.
func (Program) Behind(_ context.Context, sys cli.System, root home.Root) (cli.Behind, error) {
	return &behind{sys, root, &launcher.Launcher{
		Root: root, Environ: sys.Environ(), Progress: sys.Stderr, Terminal: sys.Terminal,
	}}, nil
}

// behind is for one command, or for an MCP client's whole visit.
type behind struct {
	sys      cli.System
	root     home.Root
	launcher *launcher.Launcher
}

func (b *behind) Start(ctx context.Context, session string, s wire.Settings) (home.Endpoint, error) {
	place, _, err := b.launcher.Session(ctx, session, s)
	return place, err
}

func (b *behind) Kill(ctx context.Context, p home.Endpoint) (bool, error) {
	return b.launcher.Kill(ctx, p)
}

func (b *behind) Sweep() error {
	return errors.Join((&driver.Shared{Root: b.root}).Sweep(), sockets.Sweep(b.root))
}

func (b *behind) ClosesAtEnd(session string) bool { return closesAtEnd(b.root, session) }

func (b *behind) FinishRecording(session string) (string, error) {
	return finishRecording(b.root, session)
}

func (b *behind) Install(ctx context.Context, s wire.Settings, in verbs.InstallIn) ([]verbs.Part, error) {
	return b.launcher.Installer().Install(ctx, s, in)
}

func (b *behind) Check(ctx context.Context, s wire.Settings) []verbs.Part {
	return b.launcher.Check(ctx, s)
}

func (b *behind) ServeMCP(ctx context.Context, a ask.Asker, session string, groups []string) error {
	return mcp.Serve(ctx, mcp.Options{
		Asker: a, In: b.sys.Stdin, Out: b.sys.Stdout, Session: session, Groups: groups, Version: cli.Version(),
	})
}
