// Package launcher makes a session's daemon and its browser run.
//
// It asks whoever listens at the place who he is, and where nobody does it starts
// our own executable in that role: as a process of its own session, with its log
// as output, a chosen environment, and nothing else of ours. Ten that want the same
// at once make one: the first holds the start lock, the others find what it made.
// What must be there to start (a browser, Playwright's driver, Node) is package
// install's business, and is asked for here before anything is spawned.
//
// It refuses to know verbs: of what a daemon answers it reads hello and retire
// alone. It is called by the commands for a session, and by a daemon for the browser.
//
// The invariant: nothing runs because a file says so. What is there has answered
// hello, is of our build, and runs with the settings that were asked for; anything
// else is an error that says what to do.
package launcher

import (
	"context"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/launcher/install"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Launcher makes daemons and browsers of one root run. Root is required, the zero
// value of everything else works. It must not be copied after its first use.
type Launcher struct {
	Root       home.Root
	Log        *slog.Logger // nil logs nothing
	Progress   io.Writer    // where to say what is being fetched; nil is silent
	Terminal   bool         // Progress is a terminal
	Environ    []string     // the caller's environment; nil means os.Environ
	Executable string       // what to start; empty means this process's own executable
	NoInstall  bool         // an error where something would be fetched; so does ABROWSER_NO_INSTALL=1

	within *limits                                    // nil means limits' own
	parts  func(context.Context, wire.Settings) error // nil means that package install provides them

	once     sync.Once // guards what follows
	build    string
	buildErr error
}

// limits are how long the steps of a start may take.
type limits struct {
	hello time.Duration // for a process that runs; one that is stopped accepts connections and never answers
	start time.Duration // from the spawn to ready; a browser on a cold disk takes long
	leave time.Duration // for one that retires or ends to be gone
}

func (l *Launcher) limits() limits {
	if l.within != nil {
		return *l.within
	}
	return limits{hello: 5 * time.Second, start: 60 * time.Second, leave: 20 * time.Second}
}

// target is what Session and Browser make run.
type target struct {
	place    home.Endpoint
	what     string   // for people
	args     []string // of our executable
	settings wire.Settings
	stop     string // the command that ends it
	// before is called when it has to be started. It returns the settings to start
	// it with, or why it cannot be. Nil: nothing is in the way.
	before func(context.Context) (wire.Settings, error)
	// anyBuild is set where one of another build does as well, if it speaks our
	// protocol. A broker is never replaced while it has tabs.
	anyBuild bool
	// shared is set for a browser, in which other sessions may work.
	shared bool
	// early is set where it listens before it can answer: a browser's keeper binds
	// the socket, and Chromium may take its time.
	early bool
}

// Session makes the session's daemon run and returns where it listens and what it
// says of itself. On a bare machine it first fetches what is missing, which may
// take minutes, so ctx should then have no tight deadline; starting has its own.
//
// A daemon of another build is replaced when it is idle, otherwise the error is
// [wire.CodeBuildDiffers]. One that runs with other settings than asked for is
// [wire.CodeSettingsDiffer]. The hint of either is the command that changes it.
func (l *Launcher) Session(ctx context.Context, name string, s wire.Settings) (home.Endpoint, wire.Hello, error) {
	place, err := l.Root.Session(name)
	if err != nil {
		return place, wire.Hello{}, err
	}
	t := target{
		place: place, what: "session " + name, args: []string{"daemon", name},
		settings: s, stop: "abrowser --session " + name + " close",
	}
	t.before = func(ctx context.Context) (wire.Settings, error) { return l.resume(ctx, name, s) }
	hello, err := l.run(ctx, t)
	return place, hello, err
}

// resume returns the settings to start a session's daemon with: see
// [home.Root.Resume]. What a browser that runs would refuse it for is refused
// before there is a daemon.
func (l *Launcher) resume(ctx context.Context, name string, s wire.Settings) (wire.Settings, error) {
	s, err := l.Root.Resume(name, s)
	if err != nil {
		return s, err
	}
	browser, err := l.browser(s)
	if err != nil {
		return s, err
	}
	short, cancel := context.WithTimeout(ctx, l.limits().hello)
	defer cancel()
	running, err := (&client.Client{Endpoint: browser.place}).Hello(short)
	if err != nil { // none runs, or it is the daemon's to wait for it
		return s, home.MakeProfile(s)
	}
	return s, browser.fits(running)
}

// Browser makes the browser for the settings run and returns where its broker
// listens and what it says of itself. Its errors are those of Session.
func (l *Launcher) Browser(ctx context.Context, s wire.Settings) (home.Endpoint, wire.Hello, error) {
	t, err := l.browser(s)
	if err != nil {
		return t.place, wire.Hello{}, err
	}
	hello, err := l.run(ctx, t)
	return t.place, hello, err
}

func (l *Launcher) browser(s wire.Settings) (target, error) {
	s = s.ForBrowser()
	t := target{
		what: "the browser", args: []string{"keeper"}, settings: s, stop: "abrowser browser stop", anyBuild: true, shared: true, early: true,
		before: func(context.Context) (wire.Settings, error) { return s, home.MakeProfile(s) },
	}
	switch {
	case s.CDP != "":
		t.what, t.stop = "the connection to the browser", "abrowser --cdp "+shellWord(s.CDP)+" browser stop"
	case s.Profile != "":
		t.stop = "abrowser --profile " + shellWord(s.Profile) + " browser stop"
	}
	var err error
	t.place, err = l.Root.BrowserOf(s)
	return t, err
}

// Installer finds and fetches the parts as this launcher does.
func (l *Launcher) Installer() *install.Installer {
	return &install.Installer{
		Root: l.Root, Environ: l.Environ, Log: l.Log, Progress: l.Progress, Terminal: l.Terminal, NoInstall: l.NoInstall,
	}
}

// ensure has the parts fetched that are missing.
func (l *Launcher) ensure(ctx context.Context, s wire.Settings) error {
	if l.parts != nil {
		return l.parts(ctx, s)
	}
	_, err := l.Installer().Ensure(ctx, s)
	return err
}

func (l *Launcher) logger() *slog.Logger {
	if l.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return l.Log
}

func (l *Launcher) environ() []string {
	if l.Environ == nil {
		return os.Environ()
	}
	return l.Environ
}

// shellWord quotes a word for a hint, where it needs that.
func shellWord(s string) string {
	const special = " \t\n'\"\\$`!*?[](){}<>|&;#~"
	if s != "" && !strings.ContainsAny(s, special) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
