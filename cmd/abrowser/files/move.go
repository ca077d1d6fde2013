package files

import (
	"cmp"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/abrowser/abrowser/sockets/wire"
)

// maxNames is the number of names that are tried for a file whose name is taken.
const maxNames = 1000

// moveFile moves a file to the path that the caller gave, or to the directory for downloads if the
// caller gave none, and returns the file's new path. If the path is a file, the file is replaced.
// If the path is a directory, no file in it is replaced, since the page has chosen the new file's
// name. No incomplete file is ever visible under the final name. If moveFile fails, the file is
// still at its source.
func (w Files) moveFile(file wire.File) (string, error) {
	if file.Path == "" {
		name, err := w.newName(cmp.Or(file.Dir, "downloads"))
		if err != nil {
			return "", err
		}
		return moveInto(file, filepath.Dir(name), filepath.Base(name)+"-"+wire.FileName(file.Name))
	}
	if isDirectory(file.Path) {
		return moveInto(file, file.Path, wire.FileName(file.Name))
	}
	target := file.Path
	if real, err := filepath.EvalSymlinks(target); err == nil {
		target = real // a link's target is replaced, not the link
	}
	if err := moveTo(file, target, os.Rename); err != nil {
		return file.Path, writeError(file.Path, err)
	}
	return file.Path, nil
}

// moveInto moves a file into a directory, under the first name that is free.
func moveInto(file wire.File, dir, name string) (string, error) {
	path := ""
	for n := range maxNames {
		path = filepath.Join(dir, wire.NumberedName(name, n))
		if _, err := os.Lstat(path); err == nil {
			continue
		}
		err := moveTo(file, path, renameNew)
		if err == nil {
			return path, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", writeError(path, err)
		}
	}
	return "", writeError(path, fs.ErrExist)
}

// renameNew renames a file, or returns [fs.ErrExist] if the new name is taken.
func renameNew(from, to string) error {
	err := os.Link(from, to)
	switch {
	case err == nil:
		return os.Remove(from)
	case errors.Is(err, fs.ErrExist):
		return err
	}
	// The file system does not support hard links, so check the name and rename the file. Another
	// process can take the name in between.
	if _, err := os.Lstat(to); err == nil {
		return fs.ErrExist
	}
	return os.Rename(from, to)
}

// moveTo creates the file under a temporary name in the directory of path. Then it calls rename,
// which must rename the file to path, and removes the source. If path is a device or pipe, moveTo
// writes the content to it instead.
func moveTo(file wire.File, path string, rename func(from, to string) error) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return copyToDevice(file, path)
	}
	beside := filepath.Join(filepath.Dir(path), ".abrowser-"+rand.Text())
	if err := linkOrCopy(file, beside); err != nil {
		return err
	}
	if err := rename(beside, path); err != nil {
		return errors.Join(err, os.Remove(beside))
	}
	return removeSource(file)
}

// linkOrCopy creates path as a hard link to the file's source, or as a copy if the source must stay
// or cannot be linked. The new file has the mode that any file created by the caller would have.
func linkOrCopy(file wire.File, path string) error {
	to, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	info, err := to.Stat()
	if err == nil && !file.Keep && replaceByLink(file.Source, path, info.Mode()) == nil {
		return to.Close()
	}
	if err == nil {
		err = copyTo(to, file.Source)
	}
	if err := errors.Join(err, to.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// replaceByLink replaces the empty file at path by a hard link to source.
func replaceByLink(source, path string, mode fs.FileMode) error {
	link := path + "-"
	if err := os.Link(source, link); err != nil {
		return err
	}
	err := os.Chmod(link, mode)
	if err == nil {
		err = os.Rename(link, path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(link))
	}
	return nil
}

// copyToDevice copies a file to a path that is not a regular file, such as a device or a pipe.
func copyToDevice(file wire.File, path string) error {
	to, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(copyTo(to, file.Source), to.Close()); err != nil {
		return err
	}
	return removeSource(file)
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

// removeSource removes the file's source, unless the source must stay. The daemon takes a missing
// source as the sign that the caller has the file.
func removeSource(file wire.File) error {
	if file.Keep {
		return nil
	}
	if err := os.Remove(file.Source); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func writeError(path string, err error) error {
	return wire.Errorf(wire.CodePermission, "writing %s: %v", path, plainPathError(err)).WithHint("abrowser wait --download PATH")
}
