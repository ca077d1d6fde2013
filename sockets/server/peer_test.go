package server

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/sockets/socketstest"
)

// A server refuses connections of other users even if the mode of its socket allows them.
func TestAnotherUserIsLetInByNoMode(t *testing.T) {
	const nobody = 65534
	if os.Geteuid() != 0 {
		t.Skip("only root can start processes of another user")
	}
	p := newPlace(t, "a")
	for dir := filepath.Dir(p.Socket); strings.HasPrefix(dir, "/tmp/ab"); dir = filepath.Dir(dir) {
		must(t, os.Chmod(dir, 0o777))
	}
	s := serve(t, p, &Server{Hello: helloOf("a")})
	must(t, os.Chmod(p.Socket, 0o777))
	if said := socketstest.Start(t, nobody, "raw", p.Socket).FirstLine; !strings.HasPrefix(said, "forbidden ") {
		t.Errorf("a request of another user prints %q, want forbidden", said)
	}
	if said := socketstest.Start(t, nobody, "dial", p.Socket).FirstLine; !strings.HasPrefix(said, "forbidden ") {
		t.Errorf("Dial() by another user prints %q, want forbidden", said)
	}
	if said := socketstest.Start(t, 0, "raw", p.Socket).FirstLine; said != "ok" {
		t.Errorf("a request of the server's user prints %q, want ok", said)
	}
	if _, err := s.Hello(t.Context()); err != nil {
		t.Errorf("Hello() afterwards = %v", err)
	}
}
