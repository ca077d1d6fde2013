// Package driver has Playwright's driver run: one Node process for many sessions, or
// one for a session of its own.
//
// playwright-go starts the program it is told is Node, once to ask the driver's
// version and once to run it. [Find] tells it to start us. [Main], called before
// anything else by every abrowser, recognises those command lines: the version it
// prints itself, which saves starting Node for it. Where a daemon holds a [Conn] to
// a shared driver, the stand-in hands its standard input and output back to the
// daemon and ends; the daemon carries frames between these pipes and the driver's
// socket. Otherwise the real Node takes the process over.
//
// A shared driver is started by the first who needs it ([Shared.Connect]) and belongs
// to nobody: it ends by itself when it has been empty for a while, and is ended by
// whichever session finds that it does not answer. Its process is known by the
// socket's peer, never by a name or a file.
//
// The package refuses to know playwright-go and what is said to the driver. Its
// invariant: what one session does or suffers ends no other session's line, unless
// the driver itself has ended or stopped.
package driver

import (
	"context"
	"os"

	"github.com/abrowser/abrowser/launcher/install"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Setup is what playwright-go is told.
type Setup struct {
	Directory string // its DriverDirectory
	Node      string // its PLAYWRIGHT_NODEJS_PATH: our own executable
	Program   string // the real Node
}

// Find returns the setup where driver and Node are in order, otherwise
// the error no_driver. executable is our own; empty means this process's.
func Find(ctx context.Context, i *install.Installer, executable string) (Setup, error) {
	d, err := i.FindDriver(ctx)
	if err != nil {
		return Setup{}, err
	}
	if executable == "" {
		if executable, err = os.Executable(); err != nil {
			return Setup{}, err
		}
	}
	return Setup{Directory: d.Directory, Node: executable, Program: d.Node.Path}, nil
}

// OwnRequested reports whether ABROWSER_DRIVER asks for a driver of the session's own; lookup
// is os.LookupEnv.
func OwnRequested(lookup func(string) (string, bool)) (bool, error) {
	switch text, _ := lookup("ABROWSER_DRIVER"); text {
	case "", "shared":
		return false, nil
	case "own":
		return true, nil
	default:
		return false, wire.Errorf(wire.CodeBadInput, "ABROWSER_DRIVER is %q; it takes shared or own", text).WithHint("unset ABROWSER_DRIVER")
	}
}
