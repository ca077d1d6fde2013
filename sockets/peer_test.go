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

const otherUser = 65534

func TestDialRejectsAnotherUsersSocket(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can start processes of another user")
	}
	e := newEndpoint(t, "a")
	for dir := filepath.Dir(e.Socket); strings.HasPrefix(dir, "/tmp/ab"); dir = filepath.Dir(dir) {
		must(t, os.Chmod(dir, 0o777))
	}
	if said := socketstest.Start(t, otherUser, "listen", e.Socket).FirstLine; said != "ok" {
		t.Fatalf("the process of the other user printed %q, want ok", said)
	}
	if _, err := Dial(t.Context(), e); !errors.Is(err, wire.CodeForbidden) {
		t.Errorf("Dial() = %v, want %s", err, wire.CodeForbidden)
	}
	if err := Await(soon(t), e); !errors.Is(err, wire.CodeForbidden) {
		t.Errorf("Await() = %v, want %s", err, wire.CodeForbidden)
	}
}

func TestDialWithoutPermission(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can start processes of another user")
	}
	e := newEndpoint(t, "a")
	listen(t, e)
	// That user cannot enter the socket's directory.
	said := socketstest.Start(t, otherUser, "dial", e.Socket).FirstLine
	if !strings.HasPrefix(said, "permission ") || strings.Contains(said, "refused") {
		t.Errorf("Dial() without permission prints %q, want permission", said)
	}
}

func TestCheckPeerRejectsOtherConnections(t *testing.T) {
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	if err := checkPeer(a); !errors.Is(err, wire.CodeForbidden) {
		t.Errorf("checkPeer(pipe) = %v, want %s", err, wire.CodeForbidden)
	}
}
