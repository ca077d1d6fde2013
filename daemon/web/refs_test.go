package web

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/abrowser/abrowser/sockets/wire"
)

func TestRefs(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "sessions", "one.json")
	r := newRefs(path)
	first := element{target: "T", connection: "C", document: "@1", pwRef: "e1", role: "button", name: "Go"}
	number := func(e element) int {
		t.Helper()
		n, err := r.number(e)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if got := number(first); got != 1 {
		t.Errorf("the first number is %d", got)
	}
	if got := number(first); got != 1 {
		t.Errorf("the same element has the number %d", got)
	}
	for _, other := range []element{
		{target: "U", connection: "C", document: "@1", pwRef: "e1", role: "button", name: "Go"},
		{target: "T", connection: "C", document: "@2", pwRef: "e1", role: "button", name: "Go"},
		{target: "T", connection: "C", document: "@1", pwRef: "e2", role: "button", name: "Go"},
		{target: "T", connection: "D", document: "@1", pwRef: "e1", role: "button", name: "Go"},
	} {
		if got := number(other); got == 1 {
			t.Errorf("%+v has the number of another element", other)
		}
	}
	if e, err := r.lookup(1); err != nil || e != first {
		t.Errorf("lookup(1) = %+v, %v", e, err)
	}
	r.forget("T", "C", map[string]bool{"@2": true})
	if _, err := r.lookup(1); !errors.Is(err, wire.CodeStaleRef) {
		t.Errorf("lookup of a forgotten ref = %v, want %s", err, wire.CodeStaleRef)
	}
	if got := number(first); got == 1 {
		t.Error("a forgotten element got its old number again")
	}
	if _, err := r.lookup(500); !errors.Is(err, wire.CodeNotFound) {
		t.Errorf("lookup of a number that was never given = %v, want %s", err, wire.CodeNotFound)
	}
}

func TestRefsAcrossDaemons(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "one.json")
	highest := 0
	for daemon := range 3 {
		r := newRefs(path)
		for i := range refBlock + 10 {
			n, err := r.number(element{pwRef: strconv.Itoa(daemon) + "-" + strconv.Itoa(i)})
			if err != nil {
				t.Fatal(err)
			}
			if n <= highest {
				t.Fatalf("daemon %d gave out %d, %d was given out before", daemon, n, highest)
			}
			highest = n
		}
	}
	r := newRefs(path)
	if _, err := r.lookup(5); !errors.Is(err, wire.CodeStaleRef) {
		t.Errorf("lookup of an earlier daemon's ref = %v, want %s", err, wire.CodeStaleRef)
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := newRefs(path).number(element{}); err == nil {
		t.Error("a damaged file is not noticed")
	}
}
