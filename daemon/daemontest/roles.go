package daemontest

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/abrowser/abrowser/daemon/web"
	"github.com/abrowser/abrowser/launcher"
	"github.com/abrowser/abrowser/launcher/broker"
	"github.com/abrowser/abrowser/launcher/driver"
	"github.com/abrowser/abrowser/launcher/keeper"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// roles runs the role of this process, if a launcher or playwright-go has started the process as a
// keeper, a broker or a driver. The result handled is false if the process has no such role.
func roles(args []string) (handled bool, status int) {
	if handled, status := driver.Main(args); handled {
		return true, status
	}
	if len(args) != 1 || args[0] != "keeper" && args[0] != "broker" {
		return false, 0
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	if err := serve(ctx, args[0], log); err != nil {
		log.Error("ended", "error", err)
		return true, 1
	}
	return true, 0
}

func serve(ctx context.Context, role string, log *slog.Logger) error {
	root, err := home.Locate(os.LookupEnv)
	if err != nil {
		return err
	}
	settings, err := wire.SettingsFrom(os.LookupEnv)
	if err != nil {
		return err
	}
	l := &launcher.Launcher{Root: root, Log: log}
	build, err := l.Build()
	if err != nil {
		return err
	}
	if role == "broker" {
		return broker.Serve(ctx, broker.ServeOptions{Root: root, Settings: settings, Build: build, Log: log, CleanupScript: web.CleanupScript})
	}
	pipe, err := launcher.ReadyPipe(os.LookupEnv)
	if err != nil {
		return err
	}
	browser, err := l.Installer().FindBrowser(settings)
	if err != nil {
		return err
	}
	executable, err := os.Executable()
	if err != nil {
		return err
	}
	return keeper.Run(ctx, keeper.Options{
		Root: root, Settings: settings, Build: build, Executable: executable, Environ: os.Environ(), Log: log,
		Browser: browser.Path, NoWindows: browser.Headless, NoSandbox: l.Installer().FindSandbox(ctx, browser).Why,
		Ready: func(err error) { launcher.ReportReady(pipe, err) },
	})
}
