// Package install finds what abrowser needs and fetches what is missing: a
// browser, Playwright's driver, and Node to run the driver.
//
// What it fetches is pinned: the driver and Node come from the npm registry at
// one version each, with the hash of their archive written here, and are put in
// place whole or not at all. A browser comes from the distribution or from
// Playwright's own installer. One lock lies around all of it, so that ten first
// commands fetch once.
//
// The package refuses to know sessions, daemons and what the parts are used for.
// It is called by the launcher before anything is started, and by the commands
// install and doctor.
//
// The invariant: finding is a few stats and changes nothing; only [Installer.Ensure]
// and [Installer.Install] write, below the root's driver directory alone, and under
// the lock.
package install

import (
	"context"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Installer finds and fetches the parts below one root. Root is required, the
// zero value of everything else works.
type Installer struct {
	Root      home.Root
	Environ   []string     // the caller's environment; nil means os.Environ
	Log       *slog.Logger // nil logs nothing
	Progress  io.Writer    // where to say what is being fetched; nil is silent
	Terminal  bool         // Progress is a terminal, which one line can be written on again and again
	NoInstall bool         // an error where something would be fetched; so does ABROWSER_NO_INSTALL=1

	world *world // nil means this machine and the pinned packages
}

// Found is what a session needs, in order.
type Found struct {
	Driver  Driver
	Browser Browser
}

// Find returns the parts as they are, or the error of the first that is missing.
func (i *Installer) Find(ctx context.Context, s wire.Settings) (Found, error) {
	d, err := i.FindDriver(ctx)
	if err != nil {
		return Found{}, err
	}
	if s.CDP != "" { // somebody else started one
		return Found{Driver: d}, nil
	}
	b, err := i.FindBrowser(s)
	return Found{Driver: d, Browser: b}, err
}

// Ensure is Find that fetches what is missing first. What the caller asked for
// by name and got wrong is an error still.
func (i *Installer) Ensure(ctx context.Context, s wire.Settings) (Found, error) {
	found, err := i.Find(ctx, s)
	if err == nil || !fetchable(err) {
		return found, err
	}
	if i.forbidden() {
		coded := wire.AsError(err)
		return Found{}, wire.Errorf(coded.Code, "%s, and ABROWSER_NO_INSTALL forbids fetching it", coded.Message).
			WithHint("abrowser install")
	}
	if err := i.fetch(ctx, s, verbs.InstallIn{}); err != nil {
		return Found{}, err
	}
	return i.Find(ctx, s)
}

// Install fetches what is missing, and reports what is there now. It is the
// command install, so what forbids fetching on the way does not forbid it here.
func (i *Installer) Install(ctx context.Context, s wire.Settings, in verbs.InstallIn) ([]verbs.Part, error) {
	if err := i.fetch(ctx, s, in); err != nil {
		return nil, err
	}
	return i.parts(ctx, s), nil
}

// fetch does the work of Ensure and Install, one process at a time.
func (i *Installer) fetch(ctx context.Context, s wire.Settings, in verbs.InstallIn) error {
	if err := i.Root.Make(); err != nil {
		return err
	}
	lock, err := i.lock(ctx)
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := i.provideDriver(ctx); err != nil {
		return err
	}
	if s.CDP != "" {
		return nil
	}
	return i.provideBrowser(ctx, s, in)
}

func (i *Installer) forbidden() bool {
	v, ok := i.lookup("ABROWSER_NO_INSTALL")
	return i.NoInstall || (ok && v != "" && v != "0" && v != "false")
}

// lookup reads the caller's environment; of a name that is there twice the last
// one counts.
func (i *Installer) lookup(name string) (string, bool) {
	environ := i.Environ
	if environ == nil {
		environ = os.Environ()
	}
	for n := len(environ) - 1; n >= 0; n-- {
		if value, ok := strings.CutPrefix(environ[n], name+"="); ok {
			return value, true
		}
	}
	return "", false
}

func (i *Installer) logger() *slog.Logger {
	if i.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return i.Log
}
