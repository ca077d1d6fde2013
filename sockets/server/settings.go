package server

import (
	"net/http"

	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/wire"
)

// checkSettings refuses a caller who asks for other settings than the daemon runs
// with: it neither restarts for one command nor lets it pass. Verbs that start
// nothing are answered, or a daemon with other settings could not be closed.
func (s *Server) checkSettings(call *wire.Call, verb wire.Doc) *refusal {
	hello := s.Hello()
	if hello.Role != "daemon" || verb.Idle || hello.Ending { // the last says so itself, and another is started
		return nil
	}
	if err := sockets.FitSession(call.Settings, hello); err != nil {
		return &refusal{err, http.StatusConflict}
	}
	return nil
}
