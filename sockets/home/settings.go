package home

import (
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// FitSession returns an error where a session's daemon runs with other settings than asked
// for. What its browser was started with a browser of its own has to be started for.
func FitSession(asked wire.Settings, running wire.Hello) error {
	names := asked.Differ(running.Settings)
	command := "abrowser --session " + running.Name
	switch {
	case len(names) == 0:
		return nil
	case !running.Connected || len(asked.Where().Differ(running.Settings)) > 0:
		return Differs("session "+running.Name, names, command+" close")
	}
	return BrowserDiffers("the browser of session "+running.Name, names, command+" browser stop")
}

// BrowserDiffers is [Differs] for a browser, in which other sessions may work: stop is the
// command that would end it for them, too.
func BrowserDiffers(what string, names []string, stop string) error {
	return Differs(what, names, stop+" ends it, for all sessions that work in it; abrowser --profile NAME open starts another")
}

// Differs is the error for what runs with other settings than asked for: their
// names, and the command that ends it.
func Differs(what string, names []string, end string) error {
	return wire.Errorf(wire.CodeSettingsDiffer, "%s runs with other settings than asked for: %s", what, strings.Join(names, ", ")).
		WithHint("%s", end).With("settings", names)
}
