package buildid

import (
	"bytes"
	"debug/elf"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestBuildFollowsTheCode(t *testing.T) {
	dir := t.TempDir()
	build := func(name, code string, flags ...string) string {
		source := filepath.Join(dir, "main.go")
		if err := os.WriteFile(source, []byte("package main\n\nfunc main() { println(\""+code+"\") }\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(dir, name)
		cmd := exec.CommandContext(t.Context(), "go", append(append([]string{"build", "-o", out}, flags...), source)...)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go build: %v: %s", err, text)
		}
		id, err := Of(out)
		if err != nil || len(id) != 16 {
			t.Fatalf("Of(%s) = %q, %v", name, id, err)
		}
		return id
	}
	one, same, two := build("one", "1"), build("same", "1"), build("two", "2")
	if one != same || one == two {
		t.Errorf("Of = %s and %s for the same code, %s for other code", one, same, two)
	}
	const bare = "-ldflags=-buildid="
	if a, b := build("a", "1", bare), build("b", "2", bare); a == b {
		t.Error("two programs without build IDs have the same build")
	}
}

// noteID finds the same note as package debug/elf.
func TestBuildIDInANote(t *testing.T) {
	f, err := os.Open(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, f)
	var want []byte
	if e, err := elf.NewFile(f); err == nil { // on macOS the test binary is not an ELF file
		if want, err = e.Section(".note.go.buildid").Data(); err != nil {
			t.Fatal(err)
		}
		want = want[16:]
	}
	if got := noteID(head(f, 4096)); !bytes.HasPrefix(want, got) || len(want)-len(got) > 3 {
		t.Errorf("noteID() = %q, want %q", got, want)
	}
	const note = "\x04\x00\x00\x00\x08\x00\x00\x00\x04\x00\x00\x00Go\x00\x00"
	for _, page := range []string{
		"", "\x7fELF\x02\x01", "\x7fELF\x02\x01" + strings.Repeat("\xff", 200), "\x7fELF\x01\x01" + strings.Repeat("\x01", 200),
		"\x7fELF\x02\x01" + note[12:], "\x7fELF\x02\x01" + note + "short", "\x7fELF\x01\x01" + note + "a/b/c/d/",
	} {
		if id := noteID([]byte(page)); id != nil {
			t.Errorf("noteID(%q) = %q, want none", page, id)
		}
	}
	if got := noteID([]byte("\x7fELF\x02\x01" + note + "a/b/c/d/ more")); string(got) != "a/b/c/d/" {
		t.Errorf("noteID() = %q, want a/b/c/d/", got)
	}
}

// In an executable without a note, as on macOS, Raw finds the build ID that stands in front of
// the code.
func TestBuildIDWithoutNote(t *testing.T) {
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, []byte("\xcf\xfa\xed\xfe header \xff Go build ID: \"a/b/c/d\"\n \xff text"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, f)
	if got := string(Raw(f)); got != "a/b/c/d" {
		t.Errorf("Raw = %q", got)
	}
}

func closed(t *testing.T, c io.Closer) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
