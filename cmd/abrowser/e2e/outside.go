//go:build linux

package e2e

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// leftDeadline is how long the other processes of a browser may take to clean up after it.
const leftDeadline = 20 * time.Second

// surroundings records the things that a run must not change: processes, the system's temporary
// directory, and the user's own HOME.
type surroundings struct {
	pids  map[int]bool
	files map[string]bool
}

func outside() surroundings {
	s := surroundings{pids: map[int]bool{}, files: map[string]bool{}}
	for _, p := range processes() {
		s.pids[p.PID] = true
	}
	for _, f := range traces() {
		s.files[f] = true
	}
	return s
}

// traces lists the files that the command, Chromium and Playwright leave if they are not stopped
// properly, and all entries of HOME and of its directories for configuration and data.
func traces() []string {
	var found []string
	patterns := []string{OwnPrefix() + "*", "abrowser*", "playwright*", ".org.chromium.*", ".com.google.*", "org.chromium.*", "scoped_dir*", "chromium*", "npm-*", "node-*"}
	for _, pattern := range patterns {
		matches, _ := filepath.Glob(filepath.Join(os.TempDir(), pattern)) // the patterns are valid
		found = append(found, matches...)
	}
	if home, err := os.UserHomeDir(); err == nil {
		for _, pattern := range []string{"*", ".config/*", ".local/share/*", ".pki/*"} {
			matches, _ := filepath.Glob(filepath.Join(home, pattern))
			found = append(found, matches...)
		}
	}
	return found
}

// note appends to the notes file what [surroundings.left] has to know and what can be found out
// only while the home's browser runs: the directory of the browser's singleton socket, which is
// outside the home, and whether a browser or driver of another run is running. The files of
// another run in the system's temporary directory cannot be distinguished from those of this run.
func (h *Home) note() error {
	var seen []string
	links, _ := filepath.Glob(filepath.Join(h.Dir, "profiles", "*", "SingletonSocket")) // the pattern is valid
	for _, link := range links {
		if socket, err := os.Readlink(link); err == nil {
			seen = append(seen, filepath.Dir(socket))
		}
	}
	if strangersRun() {
		seen = append(seen, stranger)
	}
	notes, err := os.OpenFile(os.Getenv(envNotes), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = notes.WriteString(strings.Join(append(seen, ""), "\n"))
	return errors.Join(err, notes.Close())
}

// stranger is the note that a browser or driver of another run was running.
const stranger = "a stranger"

// strangersRun reports whether a browser or driver of another run is running.
func strangersRun() bool {
	return slices.ContainsFunc(processes(), func(p Process) bool {
		return (p.Kind() == KindBrowser || p.Kind() == KindDriver) && !p.mentions("/tmp/"+OwnPrefix())
	})
}

// left waits until no process or file exists that did not exist before, and returns those that
// still exist when patience is over. If the tests of another package ran at the same time, left
// ignores files in the system's temporary directory that may be of the other run; .ci/run
// compares this directory again at the end.
func (s surroundings) left(patience time.Duration, notes string) []string {
	noted := strings.Split(notes, "\n")
	own := "/tmp/" + OwnPrefix()
	var left []string
	Await(patience, func() bool {
		left = nil
		alone := !slices.Contains(noted, stranger) && !strangersRun()
		for _, p := range processes() {
			if !s.pids[p.PID] && p.PID != os.Getpid() && p.mentions(own) {
				left = append(left, p.String())
			}
		}
		for _, f := range traces() {
			ours := strings.HasPrefix(f, own) || !strings.HasPrefix(f, os.TempDir()) || slices.Contains(noted, f)
			if !s.files[f] && (ours || alone) {
				left = append(left, f)
			}
		}
		return len(left) == 0
	})
	return left
}

// mentions reports whether the path of the process's executable starts with prefix, or one of the
// process's arguments contains prefix.
func (p Process) mentions(prefix string) bool {
	return strings.HasPrefix(p.Exe, prefix) ||
		slices.ContainsFunc(p.args, func(arg string) bool { return strings.Contains(arg, prefix) })
}

// awaitOwnEnd waits until no process of this run is left.
func awaitOwnEnd(patience time.Duration) {
	Await(patience, func() bool {
		return !slices.ContainsFunc(processes(), func(p Process) bool {
			return p.PID != os.Getpid() && p.mentions("/tmp/"+OwnPrefix())
		})
	})
}
