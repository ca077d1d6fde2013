package home

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// CDP clients get a URL that contains the path of a socket. Some characters, such as a space,
// have to be escaped in a URL, but clients do not decode the escapes. Other characters, such as
// '#' and ':', are part of the URL's syntax. If the path of a socket has such characters, the
// URL contains an alias instead. An alias is a symbolic link to the socket's directory. It is
// in a private directory below /tmp. A session has at most one alias. The alias is created when
// it is first needed, and removed when the daemon or the session ends. A second symbolic link,
// among the session's files, points to the private directory. If a daemon is killed, the next
// daemon of the session finds the alias by this link.

const (
	aliasParent = "/tmp"      // not $TMPDIR, which may differ between commands and daemons
	aliasLink   = "s"         // the name of the link in the private directory
	plainOthers = "/._-~@+=," // besides letters and digits, these need no escape in a URL
)

// Alias returns a path to the socket that needs no escapes in a URL. If the socket's own path needs
// no escapes, Alias returns that path and creates no alias. Only the session's daemon may call
// Alias, one call at a time.
func (r Root) Alias(session, socket string) (string, error) {
	if isPlainPath(socket) {
		return socket, nil
	}
	dir, err := r.ownAlias(session)
	if err == nil && dir != "" && leadsTo(filepath.Join(dir, aliasLink), filepath.Dir(socket)) {
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

// RemoveAlias removes the session's alias, including one that a killed daemon left.
func (r Root) RemoveAlias(session string) error {
	dir, err := r.ownAlias(session)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = os.RemoveAll(dir) // removes the link in the directory and does not follow it
	}
	return errors.Join(err, os.Remove(r.alias(session)))
}

// CheckAlias reports whether the root's sockets need an alias. If they do, it creates an alias,
// returns an error if the alias does not work, and removes the alias again.
func (r Root) CheckAlias() (needed bool, err error) {
	if isPlainPath(r.Dir) {
		return false, nil
	}
	at := r.Dir
	for ; !leadsTo(at, at); at = filepath.Dir(at) { // skips directories that do not exist yet
	}
	dir, err := makeAlias(at)
	if err != nil {
		return true, err
	}
	if link := filepath.Join(dir, aliasLink); !leadsTo(link, at) {
		err = wire.Errorf(wire.CodeUnsafeDirectory, "the link %s does not lead to %s", link, at).
			WithHint("set ABROWSER_HOME to a path of letters, digits and %s", plainOthers)
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

// ownAlias returns the private directory of the session's alias, or [fs.ErrNotExist] if the
// session has no alias. It returns an empty path and no error in these cases:
//
//   - The directory was removed.
//   - The directory is not in aliasParent.
//   - Another user owns the directory or can enter it.
//
// [os.RemoveAll], to which [Root.RemoveAlias] passes the path, ignores an empty path.
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

// alias returns the path of the link that points to the private directory of the session's
// alias.
func (r Root) alias(session string) string {
	return r.Path("state", "sessions", fileName(session)+".alias")
}

// leadsTo reports whether both paths resolve to the same file.
func leadsTo(path, to string) bool {
	a, err := os.Stat(path)
	b, missing := os.Stat(to)
	return err == nil && missing == nil && os.SameFile(a, b)
}

// isPlainPath reports whether the path needs no escapes in a URL.
func isPlainPath(path string) bool {
	for _, c := range path {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (c < '0' || c > '9') && !strings.ContainsRune(plainOthers, c) {
			return false
		}
	}
	return true
}
