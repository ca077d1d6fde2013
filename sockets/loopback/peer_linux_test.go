package loopback

import (
	"io"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/sockets/socketstest"
)

// A process of another user gets no response, even with the token.
func TestOtherUserIsRefused(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can start a process of another user")
	}
	const nobody = 65534
	r := start(t, nil)
	request := "GET /" + r.token + "/a HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
	for _, tt := range []struct {
		name, role string
		uid        uint32
		want       string
	}{
		{"our user", "ask", 0, "HTTP/1.1 200 OK"},
		{"our user by IPv6", "ask6", 0, "HTTP/1.1 200 OK"},
		{"another user", "ask", nobody, "closed"},
		{"another user by IPv6", "ask6", nobody, "closed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := socketstest.Start(t, tt.uid, tt.role, r.port, request)
			if p.FirstLine != tt.want {
				t.Errorf("it got %q, want %q", p.FirstLine, tt.want)
			}
		})
	}
	r.end()
	if n := r.served.Load(); n != 2 {
		t.Errorf("%d requests were served, want our user's 2", n)
	}
	if !strings.Contains(r.log.String(), "the peer is user 65534") {
		t.Errorf("the log is %s", r.log)
	}
}

// checkPeer refuses a connection whose client has closed its socket. The kernel then reports user 0
// for the client's socket, whoever the client was.
func TestUserThatHasLeftIsRefused(t *testing.T) {
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp4", "127.0.0.1:0")
	must(t, err)
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	must(t, err)
	p := socketstest.Start(t, 0, "leave", port, "request")
	p.End()
	conn, err := listener.Accept()
	must(t, err)
	defer conn.Close()
	if raw, err := io.ReadAll(conn); err != nil || string(raw) != "request" {
		t.Fatalf("the request is %q, %v", raw, err)
	}
	if err := checkPeer(conn); err == nil {
		t.Error("the user of a closed socket counts as ours")
	}
}
