package install

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Check looks at every part thoroughly and changes nothing: it reads all of the
// driver's files and runs the browser for its version.
func (i *Installer) Check(ctx context.Context, s wire.Settings) []verbs.Part {
	return append([]verbs.Part{i.checkDirectory()}, i.parts(ctx, s)...)
}

// parts checks what Install provides.
func (i *Installer) parts(ctx context.Context, s wire.Settings) []verbs.Part {
	parts := []verbs.Part{i.checkDriver(), i.checkNode(ctx)}
	b, err := i.FindBrowser(s)
	if err != nil {
		return append(parts, FailedPart("browser", err))
	}
	return append(parts, i.checkBrowser(ctx, s, b), i.checkSandbox(ctx, b))
}

func (i *Installer) checkDirectory() verbs.Part {
	var loose []string
	for _, below := range [][]string{{}, {"run"}, {"run", "s"}, {"run", "b"}, {"state"}, {"profiles"}, {"bin"}, {"log"}, {"driver"}} {
		dir := i.Root.Path(below...)
		info, err := os.Lstat(dir)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return FailedPart("directory", wire.Errorf(wire.CodePermission, "%v", err).WithHint("ls -ld %s", quoteShell(dir)))
		}
		stat, ok := info.Sys().(*syscall.Stat_t)
		if !info.IsDir() || !ok || int(stat.Uid) != os.Geteuid() {
			return FailedPart("directory", wire.Errorf(wire.CodeUnsafeDirectory, "%s is no directory of ours", dir).
				WithHint("mv %s %s", quoteShell(dir), quoteShell(dir+".not-ours")))
		}
		if info.Mode().Perm()&0o077 != 0 {
			loose = append(loose, quoteShell(dir))
		}
	}
	if len(loose) > 0 {
		return FailedPart("directory", wire.Errorf(wire.CodeUnsafeDirectory, "others can use %s", strings.Join(loose, ", ")).
			WithHint("chmod 700 %s", strings.Join(loose, " ")))
	}
	if err := i.Root.CheckDisk(); err != nil {
		return FailedPart("directory", err)
	}
	detail := i.Root.Dir + ", ours alone"
	if _, err := os.Lstat(i.Root.Dir); err != nil {
		detail = i.Root.Dir + ", not made yet"
	}
	switch needed, err := i.Root.CheckAlias(); {
	case err != nil:
		return FailedPart("directory", err)
	case needed:
		detail += "; CDP clients reach it by a link in /tmp"
	}
	return verbs.Part{Name: "directory", OK: true, Detail: detail}
}

func (i *Installer) checkDriver() verbs.Part {
	dir, err := i.driverDirectory(pack.checkAll)
	if err != nil {
		return FailedPart("driver", err)
	}
	return verbs.Part{Name: "driver", OK: true, Detail: fmt.Sprintf("Playwright %s in %s", i.on().driver.version, dir)}
}

func (i *Installer) checkNode(ctx context.Context) verbs.Part {
	n, err := i.FindNode(ctx)
	if err == nil {
		// FindNode may only remember it.
		_, err = run(ctx, n.Path, "--version")
		if err != nil {
			err = missing(wire.CodeNoDriver, "%s does not run: %v", n.Path, err)
		}
	}
	if err != nil {
		return FailedPart("node", err)
	}
	return verbs.Part{Name: "node", OK: true, Detail: fmt.Sprintf("%s in %s", n.Version, n.Path)}
}

func (i *Installer) checkBrowser(ctx context.Context, s wire.Settings, b Browser) verbs.Part {
	version, err := run(ctx, b.Path, "--version")
	if err != nil {
		hint := "abrowser install --with-deps"
		if s.ExecutablePath != "" {
			hint = i.unname(b.Path)
		}
		return FailedPart("browser", wire.Errorf(wire.CodeNoBrowser, "%s does not run: %v", b.Path, err).WithHint("%s", hint))
	}
	return verbs.Part{Name: "browser", OK: true, Detail: fmt.Sprintf("%s in %s", strings.TrimSpace(version), b.Path)}
}

func (i *Installer) checkSandbox(ctx context.Context, b Browser) verbs.Part {
	s := i.FindSandbox(ctx, b)
	part := verbs.Part{Name: "sandbox", OK: true, Detail: "on", Hint: s.Hint}
	if !s.On {
		part.Detail = "off, since " + s.Why + "; the browser is started with --no-sandbox"
	}
	return part
}

// FailedPart returns the part with this name that fails with err.
func FailedPart(name string, err error) verbs.Part {
	coded := wire.AsError(err)
	return verbs.Part{Name: name, Detail: coded.Message, Code: coded.Code, Hint: coded.Hint}
}
