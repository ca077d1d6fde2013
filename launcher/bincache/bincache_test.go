package bincache

import (
	"os"
	"path/filepath"
	"testing"
)

func TestCopyStaysWhileLocked(t *testing.T) {
	from := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(from, []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	c := Cache(filepath.Join(t.TempDir(), "bin"))
	old, lock, err := c.Add("old", from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(old, 1); err != nil {
		t.Fatal(err)
	}
	again, second, err := c.Add("old", from)
	if err != nil || again != old {
		t.Fatalf("Add = %q, %v, want %q", again, err, old)
	}
	if raw, err := os.ReadFile(old); err != nil || string(raw) != "#!/bin/sh\n" {
		t.Errorf("the truncated copy is now %q, %v", raw, err)
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	if err := c.Sweep("new"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(old); err != nil {
		t.Errorf("Sweep removed a copy that is locked: %v", err)
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	if err := c.Sweep("old"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(old); err != nil {
		t.Errorf("Sweep removed the copy to keep: %v", err)
	}
	if err := c.Sweep("new"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Dir(old)); err == nil {
		t.Error("Sweep left an unused copy")
	}
}
