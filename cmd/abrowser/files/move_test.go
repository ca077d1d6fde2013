package files

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

func write(t *testing.T, path, content string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// moveFile moves a download to the path that the caller gave, removes the source unless it must
// stay, and replaces only a file that the caller has named.
func TestMoveFile(t *testing.T) {
	dir := t.TempDir()
	w := Files{Root: home.Root{Dir: filepath.Join(dir, "root")}, Session: "task"}
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := os.Mkdir(in("into"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, in("there.txt"), "before")
	write(t, in("into/evil.txt"), "before")
	if err := os.Symlink(in("there.txt"), in("link")); err != nil {
		t.Fatal(err)
	}
	shm, err := os.MkdirTemp("/dev/shm", "abc") // another file system, if the machine has /dev/shm
	if err != nil {
		shm = t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(shm) })
	for _, test := range []struct {
		name, path, want string
		keep             bool
	}{
		{"a new file", in("new.txt"), in("new.txt"), false},
		{"a file that is there", in("there.txt"), in("there.txt"), false},
		{"a link", in("link"), in("link"), false},
		{"a directory", in("into"), in("into/evil (1).txt"), false},
		{"a directory again", in("into"), in("into/evil (2).txt"), false},
		{"another disk", filepath.Join(shm, "x"), filepath.Join(shm, "x"), false},
		{"a file that stays", in("copy"), in("copy"), true},
	} {
		t.Run(test.name, func(t *testing.T) {
			source := write(t, in("guid"), "downloaded")
			got, err := w.moveFile(wire.File{Path: test.path, Source: source, Keep: test.keep, Name: "../../evil.txt"})
			if err != nil || got != test.want {
				t.Fatalf("moveFile = %q, %v, want %q", got, err, test.want)
			}
			if content, err := os.ReadFile(got); err != nil || string(content) != "downloaded" {
				t.Errorf("%s has %q (%v)", got, content, err)
			}
			if _, err := os.Stat(source); (err == nil) != test.keep {
				t.Errorf("the source is there: %t, want %t", err == nil, test.keep)
			}
		})
	}
	if content, err := os.ReadFile(in("into/evil.txt")); err != nil || string(content) != "before" {
		t.Errorf("a file that the caller did not name has %q (%v)", content, err)
	}
	if content, err := os.ReadFile(in("there.txt")); err != nil || string(content) != "downloaded" {
		t.Errorf("the target of the link has %q (%v)", content, err)
	}
	got, err := w.moveFile(wire.File{Source: write(t, in("guid"), "downloaded"), Name: "r.txt"})
	if err != nil || filepath.Dir(got) != in("root/downloads") || !strings.HasPrefix(filepath.Base(got), "task-") || !strings.HasSuffix(got, "-r.txt") {
		t.Errorf("without a path it is at %s (%v)", got, err)
	}
	source := write(t, in("guid"), "downloaded")
	if _, err := w.moveFile(wire.File{Path: in("none/x"), Source: source}); err == nil {
		t.Error("moveFile into a missing directory succeeds")
	}
	if content, err := os.ReadFile(source); err != nil || string(content) != "downloaded" {
		t.Errorf("after a failed move the source has %q (%v)", content, err)
	}
	names, _ := filepath.Glob(in(".abrowser-*")) // the pattern is valid
	inside, _ := filepath.Glob(in("into/.*"))
	if all := slices.Concat(names, inside); len(all) > 0 {
		t.Errorf("%q are left", all)
	}
}
