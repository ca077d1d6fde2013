// Package install finds the programs that abrowser needs and fetches the missing ones. These
// programs are called parts. They are a browser, Playwright's driver, and Node, which runs the
// driver.
//
// The driver comes from the npm registry at a pinned version, see package npm. So does Node, if no
// Node on PATH is new enough. A browser comes from the distribution or from Playwright's own
// installer; package browsers finds the installed ones. One lock, the installation lock, covers
// all changes, so that ten commands that start at the same time fetch each part once.
//
// The package does not depend on sessions, daemons or the use of the parts. The launcher calls
// the package before starting a process. The commands install and doctor call the package too.
//
// The invariant: finding the parts only reads a few files, and changes nothing. The one exception
// is that a Node whose version is not saved yet is run, and its version is saved. Only
// [Installer.Ensure] and [Installer.Install] install anything, and both hold the lock. They
// install into the directory driver below abrowser's root directory, or as the distribution's
// packages.
package install

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/abrowser/abrowser/launcher/install/browsers"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Installer finds and fetches the parts for one root directory of abrowser. Root is required,
// the zero value of every other field works.
type Installer struct {
	Root     home.Root
	Environ  []string     // the caller's environment; nil means os.Environ
	Log      *slog.Logger // nil logs nothing
	Progress io.Writer    // for messages about downloads; nil discards them
	Terminal bool         // Progress is a terminal, where a line can be rewritten

	machine *machine // nil means this machine and the pinned packages
}

// FindBrowser returns the browser that the settings name. If they name no browser, it returns the
// first one that is installed. If no browser is installed, or the named one cannot be used, the
// error is [wire.CodeNoBrowser].
func (i *Installer) FindBrowser(s wire.Settings) (browsers.Browser, error) {
	if s.ExecutablePath != "" {
		return i.finder().At(s.ExecutablePath)
	}
	b, err := i.finder().Find(s.Headed)
	if err != nil {
		return b, missing(wire.CodeNoBrowser, "%v", err)
	}
	return b, nil
}

func (i *Installer) finder() browsers.Finder {
	return browsers.Finder{Lookup: i.lookup, Fetched: i.Root.Path("driver", browsersDir), Kinds: i.on().kinds}
}

// FindSandbox returns whether the browser can use its sandbox.
func (i *Installer) FindSandbox(ctx context.Context, b browsers.Browser) browsers.Sandbox {
	if i.on().root {
		return browsers.Sandbox{Why: "Chromium does not support it for root"}
	}
	return browsers.FindSandbox(ctx, b)
}

// Ensure fetches the missing parts that a session with the settings s needs. If the caller has
// named a part that cannot be used, Ensure returns an error and does not fetch another one in place
// of the named part.
func (i *Installer) Ensure(ctx context.Context, s wire.Settings) error {
	err := i.find(ctx, s)
	if !isFetchable(err) {
		return err
	}
	if i.forbidsInstall() {
		coded := wire.AsError(err)
		return wire.Errorf(coded.Code, "%s, and ABROWSER_NO_INSTALL forbids fetching it", coded.Message).WithHint("abrowser install")
	}
	if err := i.fetch(ctx, s, verbs.InstallIn{}); err != nil {
		return err
	}
	return i.find(ctx, s)
}

// forbidsInstall reports whether the variable ABROWSER_NO_INSTALL forbids fetching anything.
func (i *Installer) forbidsInstall() bool {
	v, _ := i.lookup("ABROWSER_NO_INSTALL")
	return v != "" && v != "0" && v != "false"
}

// find returns the error for the first missing part, or nil if a session with the settings s finds
// all parts that it needs.
func (i *Installer) find(ctx context.Context, s wire.Settings) error {
	_, err := i.FindDriver(ctx)
	if err == nil && s.CDP == "" { // with a CDP endpoint, an external browser is running
		_, err = i.FindBrowser(s)
	}
	return err
}

// Install fetches missing parts and returns the state of all parts. It implements the command
// install, so it ignores ABROWSER_NO_INSTALL.
func (i *Installer) Install(ctx context.Context, s wire.Settings, in verbs.InstallIn) ([]verbs.Part, error) {
	if err := i.fetch(ctx, s, in); err != nil {
		return nil, err
	}
	return i.parts(ctx, s), nil
}

// fetch fetches missing parts. It acquires the installation lock and releases it at the end.
func (i *Installer) fetch(ctx context.Context, s wire.Settings, in verbs.InstallIn) error {
	if err := i.Root.Make(); err != nil {
		return err
	}
	lock, err := i.lock(ctx, i.Root.Path("driver", "install.lock"), "parts")
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := i.fetchDriver(ctx); err != nil || s.CDP != "" {
		return err
	}
	return i.fetchBrowser(ctx, s, in)
}

// fetchableDetail marks the error for a missing part that can be fetched.
const fetchableDetail = "installable"

// missing returns the error for a part that can be fetched.
func missing(code wire.Code, format string, args ...any) error {
	return wire.Errorf(code, format, args...).WithHint("abrowser install").With(fetchableDetail, true)
}

// isFetchable reports whether err was returned by missing. It is false if the caller has given the
// path of the driver, of Node or of the browser, and nothing usable is there: installing does not
// change what that path leads to.
func isFetchable(err error) bool {
	var coded *wire.Error
	return errors.As(err, &coded) && coded.Details[fetchableDetail] == true
}

// lookup returns the value of a variable in the caller's environment. If a variable occurs
// several times, the last value applies.
func (i *Installer) lookup(name string) (string, bool) {
	environ := i.environ()
	for n := len(environ) - 1; n >= 0; n-- {
		if value, ok := strings.CutPrefix(environ[n], name+"="); ok {
			return value, true
		}
	}
	return "", false
}

func (i *Installer) environ() []string {
	if i.Environ == nil {
		return os.Environ()
	}
	return i.Environ
}

func (i *Installer) logger() *slog.Logger {
	return cmp.Or(i.Log, slog.New(slog.DiscardHandler))
}
