// Package driver runs Playwright's driver, which is a Node program. Several sessions can share
// one driver process, or a session can have a driver of its own. A session is served by one
// daemon process, which uses playwright-go.
//
// playwright-go starts Node twice: once to read the driver's version and once to run the driver.
// It takes the path of Node from the environment variable PLAYWRIGHT_NODEJS_PATH. We set this
// variable to the path of our own executable, see [Setup]. Our program therefore first calls
// [Main], which recognizes both command lines:
//   - To read the version, Main does not start Node. It prints the version itself, which is faster.
//   - To run the driver for a daemon that uses a shared driver, Main passes the descriptors of its
//     standard input and output to the daemon, and returns. The daemon has a [Conn], which copies
//     playwright-go's messages between these two pipes and the driver's socket.
//   - To run a driver for one session alone, Main replaces its process with Node.
//
// The first session that needs a shared driver starts it, see [Shared.Connect]. The driver
// exits when it has had no session for some seconds. If the driver stops replying, one of the
// daemons that are connected to it kills the driver. The daemon gets the driver's pid from the
// socket, as the pid of the peer, and never from a process name or a file.
//
// The package does not import playwright-go and does not interpret its messages. It is used
// by package daemon, by the launcher's doctor and by the command abrowser. The invariant:
// nothing that happens to one session closes another session's connection, unless the driver
// process itself exits or stops replying.
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
	Node      string // the value for PLAYWRIGHT_NODEJS_PATH: the path of our own executable
	Program   string // the path of the real Node
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
