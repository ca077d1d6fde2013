package sockets

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/sockets/socketstest"
	"github.com/abrowser/abrowser/sockets/wire"
)

const nobody = 65534

func TestAnotherUsersSocketIsNotTrusted(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can be another user too")
	}
	p := newPlace(t, "a")
	for dir := filepath.Dir(p.Socket); strings.HasPrefix(dir, "/tmp/ab"); dir = filepath.Dir(dir) {
		must(t, os.Chmod(dir, 0o777))
	}
	if said := socketstest.Start(t, nobody, "listen", p.Socket).FirstLine; said != "ok" {
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
	said := socketstest.Start(t, nobody, "dial", p.Socket).FirstLine // its directory is closed to it
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
