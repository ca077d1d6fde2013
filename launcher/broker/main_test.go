package broker

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/abrowser/abrowser/launcher/install"
	"github.com/abrowser/abrowser/launcher/keeper"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// TestMain lets the test binary run as the broker, as a keeper that a test can kill, and as the
// holder of the capture lock (see playHolder). It fails the run if a process is left running.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && (os.Args[1] == "broker" || os.Args[1] == "keeper") {
		os.Exit(runRole(os.Args[1]))
	}
	playHolder()
	// A browser writes crash reports and desktop settings into HOME.
	home, err := os.MkdirTemp("/tmp", ownPrefix()+"home-")
	if err == nil {
		err = os.Setenv("HOME", home)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "making a home:", err)
		os.Exit(1)
	}
	status := m.Run()
	if err := os.RemoveAll(home); err != nil {
		fmt.Fprintln(os.Stderr, "removing the home:", err)
		status = 1
	}
	if left := processes("/tmp/" + ownPrefix()); len(left) > 0 {
		fmt.Fprintln(os.Stderr, "processes are left running:", strings.Join(left, "\n"))
		status = 1
	}
	os.Exit(status)
}

// ownPrefix returns the prefix of the names of this run's root directories. No other run has it.
func ownPrefix() string { return fmt.Sprintf("abb%d-", os.Getpid()) }

func runRole(role string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	root, err := home.Locate(os.LookupEnv)
	var settings wire.Settings
	if err == nil {
		settings, err = wire.SettingsFrom(os.LookupEnv)
	}
	if err == nil && role == "broker" {
		after, _ := strconv.Atoi(os.Getenv("ABROWSER_SPARE_PAGES")) // unset: the default
		err = Serve(ctx, ServeOptions{Root: root, Settings: settings, Log: log, SpareAfter: after})
	}
	if err == nil && role == "keeper" {
		var o keeper.Options
		if o, err = keeperOptions(ctx, root, settings); err == nil {
			o.Log = log
			err = keeper.Run(ctx, o)
		}
	}
	if err != nil {
		log.Error("ended", "role", role, "error", err)
		return 1
	}
	return 0
}

// keeperOptions returns the options of a keeper whose broker is the test's executable.
func keeperOptions(ctx context.Context, root home.Root, s wire.Settings) (keeper.Options, error) {
	exe, err := os.Executable()
	if err != nil {
		return keeper.Options{}, err
	}
	installer := &install.Installer{Root: root}
	found, err := installer.FindBrowser(s)
	if err != nil {
		return keeper.Options{}, err
	}
	environ := append(os.Environ(), "ABROWSER_HOME="+root.Dir)
	return keeper.Options{
		Root: root, Settings: s, Executable: exe, Browser: found.Path, NoWindows: found.Headless,
		NoSandbox: installer.FindSandbox(ctx, found).Why, Environ: append(environ, s.Environ()...),
	}, nil
}

// processes lists the running processes whose command line contains dir, or whose variable
// ABROWSER_HOME starts with dir. It omits this process. It finds none on systems without /proc.
func processes(dir string) []string {
	entries, _ := os.ReadDir("/proc")
	var found []string
	for _, e := range entries {
		line, err := os.ReadFile("/proc/" + e.Name() + "/cmdline")
		if err != nil || len(line) == 0 || e.Name() == "self" || e.Name() == fmt.Sprint(os.Getpid()) {
			continue
		}
		text := strings.ReplaceAll(string(line), "\x00", " ")
		env, _ := os.ReadFile("/proc/" + e.Name() + "/environ")
		if strings.Contains(text, dir) || strings.Contains(string(env), "ABROWSER_HOME="+dir) {
			found = append(found, e.Name()+" "+text)
		}
	}
	return found
}
