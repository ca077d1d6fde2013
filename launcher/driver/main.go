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

// Main takes Node's part when args, the command line without the program, are
// playwright-go's: DIRECTORY/package/cli.js and what the driver shall do. It reports
// whether they were, and the status to exit with. Where the driver is run it does
// not return, unless Node cannot be started.
func Main(args []string) (handled bool, status int) {
	if len(args) < 2 || !isDriver(args[0]) {
		return false, 0
	}
	var err error
	if args[1] == "--version" {
		err = printVersion(os.Stdout, args[0])
	} else {
		err = handOver(args)
	}
	if err != nil {
		coded := wire.AsError(err)
		fmt.Fprintf(os.Stderr, "abrowser: error: %s\n", coded.Message)
		return true, wire.ExitStatus(coded.Code)
	}
	return true, wire.ExitDone
}

// isDriver reports whether the path can only be the driver's. No verb looks so.
func isDriver(path string) bool {
	return filepath.IsAbs(path) && strings.HasSuffix(path, "/package/cli.js")
}

// printVersion prints what cli.js would: the version that its package says it is.
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

// handOver passes the driver's pipes on to the daemon that offered to carry them;
// otherwise it replaces this process by Node, which runs our script with the same
// arguments: a driver for this session alone.
func handOver(args []string) error {
	if lent, err := lend(); lent {
		return err
	}
	root, err := home.Locate(os.LookupEnv)
	if err != nil {
		return err
	}
	node, err := (&install.Installer{Root: root}).FindNode(context.Background()) // it has a deadline of its own
	if err != nil {
		return err
	}
	file, err := scriptFile()
	if err != nil {
		return err
	}
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "PLAYWRIGHT_NODEJS_PATH=")
	})
	load := fmt.Sprintf("(0, eval)(require('fs').readFileSync(%d, 'utf8'))", file.Fd())
	err = syscall.Exec(node.Path, append([]string{"node", "--eval", load}, args...), env)
	return wire.Errorf(wire.CodeNoDriver, "running %s: %v", node.Path, err)
}

// scriptFile returns an unlinked file that holds the driver's script and that a program
// which replaces this one inherits. The script's standard input belongs to playwright-go.
func scriptFile() (*os.File, error) {
	file, err := os.CreateTemp("", "abrowser-driver-")
	if err != nil {
		return nil, wire.Errorf(wire.CodeNoDriver, "writing the driver's script: %v", err)
	}
	_, err = file.WriteString(script())
	err = errors.Join(os.Remove(file.Name()), err)
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err == nil {
		_, err = unix.FcntlInt(file.Fd(), unix.F_SETFD, 0) // not closed by exec
	}
	if err != nil {
		return nil, wire.Errorf(wire.CodeNoDriver, "writing the driver's script: %v", errors.Join(err, file.Close()))
	}
	return file, nil
}
