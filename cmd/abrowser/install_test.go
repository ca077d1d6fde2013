//go:build linux

package main_test

import (
	"context"
	"encoding/json"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/sockets/socketstest"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// bare returns a home in which commands may download a driver. It does not use the driver that the
// other tests share.
func bare(t *testing.T) *e2e.Home {
	t.Helper()
	h := e2e.NewHome(t)
	h.Env = nil
	return h
}

// copyDriver makes a copy of the tests' shared driver in the home, so that a test can damage the
// copy. It returns the directory of the copy.
func copyDriver(t *testing.T, h *e2e.Home) (dir string) {
	t.Helper()
	shared := os.Getenv(e2e.EnvDriver)
	dir = filepath.Join(h.Dir, "driver", filepath.Base(shared))
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS(shared)); err != nil {
		t.Fatal(err)
	}
	// CopyFS creates directories with mode 0777 less the umask. abrowser requires 0700.
	err := filepath.WalkDir(h.Dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		return os.Chmod(path, 0o700)
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// part runs doctor and returns its report on the named part of the installation. It also checks
// that doctor's exit status fits its reports.
func part(t *testing.T, h *e2e.Home, name string) verbs.Part {
	t.Helper()
	r := h.Try("", "--json", "doctor")
	var out verbs.PartsOut
	if err := json.Unmarshal(r.Envelope(t).Data, &out); err != nil {
		t.Fatalf("%v: %s", err, r)
	}
	i := slices.IndexFunc(out.Parts, func(p verbs.Part) bool { return p.Name == name })
	if i < 0 {
		t.Fatalf("doctor does not report on %s: %s", name, r)
	}
	p := out.Parts[i]
	if failed := slices.ContainsFunc(out.Parts, func(p verbs.Part) bool { return !p.OK }); failed != (r.Status != wire.ExitDone) {
		t.Errorf("the exit status does not fit: %s", r)
	}
	return p
}

// mend runs the command in a hint as a person would, in a shell that finds abrowser by its PATH.
// It fails the test if the command fails.
func mend(t *testing.T, h *e2e.Home, hint string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := h.Prepared(ctx, "")
	cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", hint}
	for i, v := range cmd.Env {
		if path, ok := strings.CutPrefix(v, "PATH="); ok {
			cmd.Env[i] = "PATH=" + filepath.Dir(h.Binary) + ":" + path
		}
	}
	if r := e2e.Finish(cmd, cmd.Args); r.Status != 0 {
		t.Fatalf("the hint %q does not work: %s", hint, r)
	}
}

// checkMends checks that doctor's hint repairs a part of the installation. The caller has broken
// the part. First, doctor must report the part with the given code and a hint. After the command
// in the hint has run, doctor must report that the part is in order.
func checkMends(t *testing.T, h *e2e.Home, name string, code wire.Code) {
	t.Helper()
	broken := part(t, h, name)
	if broken.OK || broken.Code != code || broken.Hint == "" {
		t.Fatalf("doctor says of the broken %s %+v, want code %s and a hint", name, broken, code)
	}
	mend(t, h, broken.Hint)
	if mended := part(t, h, name); !mended.OK {
		t.Errorf("after %q doctor says %+v", broken.Hint, mended)
	}
}

func TestDoctorMendsTheDriver(t *testing.T) {
	t.Parallel()
	t.Run("missing", func(t *testing.T) { checkMends(t, bare(t), "driver", wire.CodeNoDriver) })
	t.Run("of another version", func(t *testing.T) {
		h := bare(t)
		edit(t, filepath.Join(copyDriver(t, h), "package", "package.json"), `"version": "1.60.0"`, `"version": "1.59.0"`)
		checkMends(t, h, "driver", wire.CodeNoDriver)
	})
	t.Run("changed after it was installed", func(t *testing.T) {
		h := bare(t)
		edit(t, filepath.Join(copyDriver(t, h), "package", "lib", "coreBundle.js"), "use strict", "use strict ")
		checkMends(t, h, "driver", wire.CodeNoDriver)
	})
	t.Run("half deleted", func(t *testing.T) {
		h := bare(t)
		if err := os.RemoveAll(filepath.Join(copyDriver(t, h), "package", "lib")); err != nil {
			t.Fatal(err)
		}
		checkMends(t, h, "driver", wire.CodeNoDriver)
	})
}

func edit(t *testing.T, file, from, to string) {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(content), from) {
		t.Fatalf("%s has no %q to break", file, from)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(content), from, to, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// If PATH has no node, the command in doctor's hint installs one.
func TestDoctorMendsNode(t *testing.T) {
	t.Parallel()
	h := bare(t)
	bin := filepath.Join(h.Outer, "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"sh", "env"} {
		found, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(found, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	h.Env = append(h.Env, "PATH="+bin)
	copyDriver(t, h)
	checkMends(t, h, "node", wire.CodeNoDriver)

	// An old node on PATH is not used.
	old := filepath.Join(bin, "node")
	if err := socketstest.WriteProgram(old, []byte("#!/bin/sh\necho v12.22.9\n")); err != nil {
		t.Fatal(err)
	}
	if p := part(t, h, "node"); !p.OK || strings.Contains(p.Detail, old) {
		t.Errorf("with an old node on PATH doctor says %+v", p)
	}
	h.Env = append(h.Env, "ABROWSER_NODE="+old)
	if p := part(t, h, "node"); p.OK || p.Code != wire.CodeNoDriver {
		t.Errorf("with an old node asked for doctor says %+v", p)
	}
}

// install does not unpack an archive whose hash differs from the pinned one.
func TestTamperedArchiveIsRefused(t *testing.T) {
	t.Parallel()
	var served atomic.Int32
	registry := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		served.Add(1)
		_, _ = w.Write([]byte("\x1f\x8b not what was pinned"))
	}))
	defer registry.Close()
	h := bare(t)
	h.Env = append(h.Env, "ABROWSER_NPM_REGISTRY="+registry.URL)
	e := h.Fails(t, wire.CodeIntegrity, "", "install")
	if served.Load() == 0 || e.Error == nil || !strings.Contains(*e.Error, "sha512-") {
		t.Errorf("after %d requests install said %+v", served.Load(), e)
	}
	for _, f := range e2e.FilesBelow(filepath.Join(h.Dir, "driver")) {
		if info, err := os.Stat(f); err == nil && info.Mode().IsRegular() && info.Size() > 0 && filepath.Ext(f) != ".json" {
			t.Errorf("install left %s", f)
		}
	}
	// The first command of a task, which also tries to install the driver, fails with the same
	// error and leaves no process.
	h.Fails(t, wire.CodeIntegrity, "task", "open", "about:blank")
	if running := h.Running(); len(running) > 0 {
		t.Errorf("the refused start left %v", running)
	}
	mend(t, h, e.Hint)
	if p := part(t, h, "driver"); !p.OK {
		t.Errorf("after %q doctor says %+v", e.Hint, p)
	}
}

func TestDoctorMendsTheDirectory(t *testing.T) {
	t.Parallel()
	h := e2e.NewHome(t)
	h.Text(t, "", "install")
	for _, below := range []string{"", "run", "run/s", "profiles", "driver"} {
		dir := filepath.Join(h.Dir, below)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		chmod(t, dir, 0o755)
		checkMends(t, h, "directory", wire.CodeUnsafeDirectory)
	}
}

// If the browser that ABROWSER_EXECUTABLE_PATH names cannot be run, a command fails. It does not
// use another browser instead.
func TestDoctorMendsTheBrowser(t *testing.T) {
	t.Parallel()
	h := e2e.NewHome(t)
	h.Env = append(h.Env, "ABROWSER_EXECUTABLE_PATH=/nonexistent/chrome")
	broken := part(t, h, "browser")
	if broken.OK || broken.Code != wire.CodeNoBrowser || broken.Hint != "unset ABROWSER_EXECUTABLE_PATH" {
		t.Errorf("doctor says %+v", broken)
	}
	e := h.Fails(t, wire.CodeNoBrowser, "task", "open", "about:blank")
	if e.Hint != broken.Hint {
		t.Errorf("open hints at %q, doctor at %q", e.Hint, broken.Hint)
	}
	h.Try("task", "close")
	// The hint changes the environment of the caller's shell, so doctor runs in the same shell.
	mend(t, h, broken.Hint+" && abrowser doctor")

	stub := filepath.Join(h.Outer, "chrome")
	if err := os.WriteFile(stub, []byte("#!/bin/sh\necho no display >&2\nexit 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.Env = append(h.Env, "ABROWSER_EXECUTABLE_PATH="+stub)
	broken = part(t, h, "browser")
	if broken.OK || broken.Code != wire.CodeNoBrowser || !strings.HasPrefix(broken.Hint, "chmod +x ") {
		t.Errorf("doctor says of a browser without the right to run %+v", broken)
	}
	mend(t, h, broken.Hint)
	// The file can be executed now, but it is not a browser: the error contains its output.
	e = h.Fails(t, wire.CodeNoBrowser, "task", "open", "about:blank")
	if printed, _ := e.Details["stderr"].(string); !strings.Contains(printed, "no display") {
		t.Errorf("a browser that does not start: %+v", e)
	}
}

// With ABROWSER_NO_INSTALL, a command that needs a driver fails instead of downloading it. The
// hint of the error is `abrowser install`.
func TestNoInstallIsObeyed(t *testing.T) {
	t.Parallel()
	h := bare(t)
	h.Env = append(h.Env, "ABROWSER_NO_INSTALL=1")
	if e := h.Fails(t, wire.CodeNoDriver, "task", "open", "about:blank"); e.Hint != "abrowser install" {
		t.Errorf("the hint is %q", e.Hint)
	}
	if running := h.Running(); len(running) > 0 {
		t.Errorf("the refused start left %v", running)
	}
}
