package keeper

import (
	"os"
	"path/filepath"
	"strings"
)

// removeSingleton removes what a killed browser left in the system's temporary directory:
// the directory with the socket through which a second start of Chromium finds the first.
// A browser that ends by itself removes it. The caller must hold the profile's lease.
func removeSingleton(profile string) {
	socket, err := os.Readlink(filepath.Join(profile, "SingletonSocket"))
	if err != nil {
		return
	}
	dir := filepath.Dir(socket)
	name := strings.TrimPrefix(filepath.Base(dir), ".")
	if !filepath.IsAbs(dir) || !strings.HasPrefix(name, "org.chromium.") && !strings.HasPrefix(name, "com.google.Chrome.") {
		return
	}
	if _, held := holder(profile); held {
		return
	}
	// Only the files that Chromium puts there; a directory with others stays.
	for _, file := range []string{"SingletonSocket", "SingletonCookie", ""} {
		_ = os.Remove(filepath.Join(dir, file))
	}
}
