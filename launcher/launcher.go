// Package launcher starts the daemon of a session and the browser, unless they are running.
//
// It connects to the process at an endpoint. If no process listens there, it starts our own
// executable as `abrowser daemon NAME` or `abrowser keeper`. The child runs in a process
// session of its own. It has a log file as output, an environment of permitted variables, and
// no inherited descriptor except the ready pipe, to which it reports that it serves. If ten
// processes need the same daemon at the same time, the first one gets the start lock and
// starts the daemon, and the others connect to it. Before the start, package install fetches
// the parts that are missing: a browser, Playwright's driver, Node.
//
// The package does not know verbs. It sends a process only two requests: hello, which returns
// the process's build and settings, and retire, which asks an idle process to exit. The command
// line uses the package for sessions, and daemons use it for the browser.
//
// The invariant: no file is taken as proof that a process runs. A process that the launcher
// returns has answered hello, is of our build or is a broker with our protocol, and runs with
// the requested settings. Otherwise the caller gets an error that says what to do.
package launcher

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/launcher/install"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Launcher starts the daemons and browsers of one root. Root is required, the zero value of
// every other field works. A Launcher must not be copied after its first use.
type Launcher struct {
	Root       home.Root
	Log        *slog.Logger // nil logs nothing
	Progress   io.Writer    // for messages about downloads; nil discards them
	Terminal   bool         // Progress is a terminal
	Environ    []string     // the caller's environment; nil means os.Environ
	Executable string       // the program to start; empty means this process's executable

	timeouts *limits                                    // nil means the default
	ensure   func(context.Context, wire.Settings) error // nil means package install

	once     sync.Once // guards the fields below
	build    string
	buildErr error
}

// limits are the timeouts of the steps of a start.
type limits struct {
	// hello limits how long a running process may take to reply to hello. A suspended process
	// accepts connections and never replies.
	hello time.Duration
	start time.Duration // from the start of the process until it is ready; a browser on a cold disk is slow
	exit  time.Duration // for the exit of a process that was asked to retire or is already exiting
}

func (l *Launcher) limits() limits {
	if l.timeouts != nil {
		return *l.timeouts
	}
	return limits{hello: 5 * time.Second, start: 60 * time.Second, exit: 20 * time.Second}
}

// target is a process that Session or Browser finds or starts.
type target struct {
	endpoint home.Endpoint
	what     string   // its name in messages
	args     []string // the arguments of our executable
	settings wire.Settings
	stop     string // the command that stops the process
	// prepare is called before the process is started. It returns the settings to start the
	// process with, or an error that says why the process cannot be started.
	prepare   func(context.Context) (wire.Settings, error)
	isBrowser bool
}

// Session starts the session's daemon unless it is running, and returns its endpoint and its
// hello. If parts are missing, Session fetches them first, which may take minutes, so ctx
// should have no short deadline. The start of the daemon has a deadline of its own.
//
// An idle daemon of another build is replaced. Session returns [wire.CodeBuildDiffers] for a
// busy daemon of another build, and [wire.CodeSettingsDiffer] for a daemon that runs with
// other settings than requested. The hint of each error says how to resolve it.
func (l *Launcher) Session(ctx context.Context, name string, s wire.Settings) (home.Endpoint, wire.Hello, error) {
	endpoint, err := l.Root.Session(name)
	if err != nil {
		return endpoint, wire.Hello{}, err
	}
	hello, err := l.findOrStart(ctx, target{
		endpoint: endpoint, what: "session " + name, args: []string{"daemon", name},
		settings: s, stop: "abrowser --session " + name + " close",
		prepare: func(ctx context.Context) (wire.Settings, error) { return l.resume(ctx, name, s) },
	})
	return endpoint, hello, err
}

// resume returns the settings to start a session's daemon with, see [home.Root.Resume]. It
// returns an error if the session's browser already runs with other settings, so that no
// daemon is started in vain.
func (l *Launcher) resume(ctx context.Context, name string, s wire.Settings) (wire.Settings, error) {
	s, err := l.Root.Resume(name, s)
	if err != nil {
		return s, err
	}
	browser, err := l.browser(s)
	if err != nil {
		return s, err
	}
	ctx, cancel := context.WithTimeout(ctx, l.limits().hello)
	defer cancel()
	running, err := (&client.Client{Endpoint: browser.endpoint}).Hello(ctx)
	if err != nil { // no browser runs, or the daemon will wait until the browser answers
		return s, home.MakeProfile(s)
	}
	if err := browser.checkSettings(running); err != nil {
		return s, err
	}
	// The running browser keeps its launch options, which may differ from the defaults in a
	// configuration file. So the daemon gets only those launch options that were requested.
	return s.WithLaunchOptions(s.Requested()), nil
}

// Browser starts the browser for the settings unless it is running, and returns the endpoint
// and the hello of its broker. It returns the same errors as Session.
func (l *Launcher) Browser(ctx context.Context, s wire.Settings) (home.Endpoint, wire.Hello, error) {
	t, err := l.browser(s)
	if err != nil {
		return t.endpoint, wire.Hello{}, err
	}
	hello, err := l.findOrStart(ctx, t)
	return t.endpoint, hello, err
}

func (l *Launcher) browser(s wire.Settings) (target, error) {
	s = s.ForBrowser()
	t := target{
		what: "the browser", args: []string{"keeper"}, settings: s, stop: "abrowser browser stop", isBrowser: true,
		prepare: func(context.Context) (wire.Settings, error) { return s, home.MakeProfile(s) },
	}
	switch {
	case s.CDP != "":
		t.what, t.stop = "the connection to the browser", "abrowser --cdp "+wire.ShellWord(s.CDP)+" browser stop"
	case s.Profile != "":
		t.stop = "abrowser --profile " + wire.ShellWord(s.Profile) + " browser stop"
	}
	var err error
	t.endpoint, err = l.Root.BrowserOf(s)
	return t, err
}

// Installer returns an installer with the launcher's root, environment and output.
func (l *Launcher) Installer() *install.Installer {
	return &install.Installer{
		Root: l.Root, Environ: l.Environ, Log: l.Log, Progress: l.Progress, Terminal: l.Terminal,
	}
}

// ensureParts fetches the parts that are missing for a session with the settings.
func (l *Launcher) ensureParts(ctx context.Context, s wire.Settings) error {
	if l.ensure != nil {
		return l.ensure(ctx, s)
	}
	return l.Installer().Ensure(ctx, s)
}

func (l *Launcher) logger() *slog.Logger {
	return cmp.Or(l.Log, slog.New(slog.DiscardHandler))
}

func (l *Launcher) environ() []string {
	if l.Environ == nil {
		return os.Environ()
	}
	return l.Environ
}
