package browsers

import (
	"context"
	"io/fs"
)

// The system's sandbox needs neither a helper nor permissions.
func tryNamespaces(context.Context, Browser) Sandbox { return Sandbox{On: true} }

func isOwnedByRoot(fs.FileInfo) bool { return false }
