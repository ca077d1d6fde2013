package server

import (
	"context"
	"net/http"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

// Lock is a lock that a client holds for as long as it keeps its connection open.
type Lock struct {
	Path  string        // the path of requests for the lock
	Limit time.Duration // the lock is released after this time
	// Acquire acquires the lock, or fails when ctx ends. It returns the reply's data and
	// the function that releases the lock.
	Acquire func(ctx context.Context, call *wire.Call) (out any, release func(), err error)
}

// serveHolding acquires the lock h, responds and keeps the request open. It releases the lock when
// one of these happens:
//
//   - The client disconnects.
//   - The lock's limit has passed.
//   - The server shuts down. [Server.Serve] then cancels the context in the parameter shutdown.
func (s *Server) serveHolding(shutdown context.Context, w http.ResponseWriter, r *http.Request, h Lock) {
	call, no := s.admit(r, wire.Spec{})
	if no == nil {
		_, no = readBody(w, r)
	}
	if no != nil {
		no.respond(w, r)
		return
	}
	waiting, cancel := context.WithDeadline(r.Context(), call.Deadline)
	out, release, err := h.Acquire(waiting, call)
	cancel()
	reply := wire.NewReply(call, out, err)
	if err != nil {
		respond(w, statusOf(reply.Error.Code), reply)
		return
	}
	defer release()
	respond(w, http.StatusOK, reply)
	if http.NewResponseController(w).Flush() != nil {
		return // the client has disconnected
	}
	limit := time.NewTimer(h.Limit)
	defer limit.Stop()
	select {
	case <-r.Context().Done():
	case <-shutdown.Done():
	case <-limit.C:
	}
}
