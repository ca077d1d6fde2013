package keeper

import (
	"os"
	"path/filepath"
	"strings"
)

// removeSingleton removes a directory that a killed browser left in the system's temporary
// directory. The directory contains the socket through which a second start of Chromium on the
// profile finds the running browser. A browser that ends by itself removes the directory. The
// caller must hold the profile's lease.
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
	// Only the files that Chromium puts there are removed; a directory with other files stays.
	for _, file := range []string{"SingletonSocket", "SingletonCookie", ""} {
		_ = os.Remove(filepath.Join(dir, file))
	}
}
