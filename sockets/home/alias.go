package home

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// A CDP client is given a URL that contains the path of a socket. The client does not
// decode the escapes that a URL needs for some characters, such as a space, and takes
// others, such as '#' and ':', for the URL's own. A socket whose path has such characters
// is reached through an alias: a symbolic link to its directory, in a private directory
// of the system's temporary directory. A session has one, from the first need until its
// daemon or the session ends; a symbolic link in the session's state leads to it.

const (
	aliasParent = "/tmp" // not $TMPDIR: commands and daemons may differ in it
	aliasLink   = "s"
	plainOthers = "/._-~@+=," // what a URL can contain as it is, beside letters and digits
)

// Alias returns a path to the socket that can stand in a URL. That is the socket's own
// path where possible. Only the session's daemon may call Alias, one call at a time.
func (r Root) Alias(session, socket string) (string, error) {
	if isPlainPath(socket) {
		return socket, nil
	}
	dir, err := r.ownAlias(session)
	if err == nil && leadsTo(filepath.Join(dir, aliasLink), filepath.Dir(socket)) {
		return filepath.Join(dir, aliasLink, filepath.Base(socket)), nil
	}
	if err := r.RemoveAlias(session); err != nil {
		return "", err
	}
	if dir, err = makeAlias(filepath.Dir(socket)); err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(r.alias(session)), 0o700); err != nil {
		return "", errors.Join(wire.OSError("making "+filepath.Dir(r.alias(session)), err), os.RemoveAll(dir))
	}
	if err := os.Symlink(dir, r.alias(session)); err != nil {
		return "", errors.Join(wire.OSError("making "+r.alias(session), err), os.RemoveAll(dir))
	}
	return filepath.Join(dir, aliasLink, filepath.Base(socket)), nil
}

// RemoveAlias removes what [Root.Alias] made for the session, also by a daemon that was
// killed.
func (r Root) RemoveAlias(session string) error {
	dir, err := r.ownAlias(session)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = os.RemoveAll(dir) // the link in it, not what the link leads to
	}
	return errors.Join(err, os.Remove(r.alias(session)))
}

// CheckAlias reports whether the root's sockets need an alias, and what keeps one from
// leading to them. It leaves nothing behind.
func (r Root) CheckAlias() (needed bool, err error) {
	if isPlainPath(r.Dir) {
		return false, nil
	}
	at := r.Dir
	for ; !leadsTo(at, at); at = filepath.Dir(at) { // what is not made yet
	}
	dir, err := makeAlias(at)
	if err != nil {
		return true, err
	}
	if link := filepath.Join(dir, aliasLink); !leadsTo(link, at) {
		err = wire.Errorf(wire.CodeUnsafeDirectory, "%s does not lead to %s", link, at).
			WithHint("set ABROWSER_HOME to a path that has letters, digits and %s only", plainOthers)
	}
	return true, errors.Join(err, os.RemoveAll(dir))
}

func makeAlias(of string) (dir string, err error) {
	dir, err = os.MkdirTemp(aliasParent, "abrowser-") // with mode 0700
	if err != nil {
		return "", wire.OSError("making a directory in "+aliasParent, err)
	}
	if err := os.Symlink(of, filepath.Join(dir, aliasLink)); err != nil {
		return "", errors.Join(wire.OSError("making a link in "+dir, err), os.Remove(dir))
	}
	return dir, nil
}

// ownAlias returns the directory that was made for the session's alias. The error is
// [fs.ErrNotExist] where none was made. Where the directory is gone, or is not ours
// alone, it returns an empty path, which leads nowhere and has nothing to remove.
func (r Root) ownAlias(session string) (dir string, err error) {
	dir, err = os.Readlink(r.alias(session))
	if err != nil {
		return "", err
	}
	if info, err := os.Lstat(dir); err != nil || checkOwn(dir, info) != nil || filepath.Dir(dir) != aliasParent {
		return "", nil //nolint:nilerr // as documented
	}
	return dir, nil
}

// alias is the link in the session's state that leads to its alias.
func (r Root) alias(session string) string {
	return r.Path("state", "sessions", fileName(session)+".alias")
}

// leadsTo reports whether both paths lead to the same file.
func leadsTo(path, to string) bool {
	a, err := os.Stat(path)
	b, missing := os.Stat(to)
	return err == nil && missing == nil && os.SameFile(a, b)
}

// isPlainPath reports whether a URL can contain the path as it is.
func isPlainPath(path string) bool {
	for _, c := range path {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (c < '0' || c > '9') && !strings.ContainsRune(plainOthers, c) {
			return false
		}
	}
	return true
}
