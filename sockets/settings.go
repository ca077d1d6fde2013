package sockets

import (
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// Differs is the error for what runs with other settings than asked for: their
// names, and the command that ends it.
func Differs(what string, names []string, end string) error {
	return wire.Errorf(wire.CodeSettingsDiffer, "%s runs with other settings than asked for: %s", what, strings.Join(names, ", ")).
		WithHint("%s", end).With("settings", names)
}
