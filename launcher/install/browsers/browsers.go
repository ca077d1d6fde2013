// Package browsers finds the browser to run, and finds out whether Chromium's sandbox works for it.
//
// It searches for Chrome, Chromium, Edge and Brave in their usual directories and on PATH,
// then for a browser that package install has fetched, and last for a headless shell, which has
// no windows. A browser that is a snap is never chosen, since a snap can neither read the
// directory of its profile nor use a pipe to its parent process.
//
// The package runs no browser and fetches nothing. Package install uses it. The invariant: a
// browser that the user names is either returned, or refused with the reason. No other browser
// is returned in its place.
package browsers

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// Browser is a browser that can be started.
type Browser struct {
	Path     string
	Headless bool // it cannot show windows
	Fetched  bool // an installation fetched it
}

// Kind is a kind of browser and the places where it may be installed.
type Kind struct {
	Paths    []string // absolute, or below ~/; tried before Commands, which may be wrapper scripts
	Commands []string // names on PATH
	Headless bool
	Fetched  bool // Paths are patterns below the finder's Fetched directory
}

// Finder finds browsers. All fields are required.
type Finder struct {
	Lookup  func(string) (string, bool) // reads the caller's environment
	Fetched string                      // the directory of the browsers that installations fetched
	Kinds   []Kind                      // in order of preference, see [Kinds]
}

const whyNoSnap = "it cannot read the directory of its profile, nor use a pipe to its parent"

// Find returns the first browser that is installed. If headed is set, it returns only a browser
// that can show windows.
func (f Finder) Find(headed bool) (Browser, error) {
	snap := ""
	for _, k := range f.Kinds {
		if k.Headless && headed {
			continue
		}
		for _, path := range f.candidates(k) {
			if isSnap(path) {
				snap = path
				continue
			}
			return Browser{Path: unwrapped(path), Headless: k.Headless, Fetched: k.Fetched}, nil
		}
	}
	if snap != "" {
		return Browser{}, fmt.Errorf("no browser is installed except %s, which is a snap: %s", snap, whyNoSnap)
	}
	return Browser{}, errors.New("no Chrome, Chromium, Edge or Brave is installed")
}

// candidates returns the executables of a kind of browser that exist, in order of preference.
func (f Finder) candidates(k Kind) []string {
	var found []string
	for _, path := range k.Paths {
		if k.Fetched {
			matches, _ := filepath.Glob(filepath.Join(f.Fetched, path)) // the pattern is valid
			slices.Sort(matches)
			slices.Reverse(matches) // the newest first
			found = append(found, matches...)
			continue
		}
		if below, ok := strings.CutPrefix(path, "~/"); ok {
			home, _ := f.Lookup("HOME")
			path = filepath.Join(home, below)
		}
		found = append(found, path)
	}
	found = slices.DeleteFunc(found, func(path string) bool { return !isExecutable(path) })
	return append(found, LookPath(f.Lookup, k.Commands...)...)
}

// At returns the browser at the path that the user named. If the browser cannot be used, the
// error is [wire.CodeNoBrowser], with a hint that says how to correct the file or the path.
func (f Finder) At(path string) (Browser, error) {
	refuse := func(format string, args ...any) (Browser, error) {
		return Browser{}, wire.Errorf(wire.CodeNoBrowser, format, args...).WithHint("%s", f.UnsetHint(path))
	}
	if !filepath.IsAbs(path) {
		return refuse("the browser's path %q is not absolute", path)
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return refuse("no browser at %s", path)
	case info.IsDir():
		return refuse("%s is a directory, not a browser", path)
	case !isExecutable(path) && !isProgram(head(path)):
		return refuse("%s is not a program", path)
	case !isExecutable(path):
		return Browser{}, wire.Errorf(wire.CodeNoBrowser, "%s is not executable", path).WithHint("chmod +x %s", wire.ShellWord(path))
	case isSnap(path):
		return refuse("%s is a snap: %s", path, whyNoSnap)
	}
	base := strings.ToLower(filepath.Base(path))
	return Browser{Path: path, Headless: strings.Contains(base, "headless")}, nil
}

// UnsetHint returns a hint for a user who has named the browser at path. It says which variable or
// argument to remove, so that abrowser finds a browser itself.
func (f Finder) UnsetHint(path string) string {
	if name, value := wire.LookupVariable(f.Lookup, wire.Variables("EXECUTABLE_PATH")); value == path {
		return "unset " + name
	}
	return "leave out --executable-path, and abrowser finds a browser"
}

// LookPath returns the executables with these names on PATH. The function lookup returns the value
// of PATH. LookPath ignores relative directories, since a daemon runs in another directory.
func LookPath(lookup func(string) (string, bool), names ...string) []string {
	list, _ := lookup("PATH")
	var found []string
	for _, name := range names {
		for _, dir := range filepath.SplitList(list) {
			if path := filepath.Join(dir, name); isExecutable(path) {
				found = append(found, path)
			}
		}
	}
	return found
}

// isExecutable reports whether path is absolute and a file that can be executed.
func isExecutable(path string) bool {
	_, err := exec.LookPath(path)
	return err == nil && filepath.IsAbs(path)
}

// head returns the first 16 KB of a file, or "" if the file cannot be read.
func head(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, 16<<10))
	if err != nil {
		return ""
	}
	return string(raw)
}

// isProgram reports whether a file with this head is a program or a script. Such a file may be
// a browser that only lacks the mode bit.
func isProgram(head string) bool {
	return slices.ContainsFunc([]string{"#!", "\x7fELF", "\xcf\xfa\xed\xfe", "\xca\xfe\xba\xbe"}, func(magic string) bool { // the last two are for macOS
		return strings.HasPrefix(head, magic)
	})
}

// isSnap reports whether path leads to a snap. This is so if the file at path is one of these:
//   - a file below /snap, or a link to one
//   - a link to the command snap
//   - a script that calls snap; Ubuntu installs such a script in place of a browser
func isSnap(path string) bool {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		target = path
	}
	if strings.HasPrefix(path, "/snap/") || strings.HasPrefix(target, "/snap/") || filepath.Base(target) == "snap" {
		return true
	}
	script := head(target)
	return strings.HasPrefix(script, "#!") && (strings.Contains(script, "/snap/bin/") || strings.Contains(script, "snap install"))
}

// unwrapped returns the program of the browser if path is a vendor's start script and the program
// is in the same directory. Otherwise it returns path. The script is avoided because it starts
// other processes, which keep open the files that the browser inherits, including the pipe to the
// browser.
func unwrapped(path string) string {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return path
	}
	program, ok := map[string]string{
		"google-chrome": "chrome", "google-chrome-beta": "chrome", "google-chrome-unstable": "chrome",
		"microsoft-edge": "msedge", "brave-browser": "brave",
	}[filepath.Base(target)]
	if beside := filepath.Join(filepath.Dir(target), program); ok && isExecutable(beside) {
		return beside
	}
	return path
}
