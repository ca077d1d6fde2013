package home

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/sockets/wire"
)

func TestPathsThatAreTooLong(t *testing.T) {
	fits := Root{Dir: "/" + strings.Repeat("r", MaxSocketPath-len("//run/s/a.sock"))}
	p, err := fits.Session("a")
	if err != nil || len(p.Socket) != MaxSocketPath {
		t.Errorf("Session() = %d bytes, %v, want %d", len(p.Socket), err, MaxSocketPath)
	}
	long := Root{Dir: fits.Dir + "r"}
	for name, try := range map[string]func() error{
		"Session": func() error { _, err := long.Session("a"); return err },
		"Browser": func() error { _, err := long.Browser("a"); return err },
	} {
		err := try()
		if !errors.Is(err, wire.CodeBadInput) || !strings.Contains(err.Error(), "107") && !strings.Contains(err.Error(), "103") ||
			!strings.Contains(wire.AsError(err).Hint, "ABROWSER_HOME") {
			t.Errorf("%s() = %v (hint %q), want the limit and ABROWSER_HOME", name, err, wire.AsError(err).Hint)
		}
	}
	// If the root has the length that the hint allows, the socket path of the longest name fits.
	const promised = MaxSocketPath - len("/run/s/.sock") - 64
	if _, err := (Root{Dir: "/" + strings.Repeat("r", promised-1)}).Session(strings.Repeat("x", 64)); err != nil {
		t.Errorf("Session() in a root of %d bytes = %v", promised, err)
	}
}

func TestSessions(t *testing.T) {
	r := newRoot(t)
	for _, file := range []string{"a.sock", "a.lock", "a.start", "a-b.lock", "junk", "x.txt"} {
		must(t, os.WriteFile(r.Path("run", "s", file), nil, 0o600))
	}
	p, err := r.Session("Upper")
	must(t, err)
	must(t, os.WriteFile(p.Lock, nil, 0o600))
	got, err := r.Sessions()
	must(t, err)
	var names []string
	for _, g := range got {
		names = append(names, g.Name)
	}
	if strings.Join(names, ",") != "a-b,a," || got[2].Socket != p.Socket || got[2].Log != p.Log {
		t.Errorf("Sessions() = %v", got)
	}
	if got, err := (Root{Dir: "/no/such"}).Sessions(); got != nil || err != nil {
		t.Errorf("Sessions() without a root = %v, %v, want none", got, err)
	}
}
