package home

import (
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// CheckSettings returns an error if the requested settings differ from those with which a
// session's daemon runs. The error's hint is a command after which the requested settings can
// be used. If the daemon has no browser yet, or if the settings choose another browser or mode,
// this command closes the session. Otherwise the browser was started with other settings, and
// the command stops the browser.
func CheckSettings(asked wire.Settings, running wire.Hello) error {
	names := asked.Diff(running.Settings)
	command := "abrowser --session " + running.Name
	switch {
	case len(names) == 0:
		return nil
	case !running.Connected || len(asked.Location().Diff(running.Settings)) > 0:
		return settingsDiffer("session "+running.Name, names, command+" close")
	}
	return BrowserDiffers("the browser of session "+running.Name, names, command+" browser stop")
}

// BrowserDiffers returns the error for a browser that runs with other settings than requested.
// The parameter what describes the browser. The parameter names lists the settings that differ.
// The parameter stop is the command that stops the browser for all its sessions.
func BrowserDiffers(what string, names []string, stop string) error {
	return settingsDiffer(what, names, stop+" ends it, for all sessions that work in it; abrowser --profile NAME open starts another")
}

// settingsDiffer returns the error for a session or browser that runs with other settings than
// requested. The parameter what describes the session or browser. The parameter names lists the
// settings that differ. The parameter end is the hint, which contains the command that ends the
// session or browser.
func settingsDiffer(what string, names []string, end string) error {
	return wire.Errorf(wire.CodeSettingsDiffer, "%s runs with other settings than asked for: %s", what, strings.Join(names, ", ")).
		WithHint("%s", end).With("settings", names)
}
