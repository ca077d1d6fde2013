//go:build linux

package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/socketstest"
	"github.com/abrowser/abrowser/sockets/wire"
)

// thinAlone copies the thin command line and the full program to a new directory, and returns the
// directory. The copy of the full program cannot be executed, so a command that needs it fails.
func thinAlone(t *testing.T, h *e2e.Home) (dir string) {
	t.Helper()
	dir = filepath.Join(h.Outer, "alone")
	copyProgram(t, h.Binary, filepath.Join(dir, "abrowser"))
	copyProgram(t, h.Binary+"d", filepath.Join(dir, "abrowserd"))
	chmod(t, filepath.Join(dir, "abrowserd"), 0o600)
	return dir
}

func copyProgram(t *testing.T, from, to string) {
	t.Helper()
	raw, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := socketstest.WriteProgram(to, raw); err != nil {
		t.Fatal(err)
	}
}

// The thin command line does not need the full program for help and for the frequent commands of a
// running session, so these are fast. It executes the full program for all other commands.
func TestThin(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	h.Text(t, "task", "open", s.URL("/page/one"))
	handsOver := h.Binary
	h.Binary = filepath.Join(thinAlone(t, h), "abrowser")
	defer func() { h.Binary = handsOver }() // the cleanup of the home needs the full program
	for _, words := range []string{
		"get url", "snapshot", "eval 1+1", "eval -b MSsx", "click h1", "screenshot", "wait 1", "status", "tab list", "browser status",
		"open " + s.URL("/page/two"), "help", "help click", "--version",
	} {
		if r := h.Try("task", strings.Fields(words)...); r.Status != wire.ExitDone {
			t.Errorf("the thin command line alone: %s", r)
		}
	}
	h.Text(t, "task", "batch", "get url")
	for _, words := range []string{"session list", "doctor", "eval --stdin", "batch", "mcp", "close --all", "kill", "completion bash"} {
		h.Fails(t, wire.CodeStart, "task", strings.Fields(words)...)
	}
	h.Fails(t, wire.CodeStart, "other", "get", "url") // its daemon does not run
	h.Fails(t, wire.CodeUnknownVerb, "task", "clik", "h1")
}

func TestThinFindsTheFullProgram(t *testing.T) {
	t.Parallel()
	h := e2e.NewHome(t)
	installed := h.Binary
	defer func() { h.Binary = installed }()
	link := filepath.Join(h.Outer, "bin", "abrowser")
	if err := os.MkdirAll(filepath.Dir(link), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(installed, link); err != nil {
		t.Fatal(err)
	}
	h.Binary = link
	h.Text(t, "", "session", "list")
	h.Binary = filepath.Join(h.Outer, "lone", "abrowser")
	copyProgram(t, installed, h.Binary)
	for _, words := range []string{"session list", "get url"} {
		if e := h.Fails(t, wire.CodeInstall, "task", strings.Fields(words)...); !strings.Contains(*e.Error, "abrowserd") || !strings.Contains(e.Hint, "just install") {
			t.Errorf("%s without the full program: %+v", words, e)
		}
	}
	h.Env = append(h.Env, "PATH="+filepath.Dir(installed)+":"+os.Getenv("PATH"))
	h.Text(t, "", "session", "list")
}
