package install

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// equipped returns a site on which Node and a browser are installed. Only the driver is missing.
func equipped(t *testing.T) *site {
	s := newSite(t)
	s.tool(t, "node", fakeNode)
	s.tool(t, "chromium", chromiumScript)
	return s
}

func TestTenInstallersFetchOnce(t *testing.T) {
	s := equipped(t)
	var wg sync.WaitGroup
	errs := make([]error, 10)
	for n := range errs {
		wg.Go(func() {
			i := *s.Installer
			errs[n] = i.Ensure(t.Context(), wire.Settings{})
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	if n := s.served.Load(); n != 1 {
		t.Errorf("the archive was fetched %d times, want 1", n)
	}
	found := s.installed(t)
	raw, err := os.ReadFile(filepath.Join(found.Driver.Directory, "package/lib/core.js"))
	want := `f(pageError.location?.url || ""); g(pageError.location?.url || "")`
	if err != nil || string(raw) != want {
		t.Errorf("the edited file is %q (%v), want %q", raw, err, want)
	}
	if info, err := os.Stat(filepath.Join(found.Driver.Directory, "package/bin/tool")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("package/bin/tool has not kept its mode: %v, %v", info.Mode(), err)
	}
	if left := s.leftovers(t); len(left) > 0 {
		t.Errorf("temporary files are left: %v", left)
	}
}

func TestBrokenDriverIsInstalledAgain(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(t *testing.T, dir string)
		sees  bool // npm.Package.Check detects the damage too; CheckAll always detects it
	}{
		{"no marker", func(t *testing.T, dir string) { must(t, os.Remove(filepath.Join(dir, "abrowser.json"))) }, true},
		{"half a marker", func(t *testing.T, dir string) { must(t, os.Truncate(filepath.Join(dir, "abrowser.json"), 30)) }, true},
		{"a file is missing", func(t *testing.T, dir string) { must(t, os.Remove(filepath.Join(dir, "package/cli.js"))) }, true},
		{"a file is empty", func(t *testing.T, dir string) { must(t, os.Truncate(filepath.Join(dir, "package/cli.js"), 0)) }, true},
		{"a byte was changed", func(t *testing.T, dir string) { flip(t, filepath.Join(dir, "package/lib/core.js")) }, true},
		{"a byte elsewhere", func(t *testing.T, dir string) { flip(t, filepath.Join(dir, "package/bin/tool")) }, false},
		{"another version", func(t *testing.T, dir string) { rewrite(t, filepath.Join(dir, "abrowser.json"), "1.60.0", "1.50.0") }, true},
		{"another archive", func(t *testing.T, dir string) { rewrite(t, filepath.Join(dir, "abrowser.json"), "sha512-", "sha512-x") }, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := equipped(t)
			if err := s.Ensure(t.Context(), wire.Settings{}); err != nil {
				t.Fatal(err)
			}
			dir := s.Root.Path("driver", "1.60.0")
			tt.spoil(t, dir)
			if _, err := s.FindDriver(t.Context()); errors.Is(err, wire.CodeNoDriver) != tt.sees {
				t.Errorf("FindDriver = %v, want an error: %v", err, tt.sees)
			}
			part := partNamed(t, s.Check(t.Context(), wire.Settings{}), "driver")
			if part.OK || part.Code != wire.CodeNoDriver || part.Hint != "abrowser install" {
				t.Errorf("doctor reports %+v", part)
			}
			parts, err := s.Install(t.Context(), wire.Settings{}, verbs.InstallIn{})
			if err != nil {
				t.Fatal(err)
			}
			if part := partNamed(t, parts, "driver"); !part.OK {
				t.Errorf("after the hint: %+v", part)
			}
			if left := s.leftovers(t); len(left) > 0 {
				t.Errorf("temporary files are left: %v", left)
			}
		})
	}
}

func TestCopiedDriverIsAccepted(t *testing.T) {
	s := equipped(t)
	if err := s.Ensure(t.Context(), wire.Settings{}); err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "driver")
	must(t, os.CopyFS(copied, os.DirFS(s.Root.Path("driver", "1.60.0")))) // with new times
	s2 := equipped(t)
	s2.machine.driver = s.machine.driver
	s2.setenv("ABROWSER_DRIVER_PATH", copied)
	err := s2.Ensure(t.Context(), wire.Settings{})
	found := s2.installed(t)
	if err != nil || found.Driver.Directory != copied || s2.served.Load() != 0 {
		t.Fatalf("Ensure = %+v, %v with %d fetches", found, err, s2.served.Load())
	}
	flip(t, filepath.Join(copied, "package/cli.js"))
	err = s2.Ensure(t.Context(), wire.Settings{})
	if got := wire.AsError(err); got == nil || got.Code != wire.CodeNoDriver || got.Hint != "unset ABROWSER_DRIVER_PATH" {
		t.Errorf("a changed copy: %+v", got)
	}
}

