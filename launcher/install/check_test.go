package install

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

func TestCheckOnABareMachine(t *testing.T) {
	s := newSite(t)
	must(t, os.RemoveAll(s.Root.Dir))
	parts := s.Check(t.Context(), wire.Settings{})
	for _, want := range []verbs.Part{
		{Name: "directory", OK: true, Detail: s.Root.Dir + ", does not exist yet"},
		{Name: "driver", Code: wire.CodeNoDriver, Hint: "abrowser install"},
		{Name: "node", Code: wire.CodeNoDriver, Hint: "abrowser install"},
		{Name: "browser", Code: wire.CodeNoBrowser, Hint: "abrowser install"},
	} {
		got := partNamed(t, parts, want.Name)
		if got.OK != want.OK || got.Code != want.Code || got.Hint != want.Hint || got.Detail == "" {
			t.Errorf("%s: %+v, want %+v", want.Name, got, want)
		}
	}
	if _, err := os.Stat(s.Root.Dir); err == nil {
		t.Error("Check created the root")
	}
}

func TestHintRepairsDirectory(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(t *testing.T, s *site)
	}{
		{"others can use it", func(t *testing.T, s *site) {
			must(t, os.Chmod(s.Root.Dir, 0o755))
			must(t, os.Chmod(s.Root.Path("run"), 0o770))
		}},
		{"a file", func(t *testing.T, s *site) {
			must(t, os.RemoveAll(s.Root.Path("log")))
			must(t, os.WriteFile(s.Root.Path("log"), nil, 0o600))
		}},
		{"a link", func(t *testing.T, s *site) {
			must(t, os.RemoveAll(s.Root.Path("state")))
			must(t, os.Symlink("/tmp", s.Root.Path("state")))
		}},
		{"another user's", func(t *testing.T, s *site) {
			if os.Geteuid() != 0 {
				t.Skip("only root can give a directory away")
			}
			must(t, os.Chown(s.Root.Path("bin"), 65534, 65534))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSite(t)
			tt.spoil(t, s)
			part := partNamed(t, s.Check(t.Context(), wire.Settings{}), "directory")
			if part.OK || part.Code != wire.CodeUnsafeDirectory {
				t.Fatalf("doctor reports %+v", part)
			}
			if err := s.Root.Make(); err == nil {
				t.Error("Make accepts it")
			}
			if out, err := exec.CommandContext(t.Context(), "sh", "-c", part.Hint).CombinedOutput(); err != nil {
				t.Fatalf("%s: %v: %s", part.Hint, err, out)
			}
			if part := partNamed(t, s.Check(t.Context(), wire.Settings{}), "directory"); !part.OK {
				t.Errorf("after the hint: %+v", part)
			}
			must(t, s.Root.Make())
		})
	}
}

func TestCheckRunsTheBrowser(t *testing.T) {
	s := equipped(t)
	s.tool(t, "chromium", "#!/bin/sh\necho error while loading shared libraries: libnss3.so >&2; exit 127\n")
	part := partNamed(t, s.Check(t.Context(), wire.Settings{}), "browser")
	if part.OK || part.Code != wire.CodeNoBrowser || !strings.Contains(part.Detail, "libnss3.so") || part.Hint != "abrowser install --with-deps" {
		t.Errorf("doctor reports %+v", part)
	}
}

func TestCheckRunsNode(t *testing.T) {
	s := equipped(t)
	path := s.tool(t, "node", fakeNode)
	info, err := os.Stat(path)
	must(t, err)
	if _, err := s.FindNode(t.Context()); err != nil {
		t.Fatal(err)
	}
	// Node stops working, and its file keeps its size and time, as if a library was removed.
	must(t, os.WriteFile(path, []byte(strings.Replace(fakeNode, "/bin/sh", "/bin/no", 1)), 0o600))
	must(t, os.Chtimes(path, info.ModTime(), info.ModTime()))
	if part := partNamed(t, s.Check(t.Context(), wire.Settings{}), "node"); part.OK || part.Code != wire.CodeNoDriver {
		t.Errorf("doctor reports %+v", part)
	}
	_, err = s.Install(t.Context(), wire.Settings{}, verbs.InstallIn{})
	if err == nil || !strings.Contains(err.Error(), "none for this machine") {
		t.Errorf("Install uses the saved version: %v", err)
	}
}

func TestCheckSandbox(t *testing.T) {
	s := equipped(t)
	s.machine.root = true
	part := partNamed(t, s.Check(t.Context(), wire.Settings{}), "sandbox")
	if !part.OK || part.Detail != "off: Chromium does not support it for root; the browser is started with --no-sandbox" {
		t.Errorf("doctor reports %+v", part)
	}
	s.machine.root = false
	part = partNamed(t, s.Check(t.Context(), wire.Settings{}), "sandbox")
	if part.Detail != "on" && !strings.Contains(part.Detail, "namespaces") {
		t.Errorf("doctor reports %+v", part)
	}
	t.Logf("here: %s", part.Detail)
}
