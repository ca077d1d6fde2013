package home

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/abrowser/abrowser/sockets/wire"
)

// Root is the directory below which abrowser keeps the files of one user.
type Root struct{ Dir string }

// Locate returns the root: $ABROWSER_HOME if set, otherwise $HOME/.abrowser. It accesses no file.
// The parameter lookup is os.LookupEnv.
//
// The root is neither in $TMPDIR nor in $XDG_RUNTIME_DIR, because these variables may differ
// between two logins, or between a login and a cron job. The user's processes would then have two
// roots, and could start two brokers for what should be one browser.
func Locate(lookup func(string) (string, bool)) (Root, error) {
	if dir, ok := lookup("ABROWSER_HOME"); ok {
		return rootAt("ABROWSER_HOME", dir, "")
	}
	home, _ := lookup("HOME")
	return rootAt("HOME", home, ".abrowser")
}

func rootAt(variable, dir, below string) (Root, error) {
	const hint = "set ABROWSER_HOME to the absolute path of a directory of your own"
	if dir == "" {
		return Root{}, wire.Errorf(wire.CodeBadInput, "%s is empty", variable).WithHint(hint)
	}
	if !filepath.IsAbs(dir) {
		return Root{}, wire.Errorf(wire.CodeBadInput, "%s is not an absolute path: %q", variable, dir).WithHint(hint)
	}
	return Root{Dir: filepath.Join(dir, below)}, nil
}

// Path joins the elements to the root's path.
func (r Root) Path(elem ...string) string {
	return filepath.Join(append([]string{r.Dir}, elem...)...)
}

// Make creates the root's missing directories with mode 0700. It returns
// [wire.CodeUnsafeDirectory] if one of them belongs to another user, can be entered by other
// users or is not a directory.
func (r Root) Make() error {
	if err := os.MkdirAll(filepath.Dir(r.Dir), 0o700); err != nil {
		return wire.OSError("making "+filepath.Dir(r.Dir), err)
	}
	for _, dir := range r.Directories() {
		if err := makeOwn(dir); err != nil {
			return err
		}
	}
	return nil
}

// Directories returns the directories that Make creates, the root first.
func (r Root) Directories() []string {
	return []string{
		r.Dir, r.Path("run"), r.Path("run", "s"), r.Path("run", "b"), r.Path("run", "d"),
		r.Path("state"), r.Path("profiles"), r.Path("bin"), r.Path("log"), r.Path("driver"),
	}
}

// makeOwn creates dir if it does not exist and checks it with [checkOwn].
func makeOwn(dir string) error {
	info, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return wire.OSError("making "+dir, err)
		}
		info, err = os.Lstat(dir)
	}
	if err != nil {
		return wire.OSError("reading "+dir, err)
	}
	return checkOwn(dir, info)
}

// checkOwn returns an error unless dir is a directory that only this process's user can
// enter.
func checkOwn(dir string, info fs.FileInfo) error {
	const elsewhere = "set ABROWSER_HOME to a directory of your own"
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return wire.Errorf(wire.CodeUnsafeDirectory, "%s is a symbolic link", dir).WithHint(elsewhere)
	case !info.IsDir():
		return wire.Errorf(wire.CodeUnsafeDirectory, "%s is not a directory", dir).WithHint(elsewhere)
	case !ok || int(stat.Uid) != os.Geteuid():
		return wire.Errorf(wire.CodeUnsafeDirectory, "%s belongs to another user", dir).WithHint(elsewhere)
	case info.Mode().Perm()&0o077 != 0:
		return wire.Errorf(wire.CodeUnsafeDirectory, "%s has mode %#o: others can enter it", dir, info.Mode().Perm()).
			WithHint("chmod 700 %s", wire.ShellWord(dir))
	}
	return nil
}
