// Package statefiles keeps files with logins in a directory that only the user can enter: the saved
// states of browsers, and the names and passwords of auth. A file has a name. It may be encrypted,
// but the package itself does not encrypt, decrypt or interpret the content.
//
// Package commands uses it. Its invariant: no file outside of the directory is read, replaced or
// removed by a name.
package statefiles

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const ext = ".json"

// Store is a directory of files. Error messages call a file by the noun in the field What, such as
// "saved login". The field List is the command that lists the files.
type Store struct{ Dir, What, List string }

// IsName reports whether a text names a file of a store, and not a path: it has no dot and no
// slash.
func IsName(text string) bool { return text != "" && !strings.ContainsAny(text, "./\\") }

// Path returns the path of the file with this name, whether the file exists or not.
func (s Store) Path(name string) (string, error) {
	if !IsName(name) || home.CheckName(name) != nil {
		return "", wire.Errorf(wire.CodeBadInput, "invalid name %.100q; a name has letters, digits, - and _", name).WithHint("%s", s.List)
	}
	return filepath.Join(s.Dir, name+ext), nil
}

// Make makes the directory.
func (s Store) Make() error {
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return wire.OSError("making "+s.Dir, err)
	}
	return nil
}

// Read reads a file. A file that is longer than limit bytes is an error.
func Read(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, wire.Errorf(wire.CodeNotFound, "%s not found", path).WithHint("ls -l %s", wire.ShellWord(filepath.Dir(path)))
	case wire.IsBadPath(err):
		return nil, wire.Errorf(wire.CodeBadInput, "%.60q is not the path of a file", path).WithHint("name another file")
	case err != nil:
		return nil, wire.OSError("reading "+path, err)
	case !info.Mode().IsRegular():
		return nil, wire.Errorf(wire.CodeBadInput, "%s is not a regular file", path).WithHint("ls -l %s", wire.ShellWord(path))
	case info.Size() > limit:
		return nil, wire.Errorf(wire.CodeTooLarge, "%s has %d bytes, more than %d", path, info.Size(), limit).WithHint("ls -l %s", wire.ShellWord(path))
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, wire.OSError("reading "+path, err)
	}
	return content, nil
}

// IsEncrypted reports whether content is encrypted by age.
func IsEncrypted(content []byte) bool { return bytes.HasPrefix(content, []byte("age-encryption.org/")) }

// All lists the files by name.
func (s Store) All() ([]verbs.StateFile, error) {
	entries, err := os.ReadDir(s.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, wire.OSError("reading "+s.Dir, err)
	}
	all := []verbs.StateFile{}
	for _, e := range entries {
		name, ours := strings.CutSuffix(e.Name(), ext)
		if !ours || !IsName(name) || !e.Type().IsRegular() {
			continue
		}
		if file, err := Describe(filepath.Join(s.Dir, e.Name())); err == nil { // else it was just removed
			all = append(all, file)
		}
	}
	return all, nil
}

// Describe describes the file at this path.
func Describe(path string) (verbs.StateFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return verbs.StateFile{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return verbs.StateFile{}, err
	}
	head := make([]byte, 32)
	n, _ := f.Read(head) // an empty file is not encrypted
	return verbs.StateFile{
		Name: strings.TrimSuffix(filepath.Base(path), ext), Filename: filepath.Base(path), Path: path,
		Size: info.Size(), Modified: info.ModTime().Unix(), Encrypted: IsEncrypted(head[:n]),
	}, nil
}

// Remove removes the file with this name.
func (s Store) Remove(name string) error {
	path, err := s.Path(name)
	if err != nil {
		return err
	}
	if err := os.Remove(path); err != nil {
		return s.missing(name, err)
	}
	return nil
}

// missing returns the error to report if the file with this name could not be used because of err.
// If the file does not exist, the hint suggests a similar name.
func (s Store) missing(name string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return wire.OSError("using "+s.What+" "+name, err)
	}
	failure := wire.Errorf(wire.CodeNotFound, "%s %q not found", s.What, name).WithHint("%s", s.List)
	all, _ := s.All() // for the hint only
	var names []string
	for _, f := range all {
		names = append(names, f.Name)
	}
	if near := wire.Nearest(name, names); near != "" {
		return failure.WithHint("did you mean %s?", near)
	}
	return failure
}

// Load reads the file with this name. A file that is longer than limit bytes is an error.
func (s Store) Load(name string, limit int64) ([]byte, error) {
	path, err := s.Path(name)
	if err != nil {
		return nil, err
	}
	content, err := Read(path, limit)
	if errors.Is(err, wire.CodeNotFound) {
		return nil, s.missing(name, fs.ErrNotExist)
	}
	return content, err
}

// RemoveOld removes the files that were last written before the given time, and returns their
// names.
func (s Store) RemoveOld(before time.Time) ([]string, error) {
	all, err := s.All()
	removed := []string{}
	for _, f := range all {
		if f.Modified >= before.Unix() {
			continue
		}
		if err := s.Remove(f.Name); err != nil {
			return removed, err
		}
		removed = append(removed, f.Name)
	}
	slices.Sort(removed)
	return removed, err
}

// Rename renames a file. It does not replace another file.
func (s Store) Rename(from, to string) error {
	old, err := s.Path(from)
	if err != nil {
		return err
	}
	path, err := s.Path(to)
	if err != nil {
		return err
	}
	err = os.Link(old, path) // unlike os.Rename, it fails if the new name is taken
	switch {
	case errors.Is(err, fs.ErrExist):
		return wire.Errorf(wire.CodeBadInput, "%s %q exists already", s.What, to).WithHint("%s", s.List)
	case err != nil:
		return s.missing(from, err)
	}
	return os.Remove(old)
}
