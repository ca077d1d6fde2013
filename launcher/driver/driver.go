// Package driver runs Playwright's driver: one Node process that several sessions share, or
// one for a single session.
//
// playwright-go starts a program as Node: once to read the driver's version and once to run
// the driver. [Find] returns a setup that names our own executable as this program. [Main],
// which every abrowser process calls first, recognizes both command lines. It prints the
// version itself, which saves a start of Node. If the daemon has a [Conn] to a shared driver,
// Main passes standard input and output to the daemon and returns, and the daemon copies
// frames between these pipes and the driver's socket. Otherwise Main executes Node.
//
// The first session that needs a shared driver starts it, see [Shared.Connect]. The driver
// exits when it has had no session for a while. A session that gets no reply from the driver
// kills it; it finds the process as the peer of the socket, never by a name or a file.
//
// The package does not import playwright-go and does not interpret its messages. It is used
// by package daemon, by the launcher's doctor and by the command abrowser. The invariant:
// nothing that happens to one session closes another session's connection, unless the driver
// itself has exited or is suspended.
package driver

import (
	"context"
	"os"

	"github.com/abrowser/abrowser/launcher/install"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Setup is the configuration with which playwright-go runs the driver.
type Setup struct {
	Directory string // the DriverDirectory of playwright-go's options
	Node      string // the value for PLAYWRIGHT_NODEJS_PATH: our own executable
	Program   string // the real Node
}

// Find returns the setup. If the driver or Node is not installed, the error is
// [wire.CodeNoDriver].
func Find(ctx context.Context, i *install.Installer) (Setup, error) {
	d, err := i.FindDriver(ctx)
	if err != nil {
		return Setup{}, err
	}
	executable, err := os.Executable()
	return Setup{Directory: d.Directory, Node: executable, Program: d.Node.Path}, err
}

// OwnRequested reports whether ABROWSER_DRIVER requests a driver for this session alone;
// lookup is os.LookupEnv.
func OwnRequested(lookup func(string) (string, bool)) (bool, error) {
	switch text, _ := lookup("ABROWSER_DRIVER"); text {
	case "", "shared":
		return false, nil
	case "own":
		return true, nil
	default:
		return false, wire.Errorf(wire.CodeBadInput, "ABROWSER_DRIVER is %q, want shared or own", text).WithHint("unset ABROWSER_DRIVER")
	}
}
