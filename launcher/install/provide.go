package install

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// provide puts the package in its place, unless it is there and whole. The caller
// holds the lock.
func (i *Installer) provide(ctx context.Context, p pack) error {
	target := i.Root.Path("driver", p.dir)
	if err := p.checkAll(target); err == nil {
		return nil
	}
	i.sweep()
	temp, err := os.MkdirTemp(i.Root.Path("driver"), tempPrefix)
	if err != nil {
		return installing(p, err)
	}
	defer os.RemoveAll(temp)
	if err := i.build(ctx, p, temp); err != nil {
		return err
	}
	return installing(p, replaceDir(filepath.Join(temp, "new"), target, filepath.Join(temp, "old")))
}

// build downloads, unpacks and marks the package as temp/new.
func (i *Installer) build(ctx context.Context, p pack, temp string) error {
	archive, err := os.OpenFile(filepath.Join(temp, "archive.tgz"), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return installing(p, err)
	}
	defer archive.Close()
	if err := i.download(ctx, p, archive); err != nil {
		return err
	}
	// Only what has the pinned hash is ever given to a parser.
	if _, err := archive.Seek(0, io.SeekStart); err != nil {
		return installing(p, err)
	}
	made := filepath.Join(temp, "new")
	if err := os.Mkdir(made, 0o700); err != nil {
		return installing(p, err)
	}
	if err := p.unpack(archive, made); err != nil {
		return installing(p, err)
	}
	if err := p.apply(made); err != nil {
		return installing(p, err)
	}
	return installing(p, p.mark(made))
}

func installing(p pack, err error) error {
	if err == nil {
		return nil
	}
	return wire.Errorf(wire.CodeInstall, "installing %s %s: %v", p.what, p.version, err).WithHint("abrowser install")
}

// replaceDir renames made to target; what is there already is set aside first.
func replaceDir(made, target, aside string) error {
	if err := os.Rename(target, aside); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("setting aside what was there: %w", err)
	}
	return os.Rename(made, target)
}

const tempPrefix = ".new-"

// sweep removes what installations that were killed left behind. The lock is
// held, so none of it is in use.
func (i *Installer) sweep() {
	entries, err := os.ReadDir(i.Root.Path("driver"))
	if err != nil {
		return
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), tempPrefix) {
			if err := os.RemoveAll(i.Root.Path("driver", e.Name())); err != nil {
				i.logger().Warn("sweeping up", "err", err)
			}
		}
	}
}
