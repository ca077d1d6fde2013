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

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	browsersDir = "browsers" // below the driver directory, for Playwright's installer
	// A distribution's mirrors may be slow, but an installer that hangs must end.
	installTimeout = 20 * time.Minute
)

// provideBrowser fetches a browser where there is none, and the system's fonts
// and libraries for it where they are asked for. The caller holds the lock.
func (i *Installer) provideBrowser(ctx context.Context, s wire.Settings, in verbs.InstallIn) error {
	b, err := i.FindBrowser(s)
	if err != nil && !fetchable(err) {
		return err
	}
	there := err == nil
	if in.WithDeps && !i.on().root {
		return wire.Errorf(wire.CodePermission, "the system's libraries can be installed by root alone").
			WithHint("sudo abrowser install --with-deps")
	}
	if there && !in.WithDeps {
		return nil
	}
	debian := i.on().root && i.isDebian()
	if debian {
		unlock, err := i.lockPackages(ctx)
		if err != nil {
			return err
		}
		defer unlock()
	}
	var fromSystem error
	if debian {
		fromSystem = i.fromSystem(ctx, s, in)
	}
	if b, err = i.FindBrowser(s); err != nil {
		if err := i.fromPlaywright(ctx, "install", "--no-shell", "chromium"); err != nil {
			if fromSystem != nil {
				err = fmt.Errorf("%w (and before that %w)", err, fromSystem)
			}
			return err
		}
		if b, err = i.FindBrowser(s); err != nil {
			return wire.Errorf(wire.CodeInstall, "a browser was fetched, but it is not found: %v", err).WithHint("abrowser doctor")
		}
		fromSystem = nil
	}
	if b.Fetched && (in.WithDeps || debian) {
		err := i.fromPlaywright(ctx, "install-deps", "chromium")
		if in.WithDeps {
			return err
		}
	}
	return fromSystem
}

// fromSystem installs the distribution's Chromium, unless a browser is there, and
// fonts where they are asked for.
func (i *Installer) fromSystem(ctx context.Context, s wire.Settings, in verbs.InstallIn) error {
	packages := []string{}
	if _, err := i.FindBrowser(s); err != nil {
		packages = append(packages, "chromium")
	}
	if in.WithDeps {
		packages = append(packages, "fonts-liberation", "fonts-noto-color-emoji", "fonts-freefont-ttf")
	}
	if len(packages) == 0 {
		return nil // another root's installer has been here meanwhile
	}
	apt := i.onPath("apt-get")
	if len(apt) == 0 {
		return wire.Errorf(wire.CodeInstall, "there is no apt-get on PATH").WithHint("abrowser install")
	}
	env := append(i.environ(), "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C")
	lock := fmt.Sprintf("DPkg::Lock::Timeout=%d", int(lockTime.Seconds()))
	if err := i.update(ctx, env, apt[0]); err != nil {
		return err
	}
	return i.installer(ctx, env, apt[0], append([]string{"install", "-y", "-o", lock}, packages...)...)
}

const (
	lockTime  = 5 * time.Minute // for another who installs something
	lockPause = 2 * time.Second
)

// update has apt-get fetch its lists. Where another does that, it is asked again: with
// the lock of the lists, other than with those of packages, it does not wait itself.
func (i *Installer) update(ctx context.Context, env []string, apt string) error {
	limit := time.Now().Add(lockTime)
	for {
		err := i.installer(ctx, env, apt, "update")
		if err == nil || !strings.Contains(err.Error(), "Could not get lock") || time.Now().After(limit) {
			return err
		}
		select {
		case <-time.After(lockPause):
		case <-ctx.Done():
			return err
		}
	}
}

// fromPlaywright runs Playwright's own installer, which the driver brings along.
func (i *Installer) fromPlaywright(ctx context.Context, args ...string) error {
	d, err := i.FindDriver(ctx)
	if err != nil {
		return err
	}
	env := slices.DeleteFunc(i.environ(), func(v string) bool {
		// Its own variables would send it to another place than the one we look in.
		return strings.HasPrefix(v, "PLAYWRIGHT_BROWSERS_PATH=") || strings.HasPrefix(v, "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=") ||
			strings.HasPrefix(v, "NODE_OPTIONS=")
	})
	env = append(env, "PLAYWRIGHT_BROWSERS_PATH="+i.Root.Path("driver", browsersDir))
	cli := filepath.Join(d.Directory, "package", "cli.js")
	return i.installer(ctx, env, d.Node.Path, append([]string{cli}, args...)...)
}

// installer runs somebody else's installer to its end. What it prints goes to the
// log, its last lines into the error.
func (i *Installer) installer(ctx context.Context, env []string, program string, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, installTimeout)
	defer cancel()
	shown := filepath.Base(program) + " " + strings.Join(args, " ")
	if len(args) > 0 && strings.HasSuffix(args[0], "cli.js") {
		shown = "Playwright's " + strings.Join(args[1:], " ")
	}
	i.say("running %s", shown)
	printed := &tail{}
	if i.Terminal {
		printed.to = i.Progress
	}
	defer printed.end()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env, cmd.Dir = env, "/"
	cmd.Stdout, cmd.Stderr = printed, printed
	// A package manager that is killed leaves half of its work: ask it first.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	err := cmd.Run()
	i.logger().Info("installer ended", "program", shown, "err", err, "printed", string(printed.last(20)))
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return wire.Errorf(wire.CodeInstall, "%s did not end within %s", shown, installTimeout).WithHint("abrowser install")
	case ctx.Err() != nil:
		return wire.Errorf(wire.CodeInterrupted, "%s was interrupted", shown).WithHint("abrowser install")
	case err != nil:
		return wire.Errorf(wire.CodeInstall, "%s: %v: %s", shown, err, printed.last(3)).WithHint("abrowser install")
	}
	return nil
}

func (i *Installer) environ() []string {
	if i.Environ == nil {
		return os.Environ()
	}
	return slices.Clone(i.Environ)
}

// isDebian reports whether the distribution is Debian, Ubuntu or made from them.
func (i *Installer) isDebian() bool {
	raw, err := os.ReadFile(i.on().osRelease)
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(raw)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		if name != "ID" && name != "ID_LIKE" {
			continue
		}
		for _, id := range strings.Fields(strings.Trim(value, `"'`)) {
			if id == "debian" || id == "ubuntu" {
				return true
			}
		}
	}
	return false
}
