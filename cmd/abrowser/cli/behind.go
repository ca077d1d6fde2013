package cli

import (
	"context"

	"github.com/abrowser/abrowser/cmd/abrowser/ask"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Program is what the command line is part of.
type Program interface {
	// Build identifies the program that answers: a session's daemon must be of it.
	Build() (string, error)
	// Behind is the rest of the program. A front, which has none, becomes the whole
	// program instead, with the same command line; it returns only where it cannot.
	Behind(ctx context.Context, sys System, root home.Root) (Behind, error)
}

// Behind is what a command needs that cannot be answered by asking a socket.
type Behind interface {
	// Start makes the session's daemon run and says where it listens.
	Start(ctx context.Context, session string, s wire.Settings) (home.Endpoint, error)
	// Kill ends by force who listens at the place, and reports whether there was one.
	Kill(ctx context.Context, p home.Endpoint) (bool, error)
	// Sweep removes what killed drivers and daemons left.
	Sweep() error
	// ClosesAtEnd reports whether the tabs of a session go with it, which ends without
	// its daemon.
	ClosesAtEnd(session string) bool
	// FinishRecording writes the HAR of a session that ends without its daemon, and
	// says where; empty where none was recorded.
	FinishRecording(session string) (string, error)
	// Install fetches what is missing, Check looks at every part.
	Install(ctx context.Context, s wire.Settings, in verbs.InstallIn) ([]verbs.Part, error)
	Check(ctx context.Context, s wire.Settings) []verbs.Part
	// ServeMCP answers an MCP client on standard input and output until it leaves.
	ServeMCP(ctx context.Context, a ask.Asker, session string, groups []string) error
	// InstallMCP shows or writes what MCP clients need to start us.
	InstallMCP(in verbs.MCPInstallIn) (out *verbs.MCPInstallOut, warnings []string, err error)
}

// need makes what is behind the command line there. It is called before the command
// has read its standard input or done anything, since a front begins it anew.
func (a *app) need(ctx context.Context) error {
	if a.behind != nil {
		return nil
	}
	if err := interruption(ctx, ctx.Err()); err != nil {
		return err
	}
	var err error
	a.behind, err = a.program.Behind(ctx, a.sys, a.root)
	return err
}
