package daemontest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/launcher/driver"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Playwright starts an unmodified Playwright and a Chromium that it drives. Tests compare abrowser
// with them. Both end with the test.
func (h *Home) Playwright(t testing.TB) playwright.Browser {
	t.Helper()
	found, err := driver.Find(t.Context(), h.installer())
	if err != nil {
		t.Fatal(err)
	}
	node, err := h.installer().FindNode(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	chromium, err := h.installer().FindBrowser(wire.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	h.process.Lock() // for the environment variable and playwright-go: see web.Driver.Process
	err = os.Setenv("PLAYWRIGHT_NODEJS_PATH", node.Path)
	var pw *playwright.Playwright
	if err == nil {
		pw, err = playwright.Run(&playwright.RunOptions{DriverDirectory: found.Directory, SkipInstallBrowsers: true, Stdout: t.Output(), Stderr: t.Output()})
	}
	h.process.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := pw.Stop(); err != nil {
			t.Error(err)
		}
	})
	environ := map[string]string{}
	for _, variable := range os.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		environ[name] = value
	}
	environ["HOME"] = filepath.Join(filepath.Dir(h.Root.Dir), "home") // for crash reports and desktop settings
	b, err := pw.Chromium.Launch(playwright.BrowserTypeLaunchOptions{
		Env:            environ,
		ExecutablePath: &chromium.Path, ChromiumSandbox: playwright.Bool(false),
		Args: []string{"--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}
