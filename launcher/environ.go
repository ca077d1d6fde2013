package launcher

import (
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// childEnviron is what a child gets of its caller's environment. It lives for hours
// and serves others too, so it gets what finds files, displays and proxies, and no
// secret; what chose the caller's session or settings is replaced by what the
// launcher was asked for.
func childEnviron(caller []string, s wire.Settings) []string {
	var env []string
	chosen := map[string]bool{"SESSION": true, "HOME": true, "READY_FD": true, "OWNER_PID": true}
	for _, f := range wire.SettingFields() {
		for _, name := range f.Variables() {
			chosen[ourName(name)] = true
		}
	}
	for _, v := range caller {
		name, _, ok := strings.Cut(v, "=")
		if ok && inherits(name) && !chosen[ourName(name)] {
			env = append(env, v)
		}
	}
	return append(env, s.Environ()...)
}

// ourName is what follows our prefix, or nothing.
func ourName(name string) string {
	for _, prefix := range []string{"ABROWSER_", "AGENT_BROWSER_"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			return rest
		}
	}
	return ""
}

func inherits(name string) bool {
	upper := strings.ToUpper(name)
	for _, secret := range []string{"_KEY", "_TOKEN", "_SECRET", "_PASSWORD"} {
		if strings.HasSuffix(upper, secret) {
			return false
		}
	}
	switch name {
	case "HOME", "PATH", "LANG", "TZ", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY":
		return true
	case "GORACE": // read by a build with the race detector alone
		return true
	}
	for _, prefix := range []string{"LC_", "XDG_", "DBUS_", "PULSE_", "FONTCONFIG_", "ABROWSER_", "AGENT_BROWSER_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return strings.HasSuffix(upper, "_PROXY")
}
