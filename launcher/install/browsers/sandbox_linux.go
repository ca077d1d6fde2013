package browsers

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

func isOwnedByRoot(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Uid == 0
}

// tryNamespaces returns whether the browser can create the namespaces that its sandbox needs. The
// sandbox first starts a process in new user, PID and network namespaces, and tryNamespaces does
// the same. Many settings can forbid this (sysctls, AppArmor, seccomp in containers), so a trial is
// more reliable than reading the settings. If the trial fails, tryNamespaces searches for the
// sysctl that explains the failure.
func tryNamespaces(ctx context.Context, b Browser) Sandbox {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/true")
	cmd.Env = []string{}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}},
	}
	if cmd.Run() == nil {
		return Sandbox{On: true}
	}
	for _, sysctl := range []struct{ name, forbids, allows string }{
		{"kernel.apparmor_restrict_unprivileged_userns", "1", "0"},
		{"kernel.unprivileged_userns_clone", "0", "1"},
		{"user.max_user_namespaces", "0", "10000"},
	} {
		raw, err := os.ReadFile("/proc/sys/" + strings.ReplaceAll(sysctl.name, ".", "/"))
		if err != nil || strings.TrimSpace(string(raw)) != sysctl.forbids {
			continue
		}
		if strings.Contains(sysctl.name, "apparmor") && appArmorAllows("/etc/apparmor.d", b.Path) {
			return Sandbox{On: true}
		}
		return Sandbox{
			Why:  "this system forbids user namespaces (" + sysctl.name + "=" + sysctl.forbids + ")",
			Hint: "sudo sysctl -w " + sysctl.name + "=" + sysctl.allows,
		}
	}
	return Sandbox{Why: "user namespaces are forbidden, as in many containers"}
}

// appArmorAllows reports whether an AppArmor profile permits namespaces for this browser although
// they are forbidden for other programs. Ubuntu has such profiles for browsers.
func appArmorAllows(profiles, browser string) bool {
	target, err := filepath.EvalSymlinks(browser)
	if err != nil {
		return false
	}
	files, _ := filepath.Glob(filepath.Join(profiles, "*")) // the pattern is valid
	for _, file := range files {
		raw, err := os.ReadFile(file) // fails for a directory
		if err == nil && bytes.Contains(raw, []byte("userns")) && bytes.Contains(raw, []byte(target)) {
			return true
		}
	}
	return false
}
