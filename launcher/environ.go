package launcher

import (
	"regexp"
	"slices"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// childEnviron returns the environment of a child. It has the caller's variables that are needed
// to find files, displays and proxies, the caller's language and time zone, abrowser's own
// variables, and the variables of the requested settings. The child lives for hours and serves
// other callers too. So it gets no secrets, and none of the caller's variables that select a
// session or settings.
func childEnviron(caller []string, s wire.Settings) []string {
	// Only builds with the race detector read GORACE.
	permitted := regexp.MustCompile(`^(HOME|PATH|LANG|TZ|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|GORACE|` +
		`(LC|XDG|DBUS|PULSE|FONTCONFIG|ABROWSER|AGENT_BROWSER)_.*|(?i:.*_PROXY))$`)
	secret := regexp.MustCompile(`(?i)_(KEY|TOKEN|SECRET|PASSWORD)$`)
	replaced := []string{"SESSION", "HOME", "READY_FD", "OWNER_PID"}
	for _, f := range wire.SettingFields() {
		replaced = append(replaced, f.Env)
		replaced = append(replaced, f.EnvAlso...)
	}
	var env []string
	for _, v := range caller {
		name, _, ok := strings.Cut(v, "=")
		setting, ours := wire.CutVariable(name)
		if ok && permitted.MatchString(name) && !secret.MatchString(name) && !(ours && slices.Contains(replaced, setting)) {
			env = append(env, v)
		}
	}
	return append(env, s.Environ()...)
}
