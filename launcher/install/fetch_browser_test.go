package install

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/launcher/install/npm/npmtest"
	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// debian makes the site a Debian machine on which this process runs as root. The machine has an
// apt-get script. The script appends its arguments to a file, whose path debian returns, and then
// runs the shell commands in the parameter apt.
func debian(t *testing.T, s *site, apt string) (noted string) {
	t.Helper()
	noted = filepath.Join(t.TempDir(), "apt")
	s.machine.root = true
	s.machine.packagesLock = filepath.Join(t.TempDir(), "packages.lock")
	s.machine.osRelease = filepath.Join(t.TempDir(), "os-release")
	must(t, os.WriteFile(s.machine.osRelease, []byte("NAME=x\nID=mint\nID_LIKE=\"ubuntu debian\"\n"), 0o600))
	s.setenv("PATH", s.tools+":/usr/bin:/bin")
	s.machine.kinds[1].Paths = []string{filepath.Join(s.tools, "chromium")}
	s.tool(t, "node", fakeNode)
	s.tool(t, "apt-get", "#!/bin/sh\necho \"$DEBIAN_FRONTEND $*\" >> "+noted+"\n"+apt)
	return noted
}

// aptInstalls returns shell commands for the parameter apt of debian. They install Chromium if
// apt-get's arguments name it.
func aptInstalls(s *site) string {
	return `case "$*" in *chromium*) printf '#!/bin/sh\necho Chromium 1.2.3\n' > ` + s.tools + `/chromium; chmod 755 ` + s.tools + "/chromium ;; esac\n"
}

func TestRootOnDebianUsesApt(t *testing.T) {
	s := newSite(t)
	noted := debian(t, s, aptInstalls(s))
	var shown bytes.Buffer
	s.Progress = &shown
	err := s.Ensure(t.Context(), wire.Settings{})
	found := s.installed(t)
	if err != nil || found.Browser.Path != filepath.Join(s.tools, "chromium") {
		t.Fatalf("Ensure = %+v, %v", found, err)
	}
	raw, err := os.ReadFile(noted)
	want := "noninteractive update\nnoninteractive install -y -o DPkg::Lock::Timeout=300 chromium\n"
	if err != nil || string(raw) != want {
		t.Errorf("apt-get was called with %q, want %q", raw, want)
	}
	if got := shown.String(); strings.Contains(got, "\r") || !strings.Contains(got, "abrowser: downloading the driver 1.60.0 (0.0 MB)\n") ||
		!strings.Contains(got, "abrowser: running apt-get update\n") {
		t.Errorf("progress %q", got)
	}
	// No part is missing any more, so no installer is run.
	must(t, os.Remove(noted))
	if err := s.Ensure(t.Context(), wire.Settings{}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(noted); err == nil {
		t.Error("apt-get ran again")
	}
}

// If another process is updating apt's lists, an installer tries again until it can update them.
func TestListsAreLocked(t *testing.T) {
	s := newSite(t)
	once := filepath.Join(t.TempDir(), "once")
	noted := debian(t, s, "[ -e "+once+" ] || { touch "+once+"; echo 'E: Could not get lock /var/lib/apt/lists/lock.' >&2; exit 100; }\n"+aptInstalls(s))
	if err := s.Ensure(t.Context(), wire.Settings{}); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(noted)
	if err != nil || strings.Count(string(raw), "update\n") != 2 || !strings.Contains(string(raw), " chromium\n") {
		t.Errorf("apt-get was called with %q, %v", raw, err)
	}
}

// An installer waits while an abrowser with another root installs packages, and then uses the
// browser that was installed.
func TestPackagesAreLocked(t *testing.T) {
	s := newSite(t)
	noted := debian(t, s, aptInstalls(s))
	lease, err := sockets.TryAcquire(s.machine.packagesLock)
	must(t, err)
	waits := make(waiting, 1)
	s.Progress = waits
	done := make(chan error, 1)
	go func() {
		err := s.Ensure(t.Context(), wire.Settings{})
		done <- err
	}()
	select {
	case <-waits:
	case err := <-done:
		t.Fatalf("Ensure = %v while another abrowser installs packages", err)
	}
	s.tool(t, "chromium", chromiumScript)
	must(t, lease.Close())
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if raw, err := os.ReadFile(noted); err == nil {
		t.Errorf("apt-get was called with %q although a browser is installed", raw)
	}
}

// waiting gets a value when an installer reports that it waits for another one.
type waiting chan struct{}

func (w waiting) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("waiting for it")) {
		w <- struct{}{}
	}
	return len(p), nil
}

