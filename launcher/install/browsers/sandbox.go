package browsers

import (
	"context"
	"os"
	"path/filepath"
)

// Sandbox is the result of [FindSandbox]. If the sandbox is off, the browser must be started
// with --no-sandbox; without this argument it would not start at all.
type Sandbox struct {
	On   bool
	Why  string // why the sandbox is off, for messages
	Hint string // the command that would turn the sandbox on, or empty
}

// FindSandbox returns whether the browser can use its sandbox. The caller has checked that the user
// is not root.
func FindSandbox(ctx context.Context, b Browser) Sandbox {
	if hasSetuidHelper(b.Path) {
		return Sandbox{On: true}
	}
	return tryNamespaces(ctx, b)
}

// hasSetuidHelper reports whether chrome-sandbox, a helper that needs no user namespaces, is in
// a directory where the browser looks for it.
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
