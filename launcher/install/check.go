package install

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/abrowser/abrowser/launcher/install/browsers"
	"github.com/abrowser/abrowser/launcher/install/npm"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Check returns the state of every part and installs nothing. It reads all files of the driver, and
// runs Node and the browser to get their versions.
func (i *Installer) Check(ctx context.Context, s wire.Settings) []verbs.Part {
	detail, err := i.checkDirectory()
	return append([]verbs.Part{newPart("directory", detail, err)}, i.parts(ctx, s)...)
}

// parts returns the state of the parts that Install fetches, and of the browser's sandbox.
func (i *Installer) parts(ctx context.Context, s wire.Settings) []verbs.Part {
	parts := []verbs.Part{i.checkDriver(), i.checkNode(ctx)}
	b, err := i.FindBrowser(s)
	if err != nil {
		return append(parts, FailedPart("browser", err))
	}
	return append(parts, i.checkBrowser(ctx, s, b), i.checkSandbox(ctx, b), i.checkFFmpeg())
}

// checkFFmpeg returns the state of the system's ffmpeg, which only the command record needs. So it
// is no failure if it is missing.
func (i *Installer) checkFFmpeg() verbs.Part {
	part := verbs.Part{Name: "ffmpeg", OK: true, Detail: "not installed; only record needs it", Hint: "abrowser install --with-deps"}
	if found := browsers.LookPath(i.lookup, "ffmpeg"); len(found) > 0 {
		part.Detail, part.Hint = found[0], ""
	}
	return part
}

// newPart returns the state of the part with this name. If err is nil, the part is OK and has
// this detail. Otherwise the part has failed with err.
func newPart(name, detail string, err error) verbs.Part {
	if err != nil {
		return FailedPart(name, err)
	}
	return verbs.Part{Name: name, OK: true, Detail: detail}
}

// FailedPart returns the state of the part with this name, which has failed with err.
func FailedPart(name string, err error) verbs.Part {
	coded := wire.AsError(err)
	return verbs.Part{Name: name, Detail: coded.Message, Code: coded.Code, Hint: coded.Hint}
}

func (i *Installer) checkDirectory() (string, error) {
	var open []string // the directories that other users can access
	for _, dir := range i.Root.Directories() {
		info, err := os.Lstat(dir)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		quoted := wire.ShellWord(dir)
		if err != nil {
			return "", wire.Errorf(wire.CodePermission, "%v", err).WithHint("ls -ld %s", quoted)
		}
		stat, ok := info.Sys().(*syscall.Stat_t)
		if !info.IsDir() || !ok || int(stat.Uid) != os.Geteuid() {
			return "", wire.Errorf(wire.CodeUnsafeDirectory, "%s is not a directory of this user", dir).
				WithHint("mv %s %s", quoted, wire.ShellWord(dir+".not-ours"))
		}
		if info.Mode().Perm()&0o077 != 0 {
			open = append(open, quoted)
		}
	}
	if len(open) > 0 {
		return "", wire.Errorf(wire.CodeUnsafeDirectory, "other users can access %s", strings.Join(open, ", ")).
			WithHint("chmod 700 %s", strings.Join(open, " "))
	}
	if err := errors.Join(i.checkWritable(), i.Root.CheckDisk()); err != nil {
		return "", err
	}
	detail := i.Root.Dir + ", not accessible to other users"
	if _, err := os.Lstat(i.Root.Dir); err != nil {
		detail = i.Root.Dir + ", does not exist yet"
	}
	needed, err := i.Root.CheckAlias()
	if needed {
		detail += "; CDP clients reach it by a link in /tmp"
	}
	return detail, err
}

// checkWritable checks that files can be created in the root directory. If the root directory does
// not exist yet, checkWritable checks the nearest directory above it that exists. This may be a
// home directory that is mounted read-only.
func (i *Installer) checkWritable() error {
	dir := i.Root.Dir
	for dir != filepath.Dir(dir) {
		if _, err := os.Lstat(dir); !errors.Is(err, os.ErrNotExist) {
			break
		}
		dir = filepath.Dir(dir)
	}
	if err := unix.Access(dir, unix.W_OK|unix.X_OK); err != nil {
		return wire.Errorf(wire.CodePermission, "no files can be made in %s: %v", dir, err).
			WithHint("ABROWSER_HOME=/tmp/abrowser-%d abrowser doctor", os.Geteuid())
	}
	return nil
}

func (i *Installer) checkDriver() verbs.Part {
	dir, err := i.driverDirectory(npm.Package.CheckAll)
	return newPart("driver", fmt.Sprintf("Playwright %s in %s", i.on().driver.Version, dir), err)
}

func (i *Installer) checkNode(ctx context.Context) verbs.Part {
	n, err := i.FindNode(ctx)
	if err == nil {
		// FindNode may have used the saved version, without running Node.
		if _, err = run(ctx, n.Path, "--version"); err != nil {
			err = missing(wire.CodeNoDriver, "%s does not run: %v", n.Path, err)
		}
	}
	return newPart("node", fmt.Sprintf("%s in %s", n.Version, n.Path), err)
}

func (i *Installer) checkBrowser(ctx context.Context, s wire.Settings, b browsers.Browser) verbs.Part {
	version, err := run(ctx, b.Path, "--version")
	if err != nil {
		hint := "abrowser install --with-deps"
		if s.ExecutablePath != "" {
			hint = i.finder().UnsetHint(b.Path)
		}
		err = wire.Errorf(wire.CodeNoBrowser, "%s does not run: %v", b.Path, err).WithHint("%s", hint)
	}
	return newPart("browser", fmt.Sprintf("%s in %s", version, b.Path), err)
}

func (i *Installer) checkSandbox(ctx context.Context, b browsers.Browser) verbs.Part {
	s := i.FindSandbox(ctx, b)
	part := verbs.Part{Name: "sandbox", OK: true, Detail: "on", Hint: s.Hint}
	if !s.On {
		part.Detail = "off: " + s.Why + "; the browser is started with --no-sandbox"
	}
	return part
}
