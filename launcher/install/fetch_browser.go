package install

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/abrowser/abrowser/launcher/install/browsers"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	browsersDir = "browsers" // below the driver directory; for Playwright's browsers
	// A distribution's mirrors may be slow, but an installer that hangs must be ended.
	installTimeout = 20 * time.Minute
	aptLockTimeout = 5 * time.Minute // how long to wait for another process that installs packages
	aptRetryPause  = 2 * time.Second
)

// fetchBrowser fetches a browser if none is installed. The caller holds the installation lock.
//
// If in.WithDeps is set, fetchBrowser also fetches fonts and ffmpeg on Debian, and the system's libraries for
// a browser from Playwright's installer. It tries to fetch these libraries without in.WithDeps too,
// if this process is root on Debian and no browser was installed. A failure is then no error.
func (i *Installer) fetchBrowser(ctx context.Context, s wire.Settings, in verbs.InstallIn) error {
	b, err := i.FindBrowser(s)
	if err != nil && !isFetchable(err) {
		return err
	}
	if in.WithDeps && !i.on().root {
		return wire.Errorf(wire.CodePermission, "only root can install the system's libraries").
			WithHint("sudo abrowser install --with-deps")
	}
	if err == nil && !in.WithDeps {
		return nil
	}
	var aptErr error
	debian := i.on().root && i.isDebian()
	if debian {
		unlock, err := i.lockPackages(ctx)
		if err != nil {
			return err
		}
		defer unlock()
		aptErr = i.installPackages(ctx, s, in)
	}
	if b, err = i.FindBrowser(s); err != nil {
		if err := i.runPlaywright(ctx, "install", "--no-shell", "chromium"); err != nil {
			if aptErr != nil {
				err = fmt.Errorf("%w (and before that %w)", err, aptErr)
			}
			return err
		}
		if b, err = i.FindBrowser(s); err != nil {
			return wire.Errorf(wire.CodeInstall, "a browser was fetched, but is not found: %v", err).WithHint("abrowser doctor")
		}
		aptErr = nil
	}
	if b.Fetched && (in.WithDeps || debian) {
		err := i.runPlaywright(ctx, "install-deps", "chromium")
		if in.WithDeps {
			return err
		}
	}
	return aptErr
}

// installPackages installs the distribution's Chromium if no browser is installed, and fonts and
// ffmpeg if in.WithDeps requests them.
func (i *Installer) installPackages(ctx context.Context, s wire.Settings, in verbs.InstallIn) error {
	packages := []string{}
	if _, err := i.FindBrowser(s); err != nil {
		packages = append(packages, "chromium")
	}
	if in.WithDeps {
		packages = append(packages, "fonts-liberation", "fonts-noto-color-emoji", "fonts-freefont-ttf", "ffmpeg")
	}
	if len(packages) == 0 {
		return nil // another abrowser installed the browser while we waited for its lock
	}
	apt := browsers.LookPath(i.lookup, "apt-get")
	if len(apt) == 0 {
		return wire.Errorf(wire.CodeInstall, "no apt-get is on PATH").WithHint("abrowser install")
	}
	env := append(slices.Clone(i.environ()), "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C")
	if err := i.updatePackages(ctx, env, apt[0]); err != nil {
		return err
	}
	lock := fmt.Sprintf("DPkg::Lock::Timeout=%d", int(aptLockTimeout.Seconds()))
	return i.runInstaller(ctx, env, apt[0], append([]string{"install", "-y", "-o", lock}, packages...)...)
}

// updatePackages updates apt's package lists. While another process updates them, updatePackages
// tries again every aptRetryPause, for up to aptLockTimeout. This is needed because apt-get waits
// for the lock of the packages, but not for the lock of the lists.
func (i *Installer) updatePackages(ctx context.Context, env []string, apt string) error {
	deadline := time.Now().Add(aptLockTimeout)
	for {
		err := i.runInstaller(ctx, env, apt, "update")
		if err == nil || !strings.Contains(err.Error(), "Could not get lock") || time.Now().After(deadline) {
			return err
		}
		select {
		case <-time.After(aptRetryPause):
		case <-ctx.Done():
			return err
		}
	}
}

// runPlaywright runs Playwright's own installer, which is part of the driver.
func (i *Installer) runPlaywright(ctx context.Context, args ...string) error {
	d, err := i.FindDriver(ctx)
	if err != nil {
		return err
	}
	// The user's values of these variables could make the installer download nothing, use a
	// directory that we do not search, or run with other options of Node.
	env := slices.DeleteFunc(slices.Clone(i.environ()), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains([]string{"PLAYWRIGHT_BROWSERS_PATH", "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "NODE_OPTIONS"}, name)
	})
	env = append(env, "PLAYWRIGHT_BROWSERS_PATH="+i.Root.Path("driver", browsersDir))
	cli := filepath.Join(d.Directory, "package", "cli.js")
	return i.runInstaller(ctx, env, d.Node.Path, append([]string{cli}, args...)...)
}

// runInstaller runs apt-get or Playwright's installer until it exits. The last lines of the
// installer's output go to the log, and into the error.
func (i *Installer) runInstaller(ctx context.Context, env []string, program string, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, installTimeout)
	defer cancel()
	shown := filepath.Base(program) + " " + strings.Join(args, " ")
	if strings.HasSuffix(args[0], "cli.js") {
		shown = "Playwright's " + strings.Join(args[1:], " ")
	}
	i.say("running %s", shown)
	output := &tail{}
	if i.Terminal {
		output.terminal = i.Progress
	}
	defer output.clear()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env, cmd.Dir = env, "/"
	cmd.Stdout, cmd.Stderr = output, output
	// SIGKILL would leave a package manager's work half-done.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	err := cmd.Run()
	i.logger().Info("installer exited", "program", shown, "err", err, "output", string(lastLines(output.kept, 20)))
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return wire.Errorf(wire.CodeInstall, "%s did not finish within %s", shown, installTimeout).WithHint("abrowser install")
	case ctx.Err() != nil:
		return wire.Errorf(wire.CodeInterrupted, "%s was interrupted", shown).WithHint("abrowser install")
	case err != nil:
		return wire.Errorf(wire.CodeInstall, "%s: %v: %s", shown, err, lastLines(output.kept, 3)).WithHint("abrowser install")
	}
	return nil
}

// isDebian reports whether the distribution is Debian, Ubuntu or derived from one of them.
func (i *Installer) isDebian() bool {
	raw, _ := os.ReadFile(i.on().osRelease) // empty on other systems
	for line := range strings.Lines(string(raw)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		if name != "ID" && name != "ID_LIKE" {
			continue
		}
		ids := strings.Fields(strings.Trim(value, `"'`))
		if slices.Contains(ids, "debian") || slices.Contains(ids, "ubuntu") {
			return true
		}
	}
	return false
}
