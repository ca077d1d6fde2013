package launcher

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/abrowser/abrowser/launcher/spare"
	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/wire"
)

// fdHold is the descriptor that a spare daemon's hold has there: it follows the ready pipe.
const fdHold = 4

// Hold returns the file that a spare daemon was started with: at its end of file the
// daemon is to end, as long as it has no session.
func Hold() (*os.File, error) { return sockets.Inherit(fdHold, "hold") }

// Spare has a daemon wait for the next new session of the settings' browser, unless one
// does. It ends when hold does, where no session came before. See package spare.
func (l *Launcher) Spare(ctx context.Context, s wire.Settings, hold *os.File) error {
	browser, err := l.browser(s)
	if err != nil {
		return err
	}
	place := browser.place.Spare()
	switch conn, err := sockets.Dial(ctx, place); {
	case err == nil:
		return conn.Close()
	case !errors.Is(err, wire.CodeNotRunning):
		return err
	}
	build, err := l.Build()
	if err != nil {
		return err
	}
	return l.spawn(ctx, target{
		place: place, what: "a daemon for the next session", args: []string{"daemon", spare.Placeholder}, settings: browser.settings, hold: hold,
	}, build)
}

// bring makes the target run: a spare one, where one takes what it would be started
// with, otherwise a new one.
func (l *Launcher) bring(ctx context.Context, t target, build string) error {
	if t.spare {
		if taken, err := l.take(ctx, t, build); taken {
			return err
		} else if !errors.Is(err, wire.CodeNotRunning) {
			l.logger().Info("there is no spare daemon", "error", err)
		}
	}
	return l.spawn(ctx, t, build)
}

// take reports whether a spare daemon has taken the target's part. The error is then
// why it does not serve.
func (l *Launcher) take(ctx context.Context, t target, build string) (bool, error) {
	browser, err := l.Root.BrowserOf(t.settings)
	if err != nil {
		return false, err
	}
	log, err := openLog(t.place.Log)
	if err != nil {
		return false, err
	}
	defer log.Close()
	taken, err := spare.Take(ctx, browser.Spare(), spare.Session{
		Build: build, Name: t.place.Name, Environ: l.childEnviron(t), Log: t.place.Log,
	})
	if err != nil {
		return false, err
	}
	defer taken.Close()
	l.logger().Info("taken", "role", t.args[0], "name", t.place.Name, "pid", taken.Process.Pid)
	ctx, cancel := context.WithTimeoutCause(ctx, l.limits().start, wire.CodeStart)
	defer cancel()
	err = taken.Await(ctx)
	switch coded := (*wire.Error)(nil); {
	case errors.As(err, &coded):
		err = coded.With("log", t.place.Log)
	case ctx.Err() != nil:
		err = t.late(ctx, taken.Process, log)
	case errors.Is(err, io.EOF):
		return false, err
	}
	return true, err
}
