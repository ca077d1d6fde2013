package broker

import (
	"os"
	"path/filepath"
	"strings"
)

// sweep removes what a killed browser left in the system's temp folder: the
// directory with the socket by which a second start of it would find the first. One
// that ends by itself removes it. The caller holds the profile.
func sweep(profile string) {
	socket, err := os.Readlink(filepath.Join(profile, "SingletonSocket"))
	if err != nil {
		return
	}
	dir := filepath.Dir(socket)
	name := strings.TrimPrefix(filepath.Base(dir), ".")
	if !filepath.IsAbs(dir) || !strings.HasPrefix(name, "org.chromium.") && !strings.HasPrefix(name, "com.google.Chrome.") {
		return
	}
	if _, lives := holder(profile); lives {
		return
	}
	// Nothing but what is known to be there: what stays, stays.
	for _, file := range []string{"SingletonSocket", "SingletonCookie", ""} {
		_ = os.Remove(filepath.Join(dir, file))
	}
}
