package refs

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
	r := New(path)
	first := Element{Target: "T", Connection: "C", Document: "@1", PlaywrightRef: "e1", Role: "button", Name: "Go"}
	number := func(e Element) int {
		t.Helper()
		n, err := r.Number(e)
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
	for _, other := range []Element{
		{Target: "U", Connection: "C", Document: "@1", PlaywrightRef: "e1", Role: "button", Name: "Go"},
		{Target: "T", Connection: "C", Document: "@2", PlaywrightRef: "e1", Role: "button", Name: "Go"},
		{Target: "T", Connection: "C", Document: "@1", PlaywrightRef: "e2", Role: "button", Name: "Go"},
		{Target: "T", Connection: "D", Document: "@1", PlaywrightRef: "e1", Role: "button", Name: "Go"},
	} {
		if got := number(other); got == 1 {
			t.Errorf("%+v has the number of another element", other)
		}
	}
	if e, err := r.Lookup(1); err != nil || e != first {
		t.Errorf("Lookup(1) = %+v, %v", e, err)
	}
	r.Forget("T", "C", map[string]bool{"@2": true})
	if _, err := r.Lookup(1); !errors.Is(err, wire.CodeStaleRef) {
		t.Errorf("Lookup of a forgotten ref = %v, want %s", err, wire.CodeStaleRef)
	}
	if got := number(first); got == 1 {
		t.Error("a forgotten element got its old number again")
	}
	if _, err := r.Lookup(500); !errors.Is(err, wire.CodeNotFound) {
		t.Errorf("Lookup of a number that was never given = %v, want %s", err, wire.CodeNotFound)
	}
}

func TestRefsAcrossDaemons(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "one.json")
	highest := 0
	for daemon := range 3 {
		r := New(path)
		for i := range refBlock + 10 {
			n, err := r.Number(Element{PlaywrightRef: strconv.Itoa(daemon) + "-" + strconv.Itoa(i)})
			if err != nil {
				t.Fatal(err)
			}
			if n <= highest {
				t.Fatalf("daemon %d gave out %d, %d was given out before", daemon, n, highest)
			}
			highest = n
		}
	}
	r := New(path)
	if _, err := r.Lookup(5); !errors.Is(err, wire.CodeStaleRef) {
		t.Errorf("Lookup of an earlier daemon's ref = %v, want %s", err, wire.CodeStaleRef)
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := New(path).Number(Element{}); err == nil {
		t.Error("a damaged file is not noticed")
	}
}
