package sockets

import (
	"net"
	"path/filepath"
	"testing"
)

func TestHungUp(t *testing.T) {
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(t.TempDir(), "s"), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ours, err := net.DialUnix("unix", nil, l.Addr().(*net.UnixAddr))
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := l.AcceptUnix()
	if err != nil {
		t.Fatal(err)
	}
	if HungUp(ours) {
		t.Error("HungUp = true for an open connection")
	}
	if _, err := theirs.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if HungUp(ours) {
		t.Error("HungUp = true while a byte is unread")
	}
	if _, err := ours.Read(make([]byte, 2)); err != nil {
		t.Errorf("the byte was consumed: %v", err)
	}
	if err := theirs.Close(); err != nil {
		t.Fatal(err)
	}
	if !HungUp(ours) {
		t.Error("HungUp = false after the peer has closed")
	}
	if err := ours.Close(); err != nil {
		t.Fatal(err)
	}
	if !HungUp(ours) {
		t.Error("HungUp = false after this side has closed")
	}
}
