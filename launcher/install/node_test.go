package install

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/launcher/install/npm"
	"github.com/abrowser/abrowser/launcher/install/npm/npmtest"
	"github.com/abrowser/abrowser/sockets/wire"
)

// counting returns a script that prints a version like Node, and appends a line to a file at each
// start.
func counting(file, version string) string {
	return "#!/bin/sh\necho started >> " + file + "\necho " + version + "\n"
}

func starts(t *testing.T, file string) int {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Count(string(raw), "started")
}

func TestNodeVersionIsSaved(t *testing.T) {
	s := newSite(t)
	noted := filepath.Join(t.TempDir(), "noted")
	path := s.tool(t, "node", counting(noted, "v18.19.1"))
	for range 3 {
		i := *s.Installer
		n, err := i.FindNode(t.Context())
		if err != nil || n != (Node{Path: path, Version: "v18.19.1"}) {
			t.Fatalf("FindNode = %+v, %v", n, err)
		}
	}
	if got := starts(t, noted); got != 1 {
		t.Errorf("node was started %d times, want 1", got)
	}
	s.tool(t, "node", counting(noted, "v22.0.10")) // an upgrade
	if n, err := s.FindNode(t.Context()); err != nil || n.Version != "v22.0.10" {
		t.Errorf("after an upgrade FindNode = %+v, %v", n, err)
	}
}

// If no driver is installed, for example because the user has run only doctor, the search for Node
// creates no directory.
func TestNodeVersionIsNotSavedWithoutADriver(t *testing.T) {
	s := newSite(t)
	s.tool(t, "node", fakeNode)
	s.Root.Dir = filepath.Join(t.TempDir(), "none")
	if _, err := s.FindNode(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(s.Root.Dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Stat(%s) = %v, want that it does not exist", s.Root.Dir, err)
	}
}

func TestUnusableNodeIsSkipped(t *testing.T) {
	for _, tt := range []struct{ name, script, why string }{
		{"old", "#!/bin/sh\necho v16.20.0\n", `is "v16.20.0"`},
		{"not node", "#!/bin/sh\necho hello\n", `is "hello"`},
		{"broken", "#!/bin/sh\necho libstdc++ is missing >&2; exit 127\n", "libstdc++ is missing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSite(t)
			s.tool(t, "node", tt.script)
			_, err := s.FindNode(t.Context())
			got := wire.AsError(err)
			if got == nil || got.Code != wire.CodeNoDriver || got.Hint != "abrowser install" || !strings.Contains(got.Message, tt.why) {
				t.Fatalf("FindNode = %+v", got)
			}
			better := t.TempDir() // a later directory on PATH, which has a usable Node
			s.setenv("PATH", s.tools+":relative:"+better)
			s.tools = better
			want := s.tool(t, "node", fakeNode)
			if n, err := s.FindNode(t.Context()); err != nil || n.Path != want {
				t.Errorf("FindNode = %+v, %v; want %s", n, err, want)
			}
		})
	}
}

func TestNodeByName(t *testing.T) {
	s := newSite(t)
	s.setenv("ABROWSER_NODE", "/no/such/node")
	err := s.Ensure(t.Context(), wire.Settings{})
	_, err2 := s.FindNode(t.Context())
	if got := wire.AsError(err2); got == nil || got.Hint != "unset ABROWSER_NODE" || err == nil {
		t.Errorf("FindNode = %+v; Ensure = %v", got, err)
	}
}

func TestNodeIsFetched(t *testing.T) {
	s := newSite(t)
	s.tool(t, "chromium", "#!/bin/sh\necho Chromium 1.2.3\n")
	// The site serves one archive for every name, so this archive has the files of both packages.
	both := npmtest.Archive(t,
		npmtest.Entry{Name: "package/package.json", Body: `{"version":"1.60.0"}`},
		npmtest.Entry{Name: "package/cli.js", Body: cli},
		npmtest.Entry{Name: "package/lib/core.js", Body: "pageError.location.url"},
		npmtest.Entry{Name: "package/bin/node", Body: fakeNode, Mode: 0o111},
	)
	s.archive.Store(&both)
	s.machine.driver.Integrity = npmtest.Integrity(both)
	s.machine.node = func() (npm.Package, bool) {
		return npm.Package{
			What: "Node", Name: "node-here", Version: "22.9.9", Dir: "node-22.9.9", Integrity: npmtest.Integrity(both),
			Key: []string{"package/bin/node"}, KeyOnly: true, MaxPacked: 1 << 20, MaxUnpacked: 1 << 20,
		}, true
	}
	part := partNamed(t, s.Check(t.Context(), wire.Settings{}), "node")
	if part.OK || part.Code != wire.CodeNoDriver || part.Hint != "abrowser install" {
		t.Errorf("doctor reports %+v", part)
	}
	err := s.Ensure(t.Context(), wire.Settings{})
	found := s.installed(t)
	want := s.Root.Path("driver", "node-22.9.9", "package", "bin", "node")
	if err != nil || found.Driver.Node != (Node{Path: want, Version: "v22.9.9"}) {
		t.Fatalf("Ensure = %+v, %v", found, err)
	}
	if _, err := os.Stat(s.Root.Path("driver", "node-22.9.9", "package", "cli.js")); err == nil {
		t.Error("a file was unpacked that is not needed")
	}
	if part := partNamed(t, s.Check(t.Context(), wire.Settings{}), "node"); !part.OK {
		t.Errorf("after the hint doctor reports %+v", part)
	}
}

func TestNoNodeForThisMachine(t *testing.T) {
	s := newSite(t)
	s.tool(t, "chromium", "#!/bin/sh\n")
	err := s.Ensure(t.Context(), wire.Settings{})
	if !errors.Is(err, wire.CodeInstall) || !strings.Contains(err.Error(), "none for this machine") {
		t.Errorf("Ensure = %v", err)
	}
}
