package sockets

import (
	"net/http"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// checkSettings refuses a caller who asks for other settings than the daemon runs
// with: it neither restarts for one command nor lets it pass. Verbs that start
// nothing are answered, or a daemon with other settings could not be closed.
func (s *Server) checkSettings(call *wire.Call, verb wire.Doc) *refusal {
	hello := s.Hello()
	if hello.Role != "daemon" || verb.Idle {
		return nil
	}
	names := call.Settings.Differ(hello.Settings)
	if len(names) == 0 {
		return nil
	}
	err := wire.Errorf(wire.CodeSettingsDiffer, "session %s runs with other settings than asked for: %s", hello.Name, strings.Join(names, ", ")).
		WithHint("abrowser --session %s close", hello.Name).With("settings", names)
	return &refusal{err, http.StatusConflict}
}