func TestWithDeps(t *testing.T) {
	s := newSite(t)
	noted := debian(t, s, aptInstalls(s))
	s.tool(t, "chromium", chromiumScript)
	if _, err := s.Install(t.Context(), wire.Settings{}, verbs.InstallIn{WithDeps: true}); err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(noted)
	if err != nil || !strings.Contains(string(raw), "fonts-liberation") || strings.Contains(string(raw), " chromium") {
		t.Errorf("apt-get was called with %q, %v", raw, err)
	}
	s.machine.root = false
	_, err = s.Install(t.Context(), wire.Settings{}, verbs.InstallIn{WithDeps: true})
	if got := wire.AsError(err); got == nil || got.Code != wire.CodePermission || got.Hint != "sudo abrowser install --with-deps" {
		t.Errorf("as another user: %+v", got)
	}
}

func TestPlaywrightInstallerIsTheFallback(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the fake installer creates a browser for Linux")
	}
	for _, tt := range []struct {
		name string
		put  func(t *testing.T, s *site)
	}{
		{"not root", func(t *testing.T, s *site) {
			s.tool(t, "node", fakeNode)
			s.setenv("PATH", s.tools+":/usr/bin:/bin")
		}},
		{"apt-get fails", func(t *testing.T, s *site) { debian(t, s, "echo 'E: Unable to locate package' >&2; exit 100\n") }},
		{"apt-get brings a snap", func(t *testing.T, s *site) {
			debian(t, s, "printf '#!/bin/sh\\nexec /snap/bin/chromium\\n' > "+s.tools+"/chromium; chmod 755 "+s.tools+"/chromium\n")
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSite(t)
			tt.put(t, s)
			s.setenv("PLAYWRIGHT_BROWSERS_PATH", "/nowhere")
			err := s.Ensure(t.Context(), wire.Settings{})
			found := s.installed(t)
			want := s.Root.Path("driver", browsersDir, "chromium-1", "chrome-linux64", "chrome")
			if err != nil || found.Browser.Path != want || !found.Browser.Fetched {
				t.Fatalf("Ensure = %+v, %v", found, err)
			}
			if part := partNamed(t, s.Check(t.Context(), wire.Settings{}), "browser"); !part.OK || part.Detail != "Chromium 1.2.3 in "+want {
				t.Errorf("doctor reports %+v", part)
			}
		})
	}
}

func TestInstallerFailureIsReported(t *testing.T) {
	s := newSite(t)
	debian(t, s, "echo 'E: Unable to locate package' >&2; exit 100\n")
	broken := npmtest.Archive(t,
		npmtest.Entry{Name: "package/package.json"}, npmtest.Entry{Name: "package/lib/core.js", Body: "pageError.location.url"},
		npmtest.Entry{Name: "package/cli.js", Body: "#!/bin/sh\necho no network >&2; exit 1\n"},
	)
	s.archive.Store(&broken)
	s.machine.driver.Integrity = npmtest.Integrity(broken)
	err := s.Ensure(t.Context(), wire.Settings{})
	got := wire.AsError(err)
	if got == nil || got.Code != wire.CodeInstall || got.Hint != "abrowser install" ||
		!strings.Contains(got.Message, "no network") || !strings.Contains(got.Message, "Unable to locate") {
		t.Errorf("Ensure = %+v", got)
	}
}

func TestProgressOnATerminal(t *testing.T) {
	s := equipped(t)
	var shown bytes.Buffer
	s.Progress, s.Terminal = &shown, true
	if err := s.Ensure(t.Context(), wire.Settings{}); err != nil {
		t.Fatal(err)
	}
	if got := shown.String(); strings.Count(got, "\n") != 1 || !strings.HasPrefix(got, "\rabrowser: downloading the driver 1.60.0: 0.0 MB of 0.0 MB") {
		t.Errorf("progress %q", got)
	}
}

func TestWrongPathFetchesNothing(t *testing.T) {
	s := equipped(t)
	err := s.Ensure(t.Context(), wire.Settings{ExecutablePath: "/no/such/browser"})
	if !errors.Is(err, wire.CodeNoBrowser) {
		t.Errorf("Ensure = %v", err)
	}
}
