package sockets

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/sockets/wire"
)

const nobody = 65534

// opened is a place whose socket any user can reach, as if modes were no wall.
func opened(t *testing.T) Place {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can be another user too")
	}
	p := newPlace(t, "a")
	for dir := filepath.Dir(p.Socket); strings.HasPrefix(dir, "/tmp/ab"); dir = filepath.Dir(dir) {
		chmod(t, dir, 0o777)
	}
	return p
}

func TestAnotherUserIsLetInByNoMode(t *testing.T) {
	p := opened(t)
	s := serve(t, p, &Server{Hello: helloOf("a")})
	chmod(t, p.Socket, 0o777)
	if said := start(t, nobody, "raw", p.Socket).said; !strings.HasPrefix(said, "forbidden ") {
		t.Errorf("another user that connects is told %q, want to be hung up on", said)
	}
	if said := start(t, nobody, "dial", p.Socket).said; !strings.HasPrefix(said, "forbidden ") {
		t.Errorf("another user's Dial says %q, want forbidden", said)
	}
	if said := start(t, 0, "raw", p.Socket).said; said != "ok" {
		t.Errorf("our own user is told %q, want ok", said)
	}
	if _, err := s.Hello(t.Context()); err != nil {
		t.Errorf("Hello() afterwards = %v", err)
	}
}

func TestAnotherUsersSocketIsNotTrusted(t *testing.T) {
	p := opened(t)
	if said := start(t, nobody, "listen", p.Socket).said; said != "ok" {
		t.Fatalf("the squatter said %q", said)
	}
	if _, err := Dial(t.Context(), p); !errors.Is(err, wire.CodeForbidden) {
		t.Errorf("Dial() = %v, want %s", err, wire.CodeForbidden)
	}
	if err := Await(soon(t), p); !errors.Is(err, wire.CodeForbidden) {
		t.Errorf("Await() = %v, want %s", err, wire.CodeForbidden)
	}
}

func TestWhatIsForbiddenIsNotCalledDown(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can be another user too")
	}
	p := newPlace(t, "a")
	listen(t, p)
	said := start(t, nobody, "dial", p.Socket).said // its directory is closed to it
	if !strings.HasPrefix(said, "permission ") || strings.Contains(said, "refused") {
		t.Errorf("Dial() without rights says %q, want permission", said)
	}
}

func TestPeersOfUnknownKindAreRefused(t *testing.T) {
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	if err := checkPeer(a); !errors.Is(err, wire.CodeForbidden) {
		t.Errorf("checkPeer(pipe) = %v, want %s", err, wire.CodeForbidden)
	}
}
