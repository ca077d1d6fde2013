package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/sockets/wire"
)

const browserScript = "#!/bin/sh\necho Chromium 1.2.3\n"

func TestFindBrowserInOrder(t *testing.T) {
	s := newSite(t)
	_, err := s.FindBrowser(wire.Settings{})
	if got := wire.AsError(err); got == nil || got.Code != wire.CodeNoBrowser || got.Hint != "abrowser install" {
		t.Errorf("on a bare machine: %+v", got)
	}
	fetched := s.Root.Path("driver", browsersDir, "chromium-1223", "chrome-linux64", "chrome")
	older := s.Root.Path("driver", browsersDir, "chromium-1200", "chrome-linux64", "chrome")
	for _, step := range []struct {
		name string
		put  func() string
	}{
		{"headless shell", func() string { return s.tool(t, "headless-shell", browserScript) }},
		{"fetched", func() string { place(t, older); place(t, fetched); return fetched }},
		{"Chromium on PATH", func() string { return s.tool(t, "chromium-browser", browserScript) }},
		{"Chromium in its place", func() string { return s.tool(t, "chromium", browserScript) }},
		{"Chrome", func() string { return s.tool(t, "google-chrome", browserScript) }},
	} {
		want := step.put()
		if b, err := s.FindBrowser(wire.Settings{}); err != nil || b.Path != want {
			t.Errorf("%s: FindBrowser = %+v, %v; want %s", step.name, b, err, want)
		}
	}
	named := s.tool(t, "mine", browserScript)
	if b, err := s.FindBrowser(wire.Settings{ExecutablePath: named}); err != nil || b.Path != named {
		t.Errorf("by name: %+v, %v", b, err)
	}
}

func TestHeadedNeedsWindows(t *testing.T) {
	s := newSite(t)
	s.tool(t, "headless-shell", browserScript)
	if b, err := s.FindBrowser(wire.Settings{}); err != nil || !b.Headless {
		t.Errorf("FindBrowser = %+v, %v", b, err)
	}
	if _, err := s.FindBrowser(wire.Settings{Headed: true}); err == nil {
		t.Error("a browser without windows was taken for headed")
	}
}

func TestNamedBrowserIsRefused(t *testing.T) {
	s := newSite(t)
	s.tool(t, "chromium", browserScript) // never taken instead
	plain := filepath.Join(t.TempDir(), "my browser")
	must(t, os.WriteFile(plain, []byte(browserScript), 0o600))
	text := filepath.Join(t.TempDir(), "notes")
	must(t, os.WriteFile(text, []byte("notes"), 0o600))
	stub := s.tool(t, "stub", "#!/bin/sh\nexec /snap/bin/chromium \"$@\"\n")
	for _, tt := range []struct{ name, path, want, hint string }{
		{"not there", "/no/such/browser", "there is no browser at", "leave out --executable-path, and the browser is found"},
		{"a directory", t.TempDir(), "is a directory", "leave out --executable-path, and the browser is found"},
		{"not executable", plain, "cannot be executed", "chmod +x '" + plain + "'"},
		{"no program", text, "is no program", "leave out --executable-path, and the browser is found"},
		{"a snap", stub, "is a snap", "leave out --executable-path, and the browser is found"},
		{"relative", "chrome", "is not absolute", "leave out --executable-path, and the browser is found"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := s.FindBrowser(wire.Settings{ExecutablePath: tt.path})
			got := wire.AsError(err)
			if got == nil || got.Code != wire.CodeNoBrowser || !strings.Contains(got.Message, tt.want) || got.Hint != tt.hint {
				t.Errorf("FindBrowser = %+v", got)
			}
		})
	}
	s.setenv("AGENT_BROWSER_EXECUTABLE_PATH", "/no/such/browser")
	_, err := s.FindBrowser(wire.Settings{ExecutablePath: "/no/such/browser"})
	if got := wire.AsError(err); got.Hint != "unset AGENT_BROWSER_EXECUTABLE_PATH" {
		t.Errorf("by variable: %+v", got)
	}
}

func TestSnapIsPassedOver(t *testing.T) {
	for _, tt := range []struct {
		name string
		put  func(t *testing.T, s *site)
	}{
		{"Ubuntu's script", func(t *testing.T, s *site) {
			s.tool(t, "google-chrome", "#!/bin/sh\nif ! [ -x /snap/bin/chromium ]; then\n echo 'snap install chromium' >&2\nfi\n")
		}},
		{"a link to snap", func(t *testing.T, s *site) {
			snap := filepath.Join(t.TempDir(), "snap")
			place(t, snap)
			must(t, os.Symlink(snap, filepath.Join(s.tools, "google-chrome")))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSite(t)
			tt.put(t, s)
			_, err := s.FindBrowser(wire.Settings{})
			if err == nil || !strings.Contains(err.Error(), "is a snap: it cannot read") {
				t.Errorf("FindBrowser = %v", err)
			}
			want := s.tool(t, "chromium", browserScript)
			if b, err := s.FindBrowser(wire.Settings{}); err != nil || b.Path != want {
				t.Errorf("FindBrowser = %+v, %v", b, err)
			}
		})
	}
}

func TestVendorsScriptIsUnwrapped(t *testing.T) {
	s := newSite(t)
	vendor := t.TempDir()
	place(t, filepath.Join(vendor, "google-chrome"))
	program := filepath.Join(vendor, "chrome")
	place(t, program)
	must(t, os.Symlink(filepath.Join(vendor, "google-chrome"), filepath.Join(s.tools, "google-chrome")))
	if b, err := s.FindBrowser(wire.Settings{}); err != nil || b.Path != program {
		t.Errorf("FindBrowser = %+v, %v; want %s", b, err, program)
	}
}

func place(t *testing.T, path string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, []byte(browserScript), 0o600))
	must(t, os.Chmod(path, 0o700))
}
