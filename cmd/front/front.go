package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"github.com/abrowser/abrowser/cmd/abrowser/cli"
	"github.com/abrowser/abrowser/launcher/buildid"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// wholeName is the file name of the whole program.
const wholeName = "abrowserd"

// front is the command line of the whole program.
type front struct {
	args  []string
	found string // where the whole program is, once that is known
}

// Build is the whole program's: it is what daemons run.
func (f *front) Build() (string, error) {
	path, err := f.whole()
	if err != nil {
		return "", err
	}
	id, err := buildid.Of(path)
	if err != nil {
		return "", wire.Errorf(wire.CodeInternal, "reading %s: %v", path, err)
	}
	return id, nil
}

// Behind becomes the whole program.
func (f *front) Behind(context.Context, cli.System, home.Root) (cli.Behind, error) {
	path, err := f.whole()
	if err != nil {
		return nil, err
	}
	err = syscall.Exec(path, append([]string{path}, f.args...), os.Environ())
	return nil, wire.Errorf(wire.CodeStart, "starting %s: %v", path, err)
}

// whole looks for the whole program: beside this one, then beside what this one is a
// link to (Linux says that at once, macOS does not), then in the PATH.
func (f *front) whole() (string, error) {
	if f.found != "" {
		return f.found, nil
	}
	own, err := os.Executable()
	if err != nil {
		return "", wire.Errorf(wire.CodeInternal, "finding our own program: %v", err)
	}
	beside := filepath.Join(filepath.Dir(own), wholeName)
	_, err = os.Stat(beside)
	if errors.Is(err, fs.ErrNotExist) {
		if target, linked := filepath.EvalSymlinks(own); linked == nil {
			beside = filepath.Join(filepath.Dir(target), wholeName)
			_, err = os.Stat(beside)
		}
	}
	if err != nil {
		if beside, err = exec.LookPath(wholeName); err != nil {
			return "", wire.Errorf(wire.CodeInstall, "%s, which this abrowser is the front of, is not beside it in %s", wholeName, filepath.Dir(own)).
				WithHint("in abrowser's source: just install; or: go install ./cmd/abrowser")
		}
	}
	f.found = beside
	return beside, nil
}
