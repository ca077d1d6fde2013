package home

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

func TestReplaceFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "file")
	write := func(text string, err error) func(*os.File) error {
		return func(f *os.File) error {
			_, failed := f.WriteString(text)
			return errors.Join(failed, err)
		}
	}
	must(t, ReplaceFile(path, 0o640, write("one", nil)))
	if err := ReplaceFile(path, 0o600, write("half", syscall.ENOSPC)); !errors.Is(err, wire.CodePermission) || !strings.Contains(err.Error(), "no space") {
		t.Errorf("ReplaceFile() on a full disk = %v, want %s", err, wire.CodePermission)
	}
	raw, err := os.ReadFile(path)
	if err != nil || string(raw) != "one" {
		t.Errorf("after a failure the file contains %q, %v, want the old content", raw, err)
	}
	must(t, ReplaceFile(path, 0o640, write("two", nil)))
	raw, err = os.ReadFile(path)
	info, missing := os.Stat(path)
	if err != nil || missing != nil || string(raw) != "two" || info.Mode() != 0o640 {
		t.Errorf("the file contains %q with mode %v, %v", raw, info, err)
	}
	if all, err := os.ReadDir(filepath.Dir(path)); len(all) != 1 {
		t.Errorf("the directory contains %v, %v, want the file alone", all, err)
	}
}

func TestTrim(t *testing.T) {
	dir := t.TempDir()
	must(t, Trim(filepath.Join(dir, "none"), time.Hour, 0))
	for name, age := range map[string]time.Duration{"new": 0, "older": time.Hour, "oldest": 2 * time.Hour, "expired": 9 * time.Hour} {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, make([]byte, 10), 0o600))
		must(t, os.Chtimes(path, time.Time{}, time.Now().Add(-age)))
	}
	left := func() string {
		entries, err := os.ReadDir(dir)
		must(t, err)
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return strings.Join(names, " ")
	}
	must(t, Trim(dir, 5*time.Hour, 1000))
	if got := left(); got != "new older oldest" {
		t.Errorf("after Trim() by age there are %s", got)
	}
	must(t, Trim(dir, 5*time.Hour, 25))
	if got := left(); got != "new older" {
		t.Errorf("after Trim() by size there are %s", got)
	}
}

func TestPictures(t *testing.T) {
	root := Root{Dir: filepath.Join(t.TempDir(), "[r]*")}
	for _, one := range [][2]string{{"a", "t1"}, {"a", "t12"}, {"a.t1", "t2"}, {"A", "t3"}} {
		must(t, root.KeepRecord(root.PictureFile(one[0], one[1]), []byte("picture")))
	}
	must(t, root.KeepRecord(root.RecordFile("a"), []byte("{}")))
	for session, want := range map[string]string{"a": "t1 t12", "a.t1": "t2", "A": "t3", "b": ""} {
		got, err := root.Pictures(session)
		must(t, err)
		if names := strings.Join(slices.Sorted(maps.Keys(got)), " "); names != want {
			t.Errorf("session %s has the pictures %q, want %q", session, names, want)
		}
	}
}
