package browsers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/sockets/socketstest"
	"github.com/abrowser/abrowser/sockets/wire"
)

const browserScript = "#!/bin/sh\necho Chromium 1.2.3\n"

// testFinder is a finder for a machine that has only the tools and the fetched browsers that
// the test creates.
type testFinder struct {
	Finder
	tools string // the only directory on PATH
	env   map[string]string
}

func newFinder(t *testing.T) *testFinder {
	t.Helper()
	f := &testFinder{tools: t.TempDir()}
	f.env = map[string]string{"PATH": f.tools, "HOME": "/no-home"}
	f.Finder = Finder{
		Fetched: t.TempDir(),
		Lookup:  func(name string) (string, bool) { v, ok := f.env[name]; return v, ok },
		Kinds: []Kind{
			{Commands: []string{"google-chrome"}},
			{Paths: []string{filepath.Join(f.tools, "chromium")}, Commands: []string{"chromium-browser"}},
			{Paths: []string{"chromium-*/chrome-linux*/chrome"}, Fetched: true},
			{Commands: []string{"headless-shell"}, Headless: true},
		},
	}
	return f
}

// tool puts a script on PATH.
func (f *testFinder) tool(t *testing.T, name, script string) string {
	t.Helper()
	path := filepath.Join(f.tools, name)
	writeScript(t, path, script)
	return path
}

func writeScript(t *testing.T, path, script string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, socketstest.WriteProgram(path, []byte(script)))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestFindInOrder(t *testing.T) {
	f := newFinder(t)
	if _, err := f.Find(false); err == nil {
		t.Error("a browser was found on a bare machine")
	}
	fetched := filepath.Join(f.Fetched, "chromium-1223", "chrome-linux64", "chrome")
	for _, step := range []struct {
		name string
		put  func() string
	}{
		{"headless shell", func() string { return f.tool(t, "headless-shell", browserScript) }},
		{"fetched", func() string {
			writeScript(t, filepath.Join(f.Fetched, "chromium-1200", "chrome-linux64", "chrome"), browserScript)
			writeScript(t, fetched, browserScript)
			return fetched
		}},
		{"Chromium on PATH", func() string { return f.tool(t, "chromium-browser", browserScript) }},
		{"Chromium in its directory", func() string { return f.tool(t, "chromium", browserScript) }},
		{"Chrome", func() string { return f.tool(t, "google-chrome", browserScript) }},
	} {
		want := step.put()
		if b, err := f.Find(false); err != nil || b.Path != want || b.Fetched != (want == fetched) {
			t.Errorf("%s: Find = %+v, %v; want %s", step.name, b, err, want)
		}
	}
	named := f.tool(t, "mine", browserScript)
	if b, err := f.At(named); err != nil || b.Path != named {
		t.Errorf("At(%s) = %+v, %v", named, b, err)
	}
}

func TestHeadedNeedsWindows(t *testing.T) {
	f := newFinder(t)
	f.tool(t, "headless-shell", browserScript)
	if b, err := f.Find(false); err != nil || !b.Headless {
		t.Errorf("Find = %+v, %v", b, err)
	}
	if _, err := f.Find(true); err == nil {
		t.Error("Find(headed) returned a browser without windows")
	}
}

func TestNamedBrowserIsRefused(t *testing.T) {
	f := newFinder(t)
	f.tool(t, "chromium", browserScript) // must not be returned instead
	plain := filepath.Join(t.TempDir(), "my browser")
	must(t, os.WriteFile(plain, []byte(browserScript), 0o600))
	text := filepath.Join(t.TempDir(), "notes")
	must(t, os.WriteFile(text, []byte("notes"), 0o600))
	stub := f.tool(t, "stub", "#!/bin/sh\nexec /snap/bin/chromium \"$@\"\n")
	const leaveOut = "leave out --executable-path, and abrowser finds a browser"
	for _, tt := range []struct{ name, path, want, hint string }{
		{"missing", "/no/such/browser", "no browser at", leaveOut},
		{"a directory", t.TempDir(), "is a directory", leaveOut},
		{"not executable", plain, "is not executable", "chmod +x '" + plain + "'"},
		{"not a program", text, "is not a program", leaveOut},
		{"a snap", stub, "is a snap", leaveOut},
		{"relative", "chrome", "is not absolute", leaveOut},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := f.At(tt.path)
			got := wire.AsError(err)
			if got == nil || got.Code != wire.CodeNoBrowser || !strings.Contains(got.Message, tt.want) || got.Hint != tt.hint {
				t.Errorf("At = %+v", got)
			}
		})
	}
	f.env["AGENT_BROWSER_EXECUTABLE_PATH"] = "/no/such/browser"
	_, err := f.At("/no/such/browser")
	if got := wire.AsError(err); got.Hint != "unset AGENT_BROWSER_EXECUTABLE_PATH" {
		t.Errorf("by variable: %+v", got)
	}
}

func TestSnapIsSkipped(t *testing.T) {
	for _, tt := range []struct {
		name string
		put  func(t *testing.T, f *testFinder)
	}{
		{"Ubuntu's script", func(t *testing.T, f *testFinder) {
			f.tool(t, "google-chrome", "#!/bin/sh\nif ! [ -x /snap/bin/chromium ]; then\n echo 'snap install chromium' >&2\nfi\n")
		}},
		{"a link to snap", func(t *testing.T, f *testFinder) {
			snap := filepath.Join(t.TempDir(), "snap")
			writeScript(t, snap, browserScript)
			must(t, os.Symlink(snap, filepath.Join(f.tools, "google-chrome")))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFinder(t)
			tt.put(t, f)
			_, err := f.Find(false)
			if err == nil || !strings.Contains(err.Error(), "is a snap: it cannot read") {
				t.Errorf("Find = %v", err)
			}
			want := f.tool(t, "chromium", browserScript)
			if b, err := f.Find(false); err != nil || b.Path != want {
				t.Errorf("Find = %+v, %v", b, err)
			}
		})
	}
}

func TestVendorScriptIsUnwrapped(t *testing.T) {
	f := newFinder(t)
	vendor := t.TempDir()
	writeScript(t, filepath.Join(vendor, "google-chrome"), browserScript)
	program := filepath.Join(vendor, "chrome")
	writeScript(t, program, browserScript)
	must(t, os.Symlink(filepath.Join(vendor, "google-chrome"), filepath.Join(f.tools, "google-chrome")))
	if b, err := f.Find(false); err != nil || b.Path != program {
		t.Errorf("Find = %+v, %v; want %s", b, err, program)
	}
}
