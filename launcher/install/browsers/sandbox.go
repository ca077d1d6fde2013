package browsers

import (
	"context"
	"os"
	"path/filepath"
)

// Sandbox says whether a browser can use its sandbox. If it cannot, it must be started with
// --no-sandbox; otherwise it does not start at all.
type Sandbox struct {
	On   bool
	Why  string // why it is off, for messages
	Hint string // the command that would turn it on, if there is one
}

// FindSandbox returns whether the browser can use its sandbox as a user other than root.
func FindSandbox(ctx context.Context, b Browser) Sandbox {
	if hasSetuidHelper(b.Path) {
		return Sandbox{On: true}
	}
	return tryNamespaces(ctx, b)
}

// hasSetuidHelper reports whether the helper that needs no user namespaces is in a directory
// where the browser looks for it.
func hasSetuidHelper(browser string) bool {
	target, err := filepath.EvalSymlinks(browser)
	if err != nil {
		return false
	}
	for _, dir := range []string{filepath.Dir(target), "/usr/lib/chromium"} {
		info, err := os.Stat(filepath.Join(dir, "chrome-sandbox"))
		if err == nil && info.Mode()&os.ModeSetuid != 0 && isOwnedByRoot(info) {
			return true
		}
	}
	return false
}
