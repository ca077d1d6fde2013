//go:build linux

package e2e

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// noteSource reads the directories of the module. The go command caches the results of tests, and
// does not know that these tests run a program. But it notes which directories a test reads, and
// runs the test again if a file in one of them has changed. It notes only what is read while tests
// run, so Main cannot do this. Reading them once in a process is enough.
func noteSource() error {
	done := filepath.Join(filepath.Dir(os.Getenv(EnvBinary)), "noted")
	if err := os.Mkdir(done, 0o700); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return nil
		}
		return err
	}
	root := os.Getenv(envModule)
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && path != root && strings.HasPrefix(d.Name(), ".") {
			return filepath.SkipDir
		}
		return err
	})
}
