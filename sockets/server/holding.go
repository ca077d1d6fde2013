package server

import (
	"context"
	"net/http"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

// Holding is something that a caller has for as long as it keeps its connection. take
// waits for it within ctx and returns the reply's data and what ends the holding.
type Holding struct {
	Path  string
	Limit time.Duration // it ends after that, whatever the caller does
	Take  func(ctx context.Context, call *wire.Call) (out any, end func(), err error)
}

// serveHolding answers when the caller has what it asked for, and goes on until the
// caller hangs up, its time is over or leaving ends.
func (s *Server) serveHolding(leaving context.Context, w http.ResponseWriter, r *http.Request, h Holding) {
	call, no := s.admit(r, wire.Doc{})
	if no == nil {
		_, no = readBody(w, r)
	}
	if no != nil {
		no.answer(w)
		return
	}
	waiting, cancel := context.WithDeadline(r.Context(), call.Deadline)
	out, end, err := h.Take(waiting, call)
	cancel()
	reply := wire.ReplyTo(call, out, err)
	if err != nil {
		answer(w, statusOf(reply.Error.Code), reply)
		return
	}
	defer end()
	answer(w, http.StatusOK, reply)
	if http.NewResponseController(w).Flush() != nil {
		return // the caller has hung up
	}
	limit := time.NewTimer(h.Limit)
	defer limit.Stop()
	select {
	case <-r.Context().Done():
	case <-leaving.Done():
	case <-limit.C:
	}
}
