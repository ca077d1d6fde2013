package server

import (
	"net/http"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// checkSettings refuses a request whose settings differ from the daemon's, because the daemon
// neither restarts for one command nor ignores requested settings. Verbs that start nothing,
// such as close, are allowed with any settings, since otherwise the session could not be
// closed. If the daemon is ending, checkSettings returns nil: the verb's handler then refuses
// the request, and the client starts another daemon.
func (s *Server) checkSettings(call *wire.Call, verb wire.Spec) *refusal {
	hello := s.Hello()
	if hello.Role != wire.RoleDaemon || verb.NoStart || hello.Ending {
		return nil
	}
	if err := home.CheckSettings(call.Settings, hello); err != nil {
		return &refusal{err, http.StatusConflict}
	}
	return nil
}