func TestTamperedArchiveIsRefused(t *testing.T) {
	s := equipped(t)
	good := *s.archive.Load()
	bad := bytes.Clone(good)
	bad[len(bad)/2] ^= 1
	s.archive.Store(&bad)
	err := s.Ensure(t.Context(), wire.Settings{})
	got := wire.AsError(err)
	if got == nil || got.Code != wire.CodeIntegrity || got.Hint != "ABROWSER_NPM_REGISTRY=https://registry.npmjs.org abrowser install" {
		t.Fatalf("Ensure = %+v", got)
	}
	if _, err := os.Stat(s.Root.Path("driver", "1.60.0")); err == nil {
		t.Error("it was installed")
	}
	if left := s.leftovers(t); len(left) > 0 {
		t.Errorf("temporary files are left: %v", left)
	}
	s.archive.Store(&good) // the archive that the registry in the hint has
	if err := s.Ensure(t.Context(), wire.Settings{}); err != nil {
		t.Errorf("after the hint: %v", err)
	}
}

func TestFetchFails(t *testing.T) {
	for _, tt := range []struct {
		name  string
		serve func(w http.ResponseWriter, ended <-chan struct{})
		stall time.Duration // 0 means the default
		want  string
	}{
		{"not found", func(w http.ResponseWriter, _ <-chan struct{}) { http.Error(w, "no", http.StatusNotFound) }, 0, "404"},
		{"too large", func(w http.ResponseWriter, _ <-chan struct{}) { w.Write(make([]byte, 2<<20)) }, 0, "more than"},
		{"stalls", func(w http.ResponseWriter, ended <-chan struct{}) {
			w.Write([]byte("x"))
			w.(http.Flusher).Flush()
			<-ended
		}, 300 * time.Millisecond, "received nothing for 300ms"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := equipped(t)
			if tt.stall > 0 {
				s.machine.stall = tt.stall
			}
			ended := make(chan struct{})
			s.serve = func(w http.ResponseWriter) { tt.serve(w, ended) }
			err := s.Ensure(t.Context(), wire.Settings{})
			close(ended)
			if !errors.Is(err, wire.CodeInstall) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Ensure = %v, want %q", err, tt.want)
			}
		})
	}
}

func TestRegistryMustBeAURL(t *testing.T) {
	s := equipped(t)
	s.setenv("ABROWSER_NPM_REGISTRY", "registry")
	if err := s.Ensure(t.Context(), wire.Settings{}); !errors.Is(err, wire.CodeBadInput) {
		t.Errorf("Ensure = %v", err)
	}
}

func TestNoInstall(t *testing.T) {
	s := equipped(t)
	s.setenv("ABROWSER_NO_INSTALL", "1")
	err := s.Ensure(t.Context(), wire.Settings{})
	got := wire.AsError(err)
	if got == nil || got.Code != wire.CodeNoDriver || got.Hint != "abrowser install" || s.served.Load() != 0 {
		t.Fatalf("Ensure = %+v with %d fetches", got, s.served.Load())
	}
	if _, err := s.Install(t.Context(), wire.Settings{}, verbs.InstallIn{}); err != nil {
		t.Errorf("the command install: %v", err)
	}
}

func TestInterruptedInstallLeavesNothing(t *testing.T) {
	s := equipped(t)
	left := s.Root.Path("driver", ".new-killed")
	must(t, os.MkdirAll(filepath.Join(left, "new"), 0o700))
	ctx, cancel := context.WithCancel(t.Context())
	s.serve = func(http.ResponseWriter) { cancel(); <-ctx.Done() }
	if err := s.Ensure(ctx, wire.Settings{}); !errors.Is(err, wire.CodeInterrupted) {
		t.Errorf("Ensure = %v", err)
	}
	if left := s.leftovers(t); len(left) > 0 {
		t.Errorf("temporary files are left: %v", left)
	}
}

// TestThroughProxy runs itself in a second process in which http_proxy is set. This process cannot
// set it, since net/http reads the variable only once.
func TestThroughProxy(t *testing.T) {
	s := equipped(t)
	if os.Getenv("INSTALL_TEST_PROXY") == "" {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestThroughProxy$", "-test.v")
		cmd.Env = append(os.Environ(), "INSTALL_TEST_PROXY=1", "http_proxy="+s.url)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "downloaded through the proxy") {
			t.Errorf("%v\n%s", err, out)
		}
		if s.served.Load() != 1 {
			t.Errorf("the proxy got %d requests", s.served.Load())
		}
		return
	}
	s.setenv("ABROWSER_NPM_REGISTRY", "http://registry.invalid")
	if err := s.Ensure(t.Context(), wire.Settings{}); err != nil {
		t.Fatal(err)
	}
	t.Log("downloaded through the proxy")
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// flip changes a byte of a file and keeps its size.
func flip(t *testing.T, path string) {
	t.Helper()
	raw, err := os.ReadFile(path)
	must(t, err)
	raw[0] ^= 1
	must(t, os.WriteFile(path, raw, 0o600))
}

func rewrite(t *testing.T, path, from, to string) {
	t.Helper()
	raw, err := os.ReadFile(path)
	must(t, err)
	must(t, os.WriteFile(path, bytes.Replace(raw, []byte(from), []byte(to), 1), 0o600))
}

func partNamed(t *testing.T, parts []verbs.Part, name string) verbs.Part {
	t.Helper()
	for _, p := range parts {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("no part %q in %+v", name, parts)
	return verbs.Part{}
}

func contains(t *testing.T, path, text string) bool {
	t.Helper()
	raw, err := os.ReadFile(path)
	must(t, err)
	return bytes.Contains(raw, []byte(text))
}
