package server

import (
	"net/http"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// checkSettings refuses a request whose settings differ from the daemon's: the daemon
// neither restarts for one command nor ignores the settings. It allows verbs that start
// nothing, since a daemon with other settings must be closable. An ending daemon refuses the
// request itself, and the client starts another daemon.
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
