// Package npm installs packages of the npm registry, each at one pinned version.
//
// A package's archive is downloaded to a file, and refused unless it has the pinned hash. An
// archive with this hash is unpacked into a temporary directory and edited there. Then the
// directory is renamed, so the package is installed completely or not at all. [Package.Check] is
// cheap enough to run at every start of abrowser, because it examines only the size and time of a
// few files, the key files. [Package.CheckAll] reads every file.
//
// This Go package does not resolve versions or dependencies, runs no scripts of a package, and
// makes no assumption about what a package is for. Package install uses it for Playwright's driver
// and for Node. Two processes must not install into one directory at the same time, so package
// install holds a lock while it uses an [Installer]. The invariant: an archive is parsed only after
// its hash has been compared with the pinned one and found equal.
package npm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

// Package is one package of the registry at a pinned version.
type Package struct {
	What        string // for messages
	Name        string
	Version     string
	Integrity   string   // of the archive, as npm writes it: sha512-BASE64
	Dir         string   // the name of its directory below [Installer.Dir]
	Key         []string // the key files, without which the package does not work
	KeyOnly     bool     // unpack only the key files
	MaxPacked   int64    // the limit for the size of the archive
	MaxUnpacked int64    // the limit for the total size of the files in the archive
	Edits       []Edit
}

// Edit replaces all occurrences of a text in one of the package's files.
type Edit struct{ File, From, To string }

// Installer installs packages below a directory. Dir, Registry and Log are required.
type Installer struct {
	Dir      string
	Registry string // its URL, without a slash at the end
	Log      *slog.Logger
	Progress io.Writer     // for messages about the progress; nil discards them
	Terminal bool          // Progress is a terminal
	Stall    time.Duration // how long a download may deliver nothing; 0 means one minute
}

const tempPrefix = ".new-"

// Install installs the package, unless it is installed and complete.
func (i *Installer) Install(ctx context.Context, p Package) error {
	if p.CheckAll(filepath.Join(i.Dir, p.Dir)) == nil {
		return nil
	}
	i.removeTemporary()
	err := i.install(ctx, p)
	if coded := (*wire.Error)(nil); err == nil || errors.As(err, &coded) {
		return err
	}
	return wire.Errorf(wire.CodeInstall, "installing %s %s: %v", p.What, p.Version, err).WithHint("abrowser install")
}

func (i *Installer) install(ctx context.Context, p Package) error {
	temp, err := os.MkdirTemp(i.Dir, tempPrefix)
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	archive, err := os.Create(filepath.Join(temp, "archive.tgz"))
	if err != nil {
		return err
	}
	defer archive.Close()
	if err := i.download(ctx, p, archive); err != nil {
		return err
	}
	if _, err := archive.Seek(0, io.SeekStart); err != nil {
		return err
	}
	made := filepath.Join(temp, "new")
	if err := os.Mkdir(made, 0o700); err != nil {
		return err
	}
	err = p.unpack(archive, made)
	if err == nil {
		err = p.edit(made)
	}
	if err == nil {
		err = p.mark(made)
	}
	if err != nil {
		return err
	}
	target := filepath.Join(i.Dir, p.Dir)
	if err := os.Rename(target, filepath.Join(temp, "old")); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("moving the previous installation away: %w", err)
	}
	return os.Rename(made, target)
}

// removeTemporary removes the temporary directories of installations that were killed. The caller
// holds the lock, so no running installation uses these directories.
func (i *Installer) removeTemporary() {
	entries, err := os.ReadDir(i.Dir)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), tempPrefix) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(i.Dir, e.Name())))
		}
	}
	if err != nil {
		i.Log.Warn("removing temporary files", "err", err)
	}
}

// url returns the URL of the package's archive. The file name of the archive does not contain the
// scope of the package's name.
func (p Package) url(registry string) string {
	return fmt.Sprintf("%s/%s/-/%s-%s.tgz", registry, p.Name, path.Base(p.Name), p.Version)
}

// keeps reports whether the file of the archive with this name is to be unpacked.
func (p Package) keeps(name string) bool { return !p.KeyOnly || slices.Contains(p.Key, name) }

// edit makes the package's edits below dir. It returns an error if a file does not contain the
// text to replace, since this means that the edit was written for another version of the package.
func (p Package) edit(dir string) error {
	for _, e := range p.Edits {
		file := filepath.Join(dir, e.File)
		old, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		edited := strings.ReplaceAll(string(old), e.From, e.To)
		if edited == string(old) {
			return fmt.Errorf("%s has no %q to replace", e.File, e.From)
		}
		if err := os.WriteFile(file, []byte(edited), 0o600); err != nil {
			return err
		}
	}
	return nil
}
