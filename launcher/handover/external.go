package handover

import (
	"strings"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// AttachError returns the error for an external browser to which the broker cannot attach.
func AttachError(endpoint, why string) *wire.Error {
	plain := home.RedactCDP(endpoint)
	return wire.Errorf(wire.CodeNoBrowser, "attaching to the browser at %s: %s", plain, why).
		WithHint("curl %s", wire.ShellWord(strings.Replace(plain, "ws", "http", 1)+"/json/version"))
}
