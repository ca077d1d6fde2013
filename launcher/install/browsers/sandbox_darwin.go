package browsers

import (
	"context"
	"io/fs"
)

// tryNamespaces returns that the sandbox can be used. It tries nothing, since the sandbox of macOS
// needs neither a helper nor permissions.
func tryNamespaces(context.Context, Browser) Sandbox { return Sandbox{On: true} }

func isOwnedByRoot(fs.FileInfo) bool { return false }
