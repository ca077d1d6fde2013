package broker

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/abrowser/abrowser/patches"
)

// Whatever became of the file, the owners are known, but for the latest change at
// most, and what is saved next is read again.
func TestTableOutlivesDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "browser.json")
	owners := func(names ...string) patches.State {
		var s patches.State
		for _, name := range names {
			s.Owners = append(s.Owners, patches.Owner{Name: name})
		}
		return s
	}
	write := func(text string) func() error {
		return func() error { return os.WriteFile(path, []byte(text), 0o600) }
	}
	for _, damage := range []struct {
		name string
		do   func() error
	}{
		{"empty", write("")},
		{"garbage", write("\x00{")},
		{"of no browser", write(`{"state":{"owners":[]}}`)},
		{"no file", func() error { return os.Mkdir(path, 0o700) }},
		{"gone", func() error { return nil }},
	} {
		t.Run(damage.name, func(t *testing.T) {
			b := &table{path: path, instance: "i"}
			for _, s := range []patches.State{owners("a"), owners("a", "b")} {
				if err := b.save(s); err != nil {
					t.Fatal(err)
				}
			}
			if s, err := b.load(); err != nil || len(s.Owners) != 2 {
				t.Fatalf("load = %+v, %v", s, err)
			}
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := damage.do(); err != nil {
				t.Fatal(err)
			}
			s, err := b.load()
			if err == nil || len(s.Owners) != 1 || s.Owners[0].Name != "a" {
				t.Errorf("load = %+v, %v, want the state before it, and why", s, err)
			}
			if err := b.save(owners("c")); err != nil {
				t.Fatal(err)
			}
			if s, err := b.load(); err != nil || len(s.Owners) != 1 || s.Owners[0].Name != "c" {
				t.Errorf("after a save load = %+v, %v", s, err)
			}
		})
	}
	if s, err := (&table{path: path + ".none", instance: "i"}).load(); err != nil || len(s.Owners) != 0 {
		t.Errorf("of a browser that never was, load = %+v, %v", s, err)
	}
}
