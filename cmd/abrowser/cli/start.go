package cli

import (
	"context"

	"github.com/abrowser/abrowser/launcher"
	"github.com/abrowser/abrowser/sockets"
)

// starter makes what a command needs run.
type starter interface {
	// Build is our own, which a session's daemon must be of.
	Build() (string, error)
	// start makes the session's daemon run and says where it listens.
	start(ctx context.Context, a *app) (sockets.Place, error)
}

// launching is the starter of an ordinary command. Tests have another, with a
// session's server and no browser.
type launching struct{ *launcher.Launcher }

func newLaunching(a *app) launching {
	return launching{&launcher.Launcher{
		Root: a.root, Environ: a.sys.Environ(), Progress: a.sys.Stderr, Terminal: a.sys.Terminal,
	}}
}

func (l launching) start(ctx context.Context, a *app) (sockets.Place, error) {
	place, _, err := l.Session(ctx, a.session, a.settings)
	return place, err
}
