//go:build linux

package recovery_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/wire"
)

// damages returns functions that damage a file, by the name of the damage.
func damages() map[string]func(path string) error {
	write := func(content string) func(string) error {
		return func(path string) error { return os.WriteFile(path, []byte(content), 0o600) }
	}
	return map[string]func(string) error{
		"empty":     write(""),
		"garbage":   write("\x00\xff{]no state at all"),
		"null":      write("null"),
		"a list":    write(`[{"owners":7}]`),
		"truncated": func(path string) error { return os.Truncate(path, 40) },
		// A directory in place of the file cannot be read even by root. RemoveAll also succeeds if
		// the file does not exist. The file may be missing if the broker was killed during a save.
		"no file": func(path string) error { return errJoin(os.RemoveAll(path), os.Mkdir(path, 0o700)) },
	}
}

func errJoin(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// stateFiles lists the files in which sessions and the browser keep their state, and the lock
// files. It omits the temporary files in state/tmp.
func stateFiles(h *e2e.Home) []string {
	var all []string
	for _, dir := range []string{"state", "run"} {
		for _, path := range e2e.FilesBelow(filepath.Join(h.Dir, dir)) {
			if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && !strings.HasPrefix(path, filepath.Join(h.Dir, "state", "tmp")) {
				all = append(all, path)
			}
		}
	}
	return append(all, filepath.Join(h.Dir, "profiles", "default", "abrowser.lock"))
}

// TestDamagedFiles damages one state or lock file after another. Before each damage, it kills the
// daemon of session "one". If the session's next command fails, its error must name the damaged
// file, or have a code that the kill of a process may also cause (see [e2e.Allowed]). No tab may be
// lost, and each tab must still belong to its task.
func TestDamagedFiles(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	for _, session := range []string{"one", "two"} {
		h.Text(t, session, "open", s.URL("/secret?"+session))
		h.Text(t, session, "snapshot")
		h.Text(t, session, "fill", "#kept", "kept by "+session)
	}
	marks := map[string]e2e.Mark{"one": e2e.MarkOf(t, h, "one"), "two": e2e.MarkOf(t, h, "two")}
	files := stateFiles(h)
	if len(files) < 4 {
		t.Fatalf("the files are %q", files)
	}
	type damaged struct{ path, name string }
	var all []damaged
	names := slices.Sorted(mapKeys(damages()))
	for i, path := range files {
		if filepath.Base(path) != "browser-default.json" { // one kind of damage per file
			all = append(all, damaged{path, names[i%len(names)]})
			continue
		}
		// This file records which session owns which tab, so it is damaged in three ways, one
		// after the other. Each way needs a kill of the broker. The other ways are left out,
		// because the keeper gives up when a broker dies for the fifth time within 20 s.
		for _, name := range []string{"empty", "garbage", "no file"} {
			all = append(all, damaged{path, name})
		}
	}
	for _, d := range all {
		path, name := d.path, d.name
		below, _ := filepath.Rel(h.Dir, path)
		t.Run(strings.ReplaceAll(below, "/", " ")+" is "+name, func(t *testing.T) {
			whole, err := os.ReadFile(path)
			if err != nil {
				// The file existed when the list was made, and was removed since then. Files that
				// always exist are never skipped.
				t.Skip("the file does not exist any more")
			}
			if err := e2e.Kill(h.Daemon("one")); err != nil {
				t.Fatal(err)
			}
			keeper := h.Of(e2e.KindKeeper)[0]
			if strings.Contains(below, "browser-default") { // a running broker would rewrite the file
				e2e.Stop(t, keeper)
				if err := e2e.Kill(h.Of(e2e.KindBroker)[0]); err != nil {
					t.Fatal(err)
				}
			}
			if err := damages()[name](path); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Kill(keeper.PID, syscall.SIGCONT); err != nil {
				t.Fatal(err)
			}
			r := h.Try("one", "--json", "get", "url")
			if e := r.Envelope(t); !e.Success && !strings.Contains(*e.Error, filepath.Base(path)) && !e2e.Allowed(e.Code) {
				t.Errorf("the error does not name the file: %s", r)
			}
			// If a directory has replaced the file and abrowser has not removed it, put the file
			// back.
			if info, err := os.Lstat(path); err == nil && info.IsDir() {
				if err := errJoin(os.Remove(path), os.WriteFile(path, whole, 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			for session, want := range marks {
				if got := e2e.MarkOf(t, h, session); got != want {
					t.Errorf("session %s came back to %v, want %v", session, got, want)
				}
			}
		})
	}
}

func mapKeys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// If the run directory, which contains the sockets, is removed or replaced while daemons and the
// broker run, the next commands find the tabs again.
func TestRunDirectoryGoes(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	run := filepath.Join(h.Dir, "run")
	for _, test := range []struct {
		name string
		do   func() error
	}{
		{"removed", func() error { return os.RemoveAll(run) }},
		{"replaced", func() error { return errJoin(os.Rename(run, run+".away"), os.MkdirAll(filepath.Join(run, "b"), 0o700)) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			h.Text(t, "task", "open", s.URL("/secret"))
			h.Text(t, "task", "fill", "#kept", test.name)
			before, browser := e2e.MarkOf(t, h, "task"), h.Of(e2e.KindBrowser)
			if err := test.do(); err != nil {
				t.Fatal(err)
			}
			// The old daemon and driver end some time after their sockets are gone, so a command
			// may fail until then.
			if !e2e.Await(time.Minute, func() bool {
				r := h.Try("task", "--json", "eval", "reveal()")
				e := r.Envelope(t)
				if !e.Success && !e2e.Allowed(e.Code) {
					t.Fatalf("%s", r)
				}
				e2e.Await(3*time.Second, func() bool { return false })
				return e.Success
			}) {
				t.Fatal("the session does not come back")
			}
			if after := e2e.MarkOf(t, h, "task"); after != before {
				t.Errorf("the session came back to %v, want %v", after, before)
			}
			if now := h.Of(e2e.KindBrowser); len(now) != 1 || now[0].PID != browser[0].PID {
				t.Errorf("the browser was %v and is %v", browser, now)
			}
			if !e2e.Await(10*time.Second, func() bool { return len(h.Of(e2e.KindDaemon)) == 1 }) {
				t.Errorf("daemons: %v", h.Of(e2e.KindDaemon))
			}
		})
	}
}

// After the clock was set back, the files on disk have times in the future. All commands work, and
// no tab counts as old.
func TestFilesOfTomorrow(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	h.Text(t, "task", "open", s.URL("/secret"))
	h.Text(t, "task", "fill", "#kept", "kept")
	before := e2e.MarkOf(t, h, "task")
	h.Text(t, "task", "close")
	tomorrow := time.Now().Add(26 * time.Hour)
	table := filepath.Join(h.Dir, "state", "browser-default.json")
	text, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	today := regexp.MustCompile(`"\d{4}-\d\d-\d\dT[0-9:.]+Z"`)
	text = today.ReplaceAll(text, fmt.Appendf(nil, "%q", tomorrow.UTC().Format(time.RFC3339)))
	if err := os.WriteFile(table, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := e2e.Kill(h.Of(e2e.KindBroker)[0]); err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(h.Dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || strings.Contains(path, "/profiles/") || e.Type()&(fs.ModeSymlink|fs.ModeSocket) != 0 {
			// Skip Chromium's own files, which it may delete at any time. Skip the sockets, since
			// a daemon recognizes its socket by the modification time.
			return nil
		}
		if err := os.Chtimes(path, tomorrow, tomorrow); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil // the new broker replaces its file by renaming two files
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"session", "list"}, {"tab", "--all"}, {"tab", "prune", "--older-than", "1h"}, {"doctor"}} {
		if r := h.Try("task", args...); r.Status != wire.ExitDone {
			t.Errorf("%s", r)
		}
	}
	if after := e2e.MarkOf(t, h, "task"); after != before {
		t.Errorf("the session came back to %v, want %v", after, before)
	}
}
