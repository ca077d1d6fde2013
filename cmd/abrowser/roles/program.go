// Package roles runs the background processes of abrowser, which are called roles here: a
// session's daemon, a browser's keeper and broker, and the program that playwright-go starts in
// place of Node. The package also implements [commands.FullProgram], with which commands start
// and kill processes, install, and serve an MCP client.
//
// It connects packages daemon, launcher and broker, and contains no rules itself. Only main
// imports it. The invariant: a daemon or keeper reports exactly once whether it has started, or why
// it has not. It reports to its launcher, over the pipe that it inherited from the launcher.
package roles

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"

	"github.com/abrowser/abrowser/cmd/abrowser/cdpserver"
	"github.com/abrowser/abrowser/cmd/abrowser/cli"
	"github.com/abrowser/abrowser/cmd/abrowser/commands"
	"github.com/abrowser/abrowser/cmd/abrowser/completion"
	"github.com/abrowser/abrowser/cmd/abrowser/lineedit"
	"github.com/abrowser/abrowser/cmd/abrowser/mcp"
	"github.com/abrowser/abrowser/cmd/abrowser/review"
	"github.com/abrowser/abrowser/cmd/abrowser/seal"
	"github.com/abrowser/abrowser/launcher"
	"github.com/abrowser/abrowser/launcher/driver"
	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Program is the full program, a [commands.Program].
type Program struct{ System cli.System }

// Build returns the program's own build.
func (Program) Build() (string, error) { return (&launcher.Launcher{}).Build() }

// Full returns the full program. It never fails.
func (p Program) Full(_ context.Context, root home.Root) (commands.FullProgram, error) {
	return &full{p.System, root, &launcher.Launcher{
		Root: root, Environ: p.System.Environ(), Progress: p.System.Stderr, Terminal: p.System.Terminal,
	}}, nil
}

// full is the [commands.FullProgram] for one command line or one MCP client.
type full struct {
	sys      cli.System
	root     home.Root
	launcher *launcher.Launcher
}

func (f *full) Start(ctx context.Context, session string, s wire.Settings) (home.Endpoint, error) {
	place, _, err := f.launcher.Session(ctx, session, s)
	return place, err
}

func (f *full) Kill(ctx context.Context, p home.Endpoint) (bool, error) {
	return f.launcher.Kill(ctx, p)
}

func (f *full) Sweep() error {
	return errors.Join((&driver.Shared{Root: f.root}).Sweep(), sockets.Sweep(f.root))
}

func (f *full) ClosesAtEnd(session string) bool { return closesAtEnd(f.root, session) }

func (f *full) FinishRecording(session string) (string, error) {
	return finishRecording(f.root, session)
}

func (f *full) WriteHAR(path string, requests []verbs.Request) error {
	return writeHAR(path, requests)
}

func (f *full) Install(ctx context.Context, s wire.Settings, in verbs.InstallIn) ([]verbs.Part, error) {
	return f.launcher.Installer().Install(ctx, s, in)
}

func (f *full) Library(ctx context.Context, name string) (string, error) {
	return f.launcher.Installer().Library(ctx, name)
}

func (f *full) Check(ctx context.Context, s wire.Settings) []verbs.Part {
	return f.launcher.Check(ctx, s)
}

func (f *full) ServeMCP(ctx context.Context, r *commands.Runner, session string, groups []string) error {
	return mcp.Serve(ctx, mcp.Options{
		Do: r.Do, In: f.sys.Stdin, Out: f.sys.Stdout, Session: session, Groups: groups, Version: commands.Version(),
	})
}

func (f *full) ServeCDP(ctx context.Context, s commands.CDPServer) (int, error) {
	return cdpserver.Serve(ctx, cdpserver.System{
		Stdin: f.sys.Stdin, Stdout: f.sys.Stdout, Stderr: f.sys.Stderr, Environ: f.sys.Environ,
	}, s)
}

func (f *full) ServeReview(ctx context.Context, s commands.ReviewServer) error {
	return review.Serve(ctx, slog.New(slog.NewTextHandler(f.sys.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})), s)
}

func (f *full) Seal(content []byte, key string) ([]byte, error) { return seal.Seal(content, key) }

func (f *full) Unseal(sealed []byte, key string, limit int64) ([]byte, error) {
	return seal.Open(sealed, key, limit)
}

func (f *full) Complete(words []string) ([]byte, error) {
	var out bytes.Buffer
	err := completion.Write(&out, f.sys.Stderr, words)
	return out.Bytes(), err
}

func (f *full) EditLines(prompt string) (commands.LineReader, error) {
	return lineedit.New(prompt, f.sys.Stdin, f.sys.Stdout, func(words []string) []string {
		var out bytes.Buffer
		if err := completion.Write(&out, io.Discard, append([]string{"__completeNoDesc"}, words...)); err != nil {
			return nil // a person who types sees no candidates
		}
		return completion.Candidates(out.String())
	})
}
