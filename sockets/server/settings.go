package server

import (
	"net/http"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// checkSettings refuses a request whose settings differ from the daemon's: the daemon
// neither restarts for one command nor ignores the settings. Verbs that start nothing are
// allowed, or a daemon with other settings could not be closed.
func (s *Server) checkSettings(call *wire.Call, verb wire.Spec) *refusal {
	hello := s.Hello()
	if hello.Role != wire.RoleDaemon || verb.NoStart || hello.Ending { // an ending daemon refuses the request itself, and the client starts another
		return nil
	}
	if err := home.CheckSettings(call.Settings, hello); err != nil {
		return &refusal{err, http.StatusConflict}
	}
	return nil
}
