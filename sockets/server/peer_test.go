package server

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/sockets/socketstest"
)

func TestAnotherUserIsLetInByNoMode(t *testing.T) {
	const nobody = 65534
	if os.Geteuid() != 0 {
		t.Skip("only root can be another user too")
	}
	p := newPlace(t, "a")
	for dir := filepath.Dir(p.Socket); strings.HasPrefix(dir, "/tmp/ab"); dir = filepath.Dir(dir) {
		must(t, os.Chmod(dir, 0o777))
	}
	s := serve(t, p, &Server{Hello: helloOf("a")})
	must(t, os.Chmod(p.Socket, 0o777))
	if said := socketstest.Start(t, nobody, "raw", p.Socket).FirstLine; !strings.HasPrefix(said, "forbidden ") {
		t.Errorf("another user that connects is told %q, want to be hung up on", said)
	}
	if said := socketstest.Start(t, nobody, "dial", p.Socket).FirstLine; !strings.HasPrefix(said, "forbidden ") {
		t.Errorf("another user's Dial says %q, want forbidden", said)
	}
	if said := socketstest.Start(t, 0, "raw", p.Socket).FirstLine; said != "ok" {
		t.Errorf("our own user is told %q, want ok", said)
	}
	if _, err := s.Hello(t.Context()); err != nil {
		t.Errorf("Hello() afterwards = %v", err)
	}
}
