package driver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/abrowser/abrowser/launcher/install"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Main handles the command lines with which playwright-go starts Node: the absolute path
// DIRECTORY/package/cli.js, followed by a command. args does not include the program's name.
// Main reports whether args has this form, and returns the exit status. If Main replaces this
// process with Node, it returns only on an error.
func Main(args []string) (handled bool, status int) {
	// None of abrowser's own commands starts with such a path.
	if len(args) < 2 || !filepath.IsAbs(args[0]) || !strings.HasSuffix(args[0], "/package/cli.js") {
		return false, 0
	}
	var err error
	if args[1] == "--version" {
		err = printVersion(os.Stdout, args[0])
	} else {
		err = runDriver(args)
	}
	if err != nil {
		coded := wire.AsError(err)
		fmt.Fprintf(os.Stderr, "abrowser: error: %s\n", coded.Message)
		return true, wire.ExitStatus(coded.Code)
	}
	return true, wire.ExitDone
}

// printVersion prints the version from package.json in the format of cli.js --version.
func printVersion(to io.Writer, cli string) error {
	raw, err := os.ReadFile(filepath.Join(filepath.Dir(cli), "package.json"))
	if err != nil {
		return wire.Errorf(wire.CodeNoDriver, "reading the driver's version: %v", err)
	}
	var pack struct {
		Version string `json:"version"`
	}
	if err := json.Unmarshal(raw, &pack); err != nil || pack.Version == "" {
		return wire.Errorf(wire.CodeNoDriver, "%s/package.json has no version", filepath.Dir(cli))
	}
	_, err = fmt.Fprintf(to, "Version %s\n", pack.Version)
	return err
}

// runDriver checks whether a daemon has sent the offer of a pipe handoff. If so, runDriver passes
// the descriptors of standard input and output to that daemon, which has a shared driver.
// Otherwise runDriver replaces this process with Node. Node then runs our script, with the same
// arguments, as a driver for one session.
func runDriver(args []string) error {
	if sent, err := sendPipes(); sent {
		return err
	}
	root, err := home.Locate(os.LookupEnv)
	if err != nil {
		return err
	}
	// FindNode itself limits the time of each run of Node, so no deadline is needed here.
	node, err := (&install.Installer{Root: root}).FindNode(context.Background())
	if err != nil {
		return err
	}
	file, err := scriptFile()
	if err != nil {
		return wire.Errorf(wire.CodeNoDriver, "writing the driver's script: %v", err)
	}
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "PLAYWRIGHT_NODEJS_PATH=")
	})
	load := fmt.Sprintf("(0, eval)(require('fs').readFileSync(%d, 'utf8'))", file.Fd())
	err = syscall.Exec(node.Path, append([]string{"node", "--eval", load}, args...), env)
	return wire.Errorf(wire.CodeNoDriver, "running %s: %v", node.Path, err)
}

// scriptFile returns an unlinked file with the driver's script. Node inherits the file when it
// replaces this process. Node cannot read the script from standard input, because that is the
// pipe on which playwright-go sends messages.
func scriptFile() (*os.File, error) {
	file, err := os.CreateTemp("", "abrowser-driver-")
	if err != nil {
		return nil, err
	}
	_, err = file.WriteString(script())
	err = errors.Join(os.Remove(file.Name()), err)
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err == nil {
		_, err = unix.FcntlInt(file.Fd(), unix.F_SETFD, 0) // exec must not close the file
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}
