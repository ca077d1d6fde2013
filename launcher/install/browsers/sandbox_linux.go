package install

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

func ownedByRoot(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Uid == 0
}

// namespaces tries what the browser's sandbox does first: a process in user, PID
// and network namespaces of its own. The settings that forbid it are many
// (sysctls, AppArmor, seccomp in containers), so only trying tells.
func namespaces(ctx context.Context, b Browser) Sandbox {
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
	return Sandbox{Why: "user namespaces are forbidden here, as in many containers"}
}

// appArmorAllows reports whether a profile gives the browser the namespaces that
// others do not get, as Ubuntu's profiles for installed browsers do.
func appArmorAllows(profiles, browser string) bool {
	real, err := filepath.EvalSymlinks(browser)
	if err != nil {
		return false
	}
	entries, err := os.ReadDir(profiles)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		raw, err := os.ReadFile(filepath.Join(profiles, e.Name()))
		if err == nil && bytes.Contains(raw, []byte("userns")) && bytes.Contains(raw, []byte(real)) {
			return true
		}
	}
	return false
}
