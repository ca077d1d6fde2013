package launcher

import (
	"slices"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// childEnviron returns the environment of a child: the part of its caller's that is needed
// to find files, displays and proxies. The child lives for hours and serves other callers
// too, so it gets no secrets, and the requested settings replace those variables that select
// the caller's session or settings.
func childEnviron(caller []string, s wire.Settings) []string {
	replaced := map[string]bool{}
	for _, name := range []string{"SESSION", "HOME", "READY_FD", "OWNER_PID"} {
		replaced["ABROWSER_"+name], replaced["AGENT_BROWSER_"+name] = true, true
	}
	for _, f := range wire.SettingFields() {
		for _, name := range f.Variables() {
			replaced[name] = true
		}
	}
	var env []string
	for _, v := range caller {
		name, _, ok := strings.Cut(v, "=")
		if ok && isPermitted(name) && !replaced[name] {
			env = append(env, v)
		}
	}
	return append(env, s.Environ()...)
}

// isPermitted reports whether children inherit the variable.
func isPermitted(name string) bool {
	upper := strings.ToUpper(name)
	isSecret := func(suffix string) bool { return strings.HasSuffix(upper, suffix) }
	if slices.ContainsFunc([]string{"_KEY", "_TOKEN", "_SECRET", "_PASSWORD"}, isSecret) {
		return false
	}
	switch name {
	case "HOME", "PATH", "LANG", "TZ", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY":
		return true
	case "GORACE": // only read by builds with the race detector
		return true
	}
	hasPrefix := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
	return strings.HasSuffix(upper, "_PROXY") ||
		slices.ContainsFunc([]string{"LC_", "XDG_", "DBUS_", "PULSE_", "FONTCONFIG_", "ABROWSER_", "AGENT_BROWSER_"}, hasPrefix)
}
