package home

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/abrowser/abrowser/sockets/wire"
)

// canonical resolves the symbolic links in path. The last elements of path need not exist.
func canonical(path string) (string, error) {
	path = filepath.Clean(path)
	rest := ""
	for at := path; ; at = filepath.Dir(at) {
		real, err := filepath.EvalSymlinks(at)
		switch {
		case err == nil:
			return filepath.Join(real, rest), nil
		case !errors.Is(err, fs.ErrNotExist):
			return path, profileError(path, err)
		case at == filepath.Dir(at):
			return path, nil
		}
		if _, err := os.Lstat(at); err == nil {
			return path, wire.Errorf(wire.CodeBadInput, "the profile %s leads through a dangling link: %s", path, at).WithHint("give --profile another directory")
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}

// MakeProfile creates the profile's directory if the settings give the directory's path. In this
// case it returns an error if the path is not a directory or cannot be written. If the settings
// give the profile's name or a CDP endpoint, MakeProfile does nothing. The directory of a profile
// given by name is below the root, and contains the lock file of the browser's lease. Package
// sockets creates that directory when it acquires the lease.
func MakeProfile(s wire.Settings) error {
	dir := s.Profile
	if s.CDP != "" || !filepath.IsAbs(dir) {
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return profileError(dir, err)
	}
	if err := unix.Access(dir, unix.R_OK|unix.W_OK|unix.X_OK); err != nil {
		return profileError(dir, err)
	}
	return nil
}

// profileError returns the error for a profile directory that cannot be used.
func profileError(dir string, err error) error {
	const hint = "give --profile a directory of your own, or a name"
	if errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.EEXIST) {
		return wire.Errorf(wire.CodeBadInput, "the profile %s is not a directory", dir).WithHint(hint)
	}
	return wire.Errorf(wire.CodePermission, "using the profile's directory %s: %v", dir, wire.Errno(err)).WithHint(hint)
}

// PersonalProfiles lists the directories in which common browsers keep the user's own profiles. If
// such a browser accepts CDP connections, it writes its debugging port to the file
// DevToolsActivePort in its directory. The directories need not exist. The parameter lookup is
// os.LookupEnv.
func PersonalProfiles(lookup func(string) (string, bool)) []string {
	var all []string
	for _, p := range personalProfiles(runtime.GOOS, lookup) {
		all = append(all, p.dir)
	}
	return all
}

// personal returns the name of the browser that keeps the user's own profiles in dir or in a
// directory above it. It returns "" if no browser does.
func personal(dir string, lookup func(string) (string, bool)) string {
	for _, p := range personalProfiles(runtime.GOOS, lookup) {
		real, err := canonical(p.dir)
		if err == nil && (dir == real || strings.HasPrefix(dir, real+string(filepath.Separator))) {
			return p.of
		}
	}
	return ""
}

// personalProfile is the name of a browser and the directory in which it keeps the user's own
// profiles.
type personalProfile struct{ of, dir string }

func personalProfiles(system string, lookup func(string) (string, bool)) []personalProfile {
	home, _ := lookup("HOME")
	if !filepath.IsAbs(home) {
		return nil
	}
	if system == "darwin" {
		support := filepath.Join(home, "Library", "Application Support")
		return below(support, []personalProfile{
			{"Chrome", "Google/Chrome"},
			{"Chrome", "Google/Chrome Beta"},
			{"Chrome", "Google/Chrome Dev"},
			{"Chrome", "Google/Chrome Canary"},
			{"Chromium", "Chromium"},
			{"Edge", "Microsoft Edge"},
			{"Brave", "BraveSoftware/Brave-Browser"},
		})
	}
	config := filepath.Join(home, ".config")
	if xdg, ok := lookup("XDG_CONFIG_HOME"); ok && filepath.IsAbs(xdg) {
		config = xdg
	}
	return append(below(config, []personalProfile{
		{"Chrome", "google-chrome"},
		{"Chrome", "google-chrome-beta"},
		{"Chrome", "google-chrome-unstable"},
		{"Chromium", "chromium"},
		{"Edge", "microsoft-edge"},
		{"Brave", "BraveSoftware/Brave-Browser"},
	}), below(home, []personalProfile{
		{"Chromium", "snap/chromium/common/chromium"},
		{"Chromium", ".var/app/org.chromium.Chromium/config/chromium"},
		{"Chrome", ".var/app/com.google.Chrome/config/google-chrome"},
	})...)
}

func below(dir string, all []personalProfile) []personalProfile {
	for i := range all {
		all[i].dir = filepath.Join(dir, filepath.FromSlash(all[i].dir))
	}
	return all
}
