package statefiles

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

func newStore(t *testing.T, names ...string) Store {
	t.Helper()
	s := Store{Dir: filepath.Join(t.TempDir(), "states"), What: "state", List: "abrowser state list"}
	if err := s.Make(); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(s.Dir, name+ext), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func (s Store) names(t *testing.T) []string {
	t.Helper()
	all, err := s.All()
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, f := range all {
		names = append(names, f.Name)
	}
	return names
}

// A name never leads out of the directory.
func TestNamesStayInTheDirectory(t *testing.T) {
	s := newStore(t, "login")
	outside := filepath.Join(filepath.Dir(s.Dir), "outside.json")
	if err := os.WriteFile(outside, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", "..", "../outside", "/etc/passwd", "a/b", `..\outside`, "login.json", "a\x00b", "a\nb"} {
		for what, err := range map[string]error{"remove": s.Remove(name), "rename": s.Rename(name, "x"), "rename to": s.Rename("login", name)} {
			if !errors.Is(err, wire.CodeBadInput) {
				t.Errorf("%s %q: %v", what, name, err)
			}
		}
	}
	if content, err := os.ReadFile(outside); err != nil || string(content) != "precious" {
		t.Errorf("the file outside has %q (%v)", content, err)
	}
	if got := s.names(t); !slices.Equal(got, []string{"login"}) {
		t.Errorf("the directory has %q", got)
	}
}

// Rename keeps the file that has the new name.
func TestRename(t *testing.T) {
	s := newStore(t, "a", "b")
	if err := s.Rename("a", "b"); !errors.Is(err, wire.CodeBadInput) {
		t.Errorf("a name that is taken: %v", err)
	}
	if err := s.Rename("c", "d"); !errors.Is(err, wire.CodeNotFound) {
		t.Errorf("a name that does not exist: %v", err)
	}
	if err := s.Rename("a", "c"); err != nil {
		t.Error(err)
	}
	if got, err := s.Load("c", 10); err != nil || string(got) != "a" {
		t.Errorf("c is %q (%v)", got, err)
	}
	if got := s.names(t); !slices.Equal(got, []string{"b", "c"}) {
		t.Errorf("the directory has %q", got)
	}
}

func TestRemoveOld(t *testing.T) {
	s := newStore(t, "new", "old")
	if err := os.WriteFile(filepath.Join(s.Dir, "notes.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	past := time.Now().Add(-48 * time.Hour)
	for _, file := range []string{"old.json", "notes.txt"} {
		if err := os.Chtimes(filepath.Join(s.Dir, file), past, past); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := s.RemoveOld(time.Now().Add(-24 * time.Hour)); err != nil || !slices.Equal(got, []string{"old"}) {
		t.Errorf("RemoveOld = %q, %v", got, err)
	}
	if _, err := os.Stat(filepath.Join(s.Dir, "notes.txt")); err != nil {
		t.Error("a file that is not a state was removed")
	}
	if got := s.names(t); !slices.Equal(got, []string{"new"}) {
		t.Errorf("the directory has %q", got)
	}
}

// Files that cannot be a state are refused before they are read.
func TestRead(t *testing.T) {
	s := newStore(t, "login")
	if err := os.Mkdir(filepath.Join(s.Dir, "folder.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Load("login", 4); !errors.Is(err, wire.CodeTooLarge) {
		t.Errorf("a large file: %v", err)
	}
	if _, err := s.Load("folder", 4); !errors.Is(err, wire.CodeBadInput) {
		t.Errorf("a directory: %v", err)
	}
	_, err := s.Load("logn", 4)
	if !errors.Is(err, wire.CodeNotFound) || wire.AsError(err).Hint != "did you mean login?" {
		t.Errorf("a missing file: %v", err)
	}
}
