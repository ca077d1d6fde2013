package server

import (
	"net/http"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// checkSettings refuses a request whose settings differ from the daemon's. The daemon cannot apply
// other settings without a restart, and must not ignore them. In these cases checkSettings accepts
// any settings:
//
//   - The server is a broker.
//   - The verb starts nothing, such as close. Otherwise the session could not be closed.
//   - The daemon is ending. The verb's handler then refuses the request, and the client starts
//     another daemon.
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
