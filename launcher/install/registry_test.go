package install

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/abrowser/abrowser/sockets/home"
)

// entry is one file of an archive that a test makes.
type entry struct {
	name, body string
	mode       int64
	kind       byte
}

func archive(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var out bytes.Buffer
	gz := gzip.NewWriter(&out)
	tw := tar.NewWriter(gz)
	for _, e := range entries {
		head := &tar.Header{Name: e.name, Mode: e.mode | 0o644, Typeflag: e.kind, Size: int64(len(e.body))}
		if e.kind == tar.TypeSymlink || e.kind == tar.TypeLink {
			head.Linkname, head.Size = e.body, 0
		}
		if e.kind == 0 {
			head.Typeflag = tar.TypeReg
		}
		if err := tw.WriteHeader(head); err != nil {
			t.Fatal(err)
		}
		if head.Size > 0 {
			if _, err := io.WriteString(tw, e.body); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := tw.Close(); err != nil {
		t.Fatal(err)
	}
	if err := gz.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func integrityOf(b []byte) string {
	sum := sha512.Sum512(b)
	return "sha512-" + base64.StdEncoding.EncodeToString(sum[:])
}

// cli is a driver that answers as Playwright's does. As an installer it puts a
// browser where Playwright would.
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

// fakeNode runs "node script args" with sh, so that the tiny driver needs no Node.
const fakeNode = `#!/bin/sh
if [ "$1" = --version ]; then echo v22.0.0; exit; fi
exec /bin/sh "$@"
`

// site is a registry on loopback, and a machine of the test's own around it.
type site struct {
	*Installer
	served  atomic.Int64                // archives that were asked for
	archive atomic.Pointer[[]byte]      // what is served for any path
	tools   string                      // the only directory on PATH
	serve   func(w http.ResponseWriter) // instead of the archive
	url     string
}

// newSite makes a machine that has nothing but a registry with the driver, which
// is pinned.
func newSite(t *testing.T) *site {
	t.Helper()
	good := archive(t,
		entry{name: "package/package.json", body: `{"name":"playwright-core","version":"1.60.0"}`},
		entry{name: "package/cli.js", body: cli},
		entry{name: "package/lib/core.js", body: "f(pageError.location.url); g(pageError.location.url)"},
		entry{name: "package/bin/tool", body: "#!/bin/sh\n", mode: 0o111},
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
		world: &world{
			driver: pack{
				what: "the driver", name: "playwright-core", version: "1.60.0", dir: "1.60.0",
				integrity: integrityOf(good), packed: 1 << 20, unpacked: 1 << 20,
				key:   []string{"package/package.json", "package/cli.js", "package/lib/core.js"},
				edits: []edit{{"package/lib/core.js", "pageError.location.url", `pageError.location?.url || ""`}},
			},
			node:  func() (pack, bool) { return pack{}, false },
			stall: 2 * time.Second,
			browsers: []family{
				{name: "Chrome", commands: []string{"google-chrome"}},
				{name: "Chromium", places: []string{filepath.Join(s.tools, "chromium")}, commands: []string{"chromium-browser"}},
				{name: "Chromium", places: []string{"chromium-*/chrome-linux*/chrome"}, fetched: true},
				{name: "shell", commands: []string{"headless-shell"}, headless: true},
			},
		},
	}
	if err := s.Root.Make(); err != nil {
		t.Fatal(err)
	}
	return s
}

// tool puts a script on the machine's PATH.
func (s *site) tool(t *testing.T, name, script string) string {
	t.Helper()
	path := filepath.Join(s.tools, name)
	if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// setenv sets a variable of the machine.
func (s *site) setenv(name, value string) { s.Environ = append(s.Environ, name+"="+value) }

// leftovers lists what an installation should not leave.
func (s *site) leftovers(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(s.Root.Path("driver"))
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), tempPrefix) {
			left = append(left, e.Name())
		}
	}
	return left
}
