package home

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

// ReplaceFile creates or replaces the file at path. The file always has either the old or the
// complete new content, even if this process is killed. ReplaceFile calls write() to fill a
// temporary file in the same directory, and then renames that file to path. If the new content has
// to survive a crash of the machine, write() must sync the temporary file. A missing directory is
// created with mode 0700.
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

// Trim removes the files of a directory that are older than the given age, and then the oldest ones
// until the rest has at most the given number of bytes.
func Trim(dir string, age time.Duration, size int64) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return wire.OSError("reading "+dir, err)
	}
	var files []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() { // an error means that it is gone
			files = append(files, info)
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	for _, f := range files {
		if size -= f.Size(); size >= 0 && time.Since(f.ModTime()) <= age {
			continue
		}
		if err := os.Remove(filepath.Join(dir, f.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return wire.OSError("removing "+f.Name(), err)
		}
	}
	return nil
}

// WriteFile replaces the file at path as [ReplaceFile] does. Only the user can read the new
// file. WriteFile does not sync: the content survives the end of this process, but may not
// survive a crash of the machine.
func WriteFile(path string, content []byte) error {
	return ReplaceFile(path, 0o600, func(f *os.File) error {
		_, err := f.Write(content)
		return err
	})
}
