package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"github.com/abrowser/abrowser/cmd/abrowser/commands"
	"github.com/abrowser/abrowser/launcher/buildid"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// fullName is the file name of the full program.
const fullName = "abrowserd"

// thin is a [commands.Program] that executes the full program when a command needs it.
type thin struct {
	args []string
	path string // the path of the full program; empty until the program was found
}

// Build returns the build ID of the full program and not that of thin, because session daemons are
// processes of the full program.
func (t *thin) Build() (string, error) {
	path, err := t.full()
	if err != nil {
		return "", err
	}
	id, err := buildid.Of(path)
	if err != nil {
		return "", wire.Errorf(wire.CodeInternal, "reading %s: %v", path, err)
	}
	return id, nil
}

// Full executes the full program in place of this process. It returns only if this fails.
func (t *thin) Full(context.Context, home.Root) (commands.FullProgram, error) {
	path, err := t.full()
	if err != nil {
		return nil, err
	}
	err = syscall.Exec(path, append([]string{path}, t.args...), os.Environ())
	return nil, wire.Errorf(wire.CodeStart, "starting %s: %v", path, err)
}

// full returns the path of the full program. It searches these places in this order:
//
//   - The directory of this executable.
//   - If this executable is a symbolic link, the directory of the file to which the link leads.
//     This matters only on macOS, because on Linux os.Executable already resolves the link.
//   - The directories in PATH.
func (t *thin) full() (string, error) {
	if t.path != "" {
		return t.path, nil
	}
	own, err := os.Executable()
	if err != nil {
		return "", wire.Errorf(wire.CodeInternal, "finding the running program: %v", err)
	}
	path := filepath.Join(filepath.Dir(own), fullName)
	_, err = os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if target, linked := filepath.EvalSymlinks(own); linked == nil {
			path = filepath.Join(filepath.Dir(target), fullName)
			_, err = os.Stat(path)
		}
	}
	if err != nil {
		if path, err = exec.LookPath(fullName); err != nil {
			return "", wire.Errorf(wire.CodeInstall, "%s, the full program that this abrowser needs beside it, is not in %s", fullName, filepath.Dir(own)).
				WithHint("in abrowser's source: just install; or: go install ./cmd/abrowser")
		}
	}
	t.path = path
	return path, nil
}
