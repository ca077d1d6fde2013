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
	replaced := map[string]bool{"SESSION": true, "HOME": true, "READY_FD": true, "OWNER_PID": true}
	for _, f := range wire.SettingFields() {
		replaced[f.Env] = true
		for _, name := range f.EnvAlso {
			replaced[name] = true
		}
	}
	var env []string
	for _, v := range caller {
		name, _, ok := strings.Cut(v, "=")
		setting, own := wire.CutVariable(name)
		if ok && !(own && replaced[setting]) && isPermitted(name) {
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
	_, own := wire.CutVariable(name)
	return own || strings.HasSuffix(upper, "_PROXY") ||
		slices.ContainsFunc([]string{"LC_", "XDG_", "DBUS_", "PULSE_", "FONTCONFIG_"}, hasPrefix)
}
