package roles

import (
	"context"
	"os"
	"strconv"

	"github.com/abrowser/abrowser/cmd/abrowser/cli"
	"github.com/abrowser/abrowser/launcher/bincache"
	"github.com/abrowser/abrowser/launcher/broker"
	"github.com/abrowser/abrowser/launcher/keeper"
)

// keepBrowser runs the process `abrowser keeper`, which starts a browser and its broker and
// restarts them if they die.
func keepBrowser(ctx context.Context, sys cli.System) error {
	return announced(sys, func(r *role) error {
		executable, err := os.Executable()
		if err != nil {
			return err
		}
		o := keeper.Options{
			Root: r.root, Settings: r.settings, Build: r.build, Executable: executable,
			Environ: sys.Environ(), Log: r.log, Ready: r.ready,
		}
		if !r.settings.External() { // otherwise there is no browser to start
			installer := r.launcher.Installer()
			found, err := installer.FindBrowser(r.settings)
			if err != nil {
				return err
			}
			sandbox := installer.FindSandbox(ctx, found)
			r.log.Info("keeper", "browser", found.Path, "sandbox", sandbox.On, "why", sandbox.Why)
			o.Browser, o.NoWindows, o.NoSandbox = found.Path, found.Headless, sandbox.Why
		}
		return keeper.Run(ctx, o)
	})
}

// serveBrowser runs the process `abrowser broker`. A keeper starts it and passes it the descriptors
// of the browser's pipe and of the listening socket.
func serveBrowser(ctx context.Context, sys cli.System) error {
	r, err := newRole(sys)
	if err != nil {
		return err
	}
	bincache.Pin()
	err = broker.Serve(ctx, broker.ServeOptions{
		Root: r.root, Settings: r.settings, Build: r.build, Log: r.log, SpareAfter: spares(sys.Lookup), CleanupScript: cleanupScript(),
		FinalizeSession: func(ctx context.Context, session string) (bool, error) { return finalizeSession(ctx, r.root, session) },
	})
	if err != nil {
		r.log.Error("ended", "error", err)
	}
	return err
}

// spares returns the number of new sessions after which the broker creates a page in advance for
// the next session. The number is the value of ABROWSER_SPARE_PAGES, with two exceptions. If the
// variable is 0, which means never, spares returns -1. If the variable is unset or not a number,
// spares returns 0, which means the default number.
func spares(lookup func(string) (string, bool)) int {
	text, _ := lookup("ABROWSER_SPARE_PAGES")
	switch n, err := strconv.Atoi(text); {
	case err != nil:
		return 0
	case n == 0:
		return -1
	default:
		return n
	}
}
