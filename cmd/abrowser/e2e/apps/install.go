package apps

import (
	"context"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/abrowser/abrowser/launcher/install/npm"
	"github.com/abrowser/abrowser/sockets"
)

// Dir returns the directory for the packages. All tests and all runs share it.
func Dir() (string, error) {
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "abrowser-tests", "apps"), err
}

// install downloads the packages that are missing below dir, one process at a time. It returns the
// files of each package by the package's alias.
func install(ctx context.Context, dir string) (map[string]fs.FS, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	lock, err := sockets.Acquire(ctx, filepath.Join(dir, "lock"))
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	installer := npm.Installer{Dir: dir, Registry: npm.PublicRegistry, Log: slog.New(slog.DiscardHandler)}
	files := map[string]fs.FS{}
	for _, s := range sources() {
		p := s.pack()
		target := filepath.Join(dir, p.Dir)
		if p.Check(target) != nil {
			if err := installer.Install(ctx, p); err != nil {
				return nil, err
			}
		}
		files[s.alias] = os.DirFS(filepath.Join(target, "package"))
	}
	return files, nil
}
