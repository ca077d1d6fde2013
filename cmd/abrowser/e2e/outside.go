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

// leftDeadline is how long processes and files of a run may exist after the tests. When the main
// process of a browser has ended, its other processes need some time to end and to delete files.
const leftDeadline = 20 * time.Second

// surroundings are the processes and files that exist before a run. The files are those in the
// system's temporary directory and in the user's own HOME, to which a run must not add any.
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

// note appends to the notes file two facts that can be found out only while the home's browser
// runs. The first is the directory of the browser's singleton socket, which is outside of the
// home. The second is whether a browser or driver of another run exists: its files in the system's
// temporary directory cannot be distinguished from those of this run. [surroundings.left] uses
// both facts.
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

// stranger is the text in the notes file which says that a browser or driver of another run
// existed.
const stranger = "a stranger"

// strangersRun reports whether a browser or driver of another run is running.
func strangersRun() bool {
	return slices.ContainsFunc(processes(), func(p Process) bool {
		return (p.Kind() == KindBrowser || p.Kind() == KindDriver) && !p.mentions("/tmp/"+OwnPrefix())
	})
}

// left waits until all processes of this run have ended and all files that the run has added are
// deleted, but not longer than patience. It returns the processes and files that still exist. If a
// browser or driver of another run existed at the same time, left ignores the files in the
// system's temporary directory that may belong to the other run; .ci/run checks this directory
// again at the end.
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

// awaitOwnEnd waits until no process of this run is left, but not longer than patience.
func awaitOwnEnd(patience time.Duration) {
	Await(patience, func() bool {
		return !slices.ContainsFunc(processes(), func(p Process) bool {
			return p.PID != os.Getpid() && p.mentions("/tmp/"+OwnPrefix())
		})
	})
}
