// Package installtest keeps the driver and the programs under test for the tests of all packages,
// so that each is downloaded or built only once. They stay in the user's cache directory, as the go
// command's build cache does.
package installtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/abrowser/abrowser/launcher/install"
	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/socketstest"
	"github.com/abrowser/abrowser/sockets/wire"
)

func cache() (home.Root, error) {
	dir, err := os.UserCacheDir()
	return home.Root{Dir: filepath.Join(dir, "abrowser-tests")}, err
}

// Driver installs what a session needs, and the libraries that run in pages, unless it is installed,
// and returns the driver's directory for ABROWSER_DRIVER_PATH.
func Driver(ctx context.Context) (string, error) {
	root, err := cache()
	if err != nil {
		return "", err
	}
	i := &install.Installer{Root: root}
	if err := i.Ensure(ctx, wire.Settings{}); err != nil {
		return "", err
	}
	for _, name := range install.Libraries() {
		if _, err := i.Library(ctx, name); err != nil {
			return "", err
		}
	}
	d, err := i.FindDriver(ctx)
	return d.Directory, err
}

// Module returns the directory of the module whose tests run.
func Module(ctx context.Context) (string, error) {
	file, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("go env: %w", err)
	}
	return filepath.Dir(strings.TrimSpace(string(file))), nil
}

// Build builds a command of this module with the given flags of go build, and copies it to a file.
// If the command was built with these flags before, the go command links it again only if its
// source has changed.
func Build(ctx context.Context, file, command string, flags ...string) error {
	module, err := Module(ctx)
	if err != nil {
		return err
	}
	root, err := cache()
	if err == nil {
		err = root.Make()
	}
	if err != nil {
		return err
	}
	id := sha256.Sum256(fmt.Append([]byte(module), command, flags))
	built := root.Path("bin", hex.EncodeToString(id[:8]))
	if err := os.MkdirAll(filepath.Dir(built), 0o700); err != nil {
		return err
	}
	lock, err := sockets.Acquire(ctx, built+".lock")
	if err != nil {
		return err
	}
	defer lock.Close()
	cmd := exec.CommandContext(ctx, "go", slices.Concat([]string{"build", "-o", built}, flags, []string{"github.com/abrowser/abrowser/" + command})...)
	if !slices.Contains(flags, "-race") { // -race needs cgo; `just build` builds without cgo
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return copyProgram(file, built)
}

func copyProgram(to, from string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	return socketstest.WriteProgram(to, content)
}
