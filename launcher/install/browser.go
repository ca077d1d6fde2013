package install

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// Browser is a browser that can be started.
type Browser struct {
	Path     string
	Name     string // Chrome, Chromium, Edge, ...
	Headless bool   // it has no windows at all
	Fetched  bool   // an installation of ours fetched it
}

// family is a kind of browser and where it may be.
type family struct {
	name     string
	places   []string // absolute; before PATH, since wrappers there may do more than start it
	commands []string // names on PATH
	headless bool
	fetched  bool // lies below the root; places are patterns relative to it
}

// FindBrowser returns the browser to run: the one that the settings name, else
// the first one there is. None, or a named one that cannot be run, is
// [wire.CodeNoBrowser].
func (i *Installer) FindBrowser(s wire.Settings) (Browser, error) {
	if s.ExecutablePath != "" {
		return i.named(s.ExecutablePath)
	}
	snap := ""
	for _, f := range i.on().browsers {
		if f.headless && s.Headed {
			continue
		}
		for _, path := range i.candidates(f) {
			if isSnap(path) {
				snap = path
				continue
			}
			return Browser{Path: unwrapped(path), Name: f.name, Headless: f.headless, Fetched: f.fetched}, nil
		}
	}
	if snap != "" {
		return Browser{}, missing(wire.CodeNoBrowser, "no browser is installed but %s, which is a snap: %s", snap, whyNoSnap)
	}
	return Browser{}, missing(wire.CodeNoBrowser, "no Chrome, Chromium, Edge or Brave is installed")
}

// named checks the browser that somebody asked for. Another one is never run
// instead.
func (i *Installer) named(path string) (Browser, error) {
	refuse := func(format string, args ...any) (Browser, error) {
		return Browser{}, wire.Errorf(wire.CodeNoBrowser, format, args...).WithHint("%s", i.unname(path))
	}
	if !filepath.IsAbs(path) {
		return refuse("the browser's path %q is not absolute", path)
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return refuse("there is no browser at %s", path)
	case info.IsDir():
		return refuse("%s is a directory and no browser", path)
	case !executable(path) && !isProgram(path):
		return refuse("%s is no program", path)
	case !executable(path):
		return Browser{}, wire.Errorf(wire.CodeNoBrowser, "%s cannot be executed", path).WithHint("chmod +x %s", quoteShell(path))
	case isSnap(path):
		return refuse("%s is a snap: %s", path, whyNoSnap)
	}
	base := strings.ToLower(filepath.Base(path))
	return Browser{Path: path, Name: "Browser", Headless: strings.Contains(base, "headless")}, nil
}

// unname is the hint to no longer ask for the browser at path.
func (i *Installer) unname(path string) string {
	for _, name := range []string{"ABROWSER_EXECUTABLE_PATH", "AGENT_BROWSER_EXECUTABLE_PATH"} {
		if v, ok := i.lookup(name); ok && v == path {
			return "unset " + name
		}
	}
	return "leave out --executable-path, and the browser is found"
}

// isProgram reports whether the file begins as a program or script does, so that
// it may well be one that only lacks its mode.
func isProgram(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 4)
	n, _ := io.ReadFull(f, head) // a shorter file is no program
	switch head = head[:n]; {
	case bytes.HasPrefix(head, []byte("#!")), bytes.Equal(head, []byte("\x7fELF")):
		return true
	}
	return bytes.Equal(head, []byte("\xcf\xfa\xed\xfe")) || bytes.Equal(head, []byte("\xca\xfe\xba\xbe")) // macOS
}

// candidates lists the files of a family that can be run, the best first.
func (i *Installer) candidates(f family) []string {
	var found []string
	for _, place := range f.places {
		if f.fetched {
			matches, _ := filepath.Glob(i.Root.Path("driver", browsersDir, place)) // the pattern is ours
			slices.Sort(matches)
			slices.Reverse(matches) // the newest
			found = append(found, slices.DeleteFunc(matches, func(p string) bool { return !executable(p) })...)
			continue
		}
		if home, ok := i.lookup("HOME"); ok && strings.HasPrefix(place, "~/") {
			place = filepath.Join(home, place[2:])
		}
		if executable(place) {
			found = append(found, place)
		}
	}
	return append(found, i.onPath(f.commands...)...)
}

const whyNoSnap = "it cannot read the directory of its profile, nor talk to us over a pipe"

// isSnap reports whether path leads to a snap: by its place, by a link to the
// snap command, or as the script that Ubuntu installs in a browser's place.
func isSnap(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		real = path
	}
	if strings.HasPrefix(path, "/snap/") || strings.HasPrefix(real, "/snap/") || filepath.Base(real) == "snap" {
		return true
	}
	f, err := os.Open(real)
	if err != nil {
		return false
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, 16<<10))
	return err == nil && bytes.HasPrefix(head, []byte("#!")) &&
		(bytes.Contains(head, []byte("/snap/bin/")) || bytes.Contains(head, []byte("snap install")))
}

// unwrapped returns the program beside a vendor's start script. The script's
// helpers would hold what the browser inherits, the pipe to it among them.
func unwrapped(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return path
	}
	program, ok := map[string]string{
		"google-chrome": "chrome", "google-chrome-beta": "chrome", "google-chrome-unstable": "chrome",
		"microsoft-edge": "msedge", "brave-browser": "brave",
	}[filepath.Base(real)]
	if beside := filepath.Join(filepath.Dir(real), program); ok && executable(beside) {
		return beside
	}
	return path
}

// quoteShell quotes a word for a hint, where it needs that.
func quoteShell(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:@%,=", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
