package install

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/abrowser/abrowser/launcher/install/browsers"
	"github.com/abrowser/abrowser/launcher/install/npm"
	"github.com/abrowser/abrowser/launcher/install/npm/npmtest"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/socketstest"
	"github.com/abrowser/abrowser/sockets/wire"
)

// cli is a script in place of Playwright's cli.js, with the commands that the package uses. Its
// command install creates a browser in the directory in which Playwright would install one.
const cli = `#!/bin/sh
case "$1" in
--version) echo "Version 1.60.0" ;;
install)
	echo "Downloading Chromium" >&2
	[ -n "$PLAYWRIGHT_BROWSERS_PATH" ] || exit 9
	mkdir -p "$PLAYWRIGHT_BROWSERS_PATH/chromium-1/chrome-linux64"
	printf '#!/bin/sh\necho Chromium 1.2.3\n' > "$PLAYWRIGHT_BROWSERS_PATH/chromium-1/chrome-linux64/chrome"
	chmod 755 "$PLAYWRIGHT_BROWSERS_PATH/chromium-1/chrome-linux64/chrome" ;;
*) echo "what is $*?" >&2; exit 1 ;;
esac
`

const chromiumScript = "#!/bin/sh\necho Chromium 1.2.3\n"

// fakeNode executes a script with sh, so that cli needs no real Node.
const fakeNode = `#!/bin/sh
if [ "$1" = --version ]; then echo v22.0.0; exit; fi
exec /bin/sh "$@"
`

// site is a registry on loopback, and an installer for a machine on which only the programs of the
// test are installed.
type site struct {
	*Installer
	served  atomic.Int64                // the number of requests for archives
	archive atomic.Pointer[[]byte]      // the response to every request
	tools   string                      // the only directory on PATH
	serve   func(w http.ResponseWriter) // replaces the response if not nil
	url     string
}

// newSite returns a site with a machine on which nothing is installed, and a registry that has the
// pinned driver.
func newSite(t *testing.T) *site {
	t.Helper()
	good := npmtest.Archive(t,
		npmtest.Entry{Name: "package/package.json", Body: `{"name":"playwright-core","version":"1.60.0"}`},
		npmtest.Entry{Name: "package/cli.js", Body: cli},
		npmtest.Entry{Name: "package/lib/core.js", Body: "f(pageError.location.url); g(pageError.location.url)"},
		npmtest.Entry{Name: "package/bin/tool", Body: "#!/bin/sh\n", Mode: 0o111},
	)
	s := &site{tools: t.TempDir()}
	s.archive.Store(&good)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		s.served.Add(1)
		if s.serve != nil {
			s.serve(w)
			return
		}
		w.Write(*s.archive.Load())
	}))
	t.Cleanup(server.Close)
	s.url = server.URL
	s.Installer = &Installer{
		Root:    home.Root{Dir: filepath.Join(t.TempDir(), "home")},
		Environ: []string{"PATH=" + s.tools, "HOME=/no-home", "ABROWSER_NPM_REGISTRY=" + server.URL + "/"},
		machine: &machine{
			driver: npm.Package{
				What: "the driver", Name: "playwright-core", Version: "1.60.0", Dir: "1.60.0",
				Integrity: npmtest.Integrity(good), MaxPacked: 1 << 20, MaxUnpacked: 1 << 20,
				Key:   []string{"package/package.json", "package/cli.js", "package/lib/core.js"},
				Edits: []npm.Edit{{File: "package/lib/core.js", From: "pageError.location.url", To: `pageError.location?.url || ""`}},
			},
			node:  func() (npm.Package, bool) { return npm.Package{}, false },
			stall: 2 * time.Second,
			kinds: []browsers.Kind{
				{Commands: []string{"google-chrome"}},
				{Paths: []string{filepath.Join(s.tools, "chromium")}, Commands: []string{"chromium-browser"}},
				{Paths: []string{"chromium-*/chrome-linux*/chrome"}, Fetched: true},
				{Commands: []string{"headless-shell"}, Headless: true},
			},
		},
	}
	if err := s.Root.Make(); err != nil {
		t.Fatal(err)
	}
	return s
}

// tool installs a script in a directory on PATH.
func (s *site) tool(t *testing.T, name, script string) string {
	t.Helper()
	path := filepath.Join(s.tools, name)
	if err := socketstest.WriteProgram(path, []byte(script)); err != nil {
		t.Fatal(err)
	}
	return path
}

// setenv sets a variable in the environment of the installer.
func (s *site) setenv(name, value string) { s.Environ = append(s.Environ, name+"="+value) }

// parts are the parts that a session needs.
type parts struct {
	Driver  Driver
	Browser browsers.Browser
}

// installed returns the parts that are installed.
func (s *site) installed(t *testing.T) (p parts) {
	t.Helper()
	p.Driver, _ = s.FindDriver(t.Context()) // the test compares the result with what it wants
	p.Browser, _ = s.FindBrowser(wire.Settings{})
	return p
}

// leftovers returns the temporary files of installations.
func (s *site) leftovers(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(s.Root.Path("driver"))
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".new-") {
			left = append(left, e.Name())
		}
	}
	return left
}
