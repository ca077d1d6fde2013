package install

import (
	"context"
	"path/filepath"

	"github.com/abrowser/abrowser/launcher/install/npm"
	"github.com/abrowser/abrowser/sockets/wire"
)

// libraryPackage returns the package of a library that runs in pages, and the file of its script.
func libraryPackage(name string) (p npm.Package, script string, ok bool) {
	switch name {
	case "axe-core":
		p = npm.Package{
			Version:   "4.14.1",
			Integrity: "sha512-FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ==",
		}
		script = "package/axe.min.js"
	case "web-vitals":
		p = npm.Package{
			Version:   "6.2.3",
			Integrity: "sha512-Dmy+vdO1UPMqXiAtZSNayhl4f794Bxfd94W4HIj2HlYtczEQfEOon969memlcpcHrTuOKLa5baFjX7WbgmOq+A==",
		}
		script = "package/dist/web-vitals.iife.js"
	default:
		return p, "", false
	}
	p.Name, p.What, p.Dir = name, name, name+"-"+p.Version
	p.Key, p.KeyOnly = []string{"package/package.json", "package/LICENSE", script}, true
	p.MaxPacked, p.MaxUnpacked = 16<<20, 64<<20
	return p, script, true
}

// Libraries returns the names of the libraries that run in pages.
func Libraries() []string { return []string{"axe-core", "web-vitals"} }

// Library returns the path of the script of a library that runs in pages. It may be installed beside
// the directory that ABROWSER_DRIVER_PATH names, or below the root. If the library is not installed, Library fetches it, unless ABROWSER_NO_INSTALL forbids that.
func (i *Installer) Library(ctx context.Context, name string) (string, error) {
	p, script, ok := libraryPackage(name)
	if !ok {
		return "", wire.Errorf(wire.CodeInternal, "there is no library %s", name)
	}
	if driver, _ := i.lookup("ABROWSER_DRIVER_PATH"); driver != "" {
		if dir := filepath.Join(filepath.Dir(driver), p.Dir); p.Check(dir) == nil {
			return filepath.Join(dir, script), nil
		}
	}
	if p.Check(i.Root.Path("driver", p.Dir)) == nil {
		return i.Root.Path("driver", p.Dir, script), nil
	}
	if i.forbidsInstall() {
		return "", wire.Errorf(wire.CodeInstall, "%s is not installed, and ABROWSER_NO_INSTALL forbids fetching it", name).WithHint("unset ABROWSER_NO_INSTALL")
	}
	if err := i.Root.Make(); err != nil {
		return "", err
	}
	lock, err := i.lock(ctx, i.Root.Path("driver", "install.lock"), "parts")
	if err != nil {
		return "", err
	}
	defer lock.Close()
	return i.Root.Path("driver", p.Dir, script), i.npm().Install(ctx, p)
}
