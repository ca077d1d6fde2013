package server

import (
	"context"
	"strconv"
	"testing"

	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// IsCallerGone reports true as soon as the client has disconnected.
func TestIsCallerGone(t *testing.T) {
	here, left := make(chan bool), make(chan bool)
	closed := make(chan struct{})
	asks := wire.Bind(verb[verbs.Empty]("hang"), func(_ context.Context, call *wire.Call, _ verbs.Empty) (echoOut, error) {
		here <- !call.IsCallerGone()
		<-closed
		left <- call.IsCallerGone()
		return echoOut{}, nil
	})
	p := newPlace(t, "a")
	serve(t, p, &Server{Hello: helloOf("a"), Handlers: []wire.Handler{asks}})
	for range 50 {
		conn, err := sockets.Dial(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Write([]byte("POST " + hang + " HTTP/1.1\r\nHost: x\r\n" + wire.HeaderProtocol + ": " + strconv.Itoa(wire.Protocol()) + "\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")); err != nil {
			t.Fatal(err)
		}
		if !<-here {
			t.Fatal("IsCallerGone() = true for a connected client")
		}
		if err := conn.Close(); err != nil {
			t.Fatal(err)
		}
		closed <- struct{}{}
		if !<-left {
			t.Fatal("IsCallerGone() = false after the client has disconnected")
		}
	}
}
