package install

import (
	"context"
	"os"
	"path/filepath"
)

// Sandbox says whether a browser can have its sandbox here.
type Sandbox struct {
	On   bool
	Why  string // it is off, in words
	Hint string // the command that would turn it on, where there is one
}

// FindSandbox tells whether the browser can have its sandbox. Where it cannot, it
// must be started with --no-sandbox, or it does not start at all.
func (i *Installer) FindSandbox(ctx context.Context, b Browser) Sandbox {
	if i.on().root {
		return Sandbox{Why: "we run as root, as which Chromium has none"}
	}
	if setuidSandbox(b.Path) {
		return Sandbox{On: true}
	}
	return namespaces(ctx, b)
}

// setuidSandbox reports whether the helper that needs no user namespaces lies
// where the browser looks for it.
func setuidSandbox(browser string) bool {
	real, err := filepath.EvalSymlinks(browser)
	if err != nil {
		return false
	}
	for _, dir := range []string{filepath.Dir(real), "/usr/lib/chromium"} {
		info, err := os.Stat(filepath.Join(dir, "chrome-sandbox"))
		if err == nil && info.Mode()&os.ModeSetuid != 0 && ownedByRoot(info) {
			return true
		}
	}
	return false
}
