package cli

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

// mostNames is how many names are tried for a file where those before are taken.
const mostNames = 1000

// take puts a file that lies elsewhere to where it is wanted, whole from the first
// moment, and returns its path. A file of that name is replaced; in a directory,
// where the name is somebody else's choice, none is. Whatever fails, the file is
// still where it was.
func (a *app) take(file wire.File) (string, error) {
	if file.Path == "" {
		dir := a.root.Path("downloads")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return "", wire.Errorf(wire.CodePermission, "making %s: %v", dir, plainPathError(err))
		}
		return takeInto(file, dir, a.session+"-"+time.Now().Format("20060102-150405.000")+"-"+wire.FileName(file.Name))
	}
	if isDirectory(file.Path) {
		return takeInto(file, file.Path, wire.FileName(file.Name))
	}
	at := file.Path
	if real, err := filepath.EvalSymlinks(at); err == nil {
		at = real // what a link leads to is replaced, not the link
	}
	err := takeAt(file, at, os.Rename)
	if err != nil {
		return file.Path, unwritten(file.Path, err)
	}
	return file.Path, nil
}

// takeInto takes a file into a directory, under the first name that is free.
func takeInto(file wire.File, dir, name string) (string, error) {
	path := ""
	for n := range mostNames {
		path = filepath.Join(dir, wire.NumberedName(name, n))
		if _, err := os.Lstat(path); err == nil {
			continue
		}
		err := takeAt(file, path, renameFree)
		if err == nil {
			return path, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", unwritten(path, err)
		}
	}
	return "", unwritten(path, fs.ErrExist)
}

// renameFree is os.Rename to a name that is free: [fs.ErrExist] where it is not.
func renameFree(from, to string) error {
	err := os.Link(from, to)
	switch {
	case err == nil:
		return os.Remove(from)
	case errors.Is(err, fs.ErrExist):
		return err
	}
	// A file system without links. Between look and rename is a moment.
	if _, err := os.Lstat(to); err == nil {
		return fs.ErrExist
	}
	return os.Rename(from, to)
}

// takeAt makes the whole file beside path and puts it there by rename.
func takeAt(file wire.File, path string, rename func(from, to string) error) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return pour(file, path)
	}
	beside := filepath.Join(filepath.Dir(path), ".abrowser-"+rand.Text())
	if err := double(file, beside); err != nil {
		return err
	}
	if err := rename(beside, path); err != nil {
		return errors.Join(err, os.Remove(beside))
	}
	return taken(file)
}

// double makes beside the same file as file, or a copy where the file stays or the
// system cannot, with the rights that a new file of the caller's has.
func double(file wire.File, beside string) error {
	to, err := os.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	info, err := to.Stat()
	if err == nil && !file.Keep && relink(file.Source, beside, info.Mode()) == nil {
		return to.Close()
	}
	if err == nil {
		err = copyTo(to, file.Source)
	}
	if err := errors.Join(err, to.Close()); err != nil {
		return errors.Join(err, os.Remove(beside))
	}
	return nil
}

// relink puts a link to source in the place of the empty file beside.
func relink(source, beside string, mode fs.FileMode) error {
	link := beside + "-"
	if err := os.Link(source, link); err != nil {
		return err
	}
	err := os.Chmod(link, mode)
	if err == nil {
		err = os.Rename(link, beside)
	}
	if err != nil {
		return errors.Join(err, os.Remove(link))
	}
	return nil
}

// pour writes a file into what is no file: a device, a pipe.
func pour(file wire.File, path string) error {
	to, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(copyTo(to, file.Source), to.Close()); err != nil {
		return err
	}
	return taken(file)
}

func copyTo(to io.Writer, source string) error {
	from, err := os.Open(source)
	if err != nil {
		return err
	}
	defer from.Close()
	_, err = io.Copy(to, from)
	return err
}

// taken removes the file from where it was, which tells others that it is fetched.
func taken(file wire.File) error {
	if file.Keep {
		return nil
	}
	if err := os.Remove(file.Source); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func unwritten(path string, err error) error {
	return wire.Errorf(wire.CodePermission, "writing %s: %v", path, plainPathError(err)).WithHint("abrowser wait --download PATH")
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
