package apps

import (
	"context"
	"embed"
	"io/fs"
	"net"
	"net/http"
	"path"
	"slices"
	"strings"
	"testing"
	"time"
)

// App is the page of one app.
type App struct{ Name, URL string }

//go:embed pages
var pages embed.FS // for go:embed

// policy keeps pages from using the network.
const policy = "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:"

// Start serves the apps until the test ends.
func Start(t testing.TB) []App {
	t.Helper()
	dir, err := Dir()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	t.Cleanup(cancel)
	apps, err := Serve(ctx, dir)
	if err != nil {
		t.Fatal(err)
	}
	return apps
}

// Serve installs the packages below dir if they are missing, and serves the apps on loopback until
// ctx ends. It returns the apps in the order of their names.
func Serve(ctx context.Context, dir string) ([]App, error) {
	packages, err := install(ctx, dir)
	if err != nil {
		return nil, err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	server := &http.Server{Handler: handler(packages), ReadHeaderTimeout: time.Minute}
	go server.Serve(listener) //nolint:errcheck // Close makes Serve return
	context.AfterFunc(ctx, func() { server.Close() })

	origin := "http://" + listener.Addr().String()
	apps := []App{{"adminlte", origin + "/npm/adminlte/pages/forms/general.html"}}
	names, err := fs.Glob(pages, "pages/*.html")
	for _, name := range names {
		apps = append(apps, App{strings.TrimSuffix(path.Base(name), ".html"), origin + "/" + path.Base(name)})
	}
	slices.SortFunc(apps, func(a, b App) int { return strings.Compare(a.Name, b.Name) })
	return apps, err
}

// handler serves the pages at / and the files of the packages at /npm/ALIAS/.
func handler(packages map[string]fs.FS) http.Handler {
	root, _ := fs.Sub(pages, "pages") // the name is valid
	own := http.FileServerFS(root)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		rest, ok := strings.CutPrefix(r.URL.Path, "/npm/")
		if !ok {
			own.ServeHTTP(w, r)
			return
		}
		alias, file, _ := strings.Cut(rest, "/")
		if alias == "adminlte" {
			alias, file = plugin(file)
		}
		if packages[alias] == nil || strings.HasSuffix(file, "/demo.js") { // AdminLTE's demo.js shows an alert
			http.NotFound(w, r)
			return
		}
		http.ServeFileFS(w, r, packages[alias], file)
	})
}

// plugin returns the package that contains a file of the app AdminLTE, and the file's path in that
// package. AdminLTE's pages load other packages from the directory plugins, which AdminLTE's own
// package does not have.
func plugin(file string) (alias, path string) {
	for _, p := range []struct{ prefix, alias, dir string }{
		{"plugins/fontawesome-free/", "fontawesome", ""},
		{"plugins/jquery/", "jquery", "dist/"},
		{"plugins/bootstrap/", "bootstrap4", "dist/"},
		{"plugins/bs-custom-file-input/", "bs-custom-file-input", "dist/"},
	} {
		if rest, ok := strings.CutPrefix(file, p.prefix); ok {
			return p.alias, p.dir + rest
		}
	}
	return "adminlte", file
}
