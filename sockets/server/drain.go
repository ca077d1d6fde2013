package server

import (
	"io"
	"net/http"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

// The limits for reading the rest of a request that the server has refused.
const (
	drainTime  = 10 * time.Second
	drainLimit = 4 * wire.MaxRequest // bytes
)

// drain reads and discards what a handler has left of a request's body, after the response was
// sent. It stops when the body ends, when the client disconnects, or at its limits.
//
// Without drain, net/http would read at most 256 KiB, and close the connection half a second after
// the response. A client that sends its whole request before it reads the response, or that is slow
// on a busy machine, would then fail to send the request, and would never read why the server
// refused it.
func drain(w http.ResponseWriter, r *http.Request) {
	if r.Body == nil || r.Body == http.NoBody {
		return
	}
	// drain does not remove the deadline. If the deadline passes, net/http closes the connection.
	// Otherwise net/http sets its own deadline before it reads the next request.
	if http.NewResponseController(w).SetReadDeadline(time.Now().Add(drainTime)) == nil {
		_, _ = io.CopyN(io.Discard, r.Body, drainLimit)
	}
}
