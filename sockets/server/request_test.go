package server

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// slowBuffer is a log that is written slowly, like a file on a busy machine.
type slowBuffer struct{ lockedBuffer }

func (b *slowBuffer) Write(p []byte) (int, error) {
	// If the client already had the response, it would read the log during this time.
	time.Sleep(20 * time.Millisecond)
	return b.lockedBuffer.Write(p)
}

// The server logs a command before it responds.
func TestCommandIsLoggedBeforeTheResponse(t *testing.T) {
	p := newPlace(t, "a")
	var logged slowBuffer
	c := serve(t, p, &Server{Hello: helloOf("a"), Handlers: handlers(nil), Log: slog.New(slog.NewTextHandler(&logged, nil))})
	for n := 1; n <= 5; n++ {
		if _, err := c.Call(t.Context(), spec(echo), echoIn{Text: fmt.Sprint(n)}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(logged.String(), `verb="echo text"`); got != n {
			t.Fatalf("after %d commands the log contains %d", n, got)
		}
	}
}
