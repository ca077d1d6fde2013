package server

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/wire"
)

// A client that sends its whole request before it reads the response gets the server's refusal,
// even if it sends much more than the server accepts, and pauses meanwhile.
func TestRefusalsReachClientsThatStillSend(t *testing.T) {
	p := newPlace(t, "a")
	serve(t, p, &Server{Hello: helloOf("a"), Handlers: handlers(nil), Locks: []Lock{{Path: "/v1/lock"}}})
	large := strings.Repeat("x", 2*wire.MaxRequest)
	tests := []struct{ name, path, head string }{
		{"too large", "/v1/echo/text", ""},
		{"of a web page", "/v1/echo/text", "Origin: null\r\n"},
		{"of another session", "/v1/echo/text", wire.HeaderSession + ": b\r\n"},
		{"of another protocol", "/v1/echo/text", wire.HeaderProtocol + ": 2\r\n"},
		{"of an unknown verb", "/v1/dance", ""},
		{"too large for a lock", "/v1/lock", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			conn, err := sockets.Dial(soon(t), p)
			must(t, err)
			defer conn.Close()
			head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n", tt.path, tt.head, len(large))
			for _, part := range []string{head + large[:wire.MaxRequest+1<<19], large[wire.MaxRequest+1<<19:]} {
				_, err = io.WriteString(conn, part)
				must(t, err)
				time.Sleep(time.Second) // longer than net/http waits before it closes a connection
			}
			response, err := http.ReadResponse(bufio.NewReader(conn), nil)
			must(t, err)
			body, err := io.ReadAll(response.Body)
			must(t, errors.Join(err, response.Body.Close()))
			if response.StatusCode < http.StatusBadRequest || !strings.Contains(string(body), `"code"`) {
				t.Errorf("the response is %s %s", response.Status, body)
			}
		})
	}
}
