package home

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/abrowser/abrowser/sockets/wire"
)

// ReplaceFile creates or replaces the file at path: a reader, or a process that is killed,
// finds either the old content or all of the new one. write writes the new content to a
// temporary file in the same directory, and syncs it if it has to survive a crash of the
// machine. A missing directory is created with mode 0700.
func ReplaceFile(path string, mode fs.FileMode, write func(*os.File) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return wire.OSError("making "+filepath.Dir(path), err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return wire.OSError("writing "+path, err)
	}
	err = errors.Join(write(f), f.Chmod(mode), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return wire.OSError("writing "+path, errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}

// WriteFile replaces the file at path as [ReplaceFile] does, with a file that only the user
// can read. It does not sync: the system keeps what a killed process has written.
func WriteFile(path string, content []byte) error {
	return ReplaceFile(path, 0o600, func(f *os.File) error {
		_, err := f.Write(content)
		return err
	})
}
