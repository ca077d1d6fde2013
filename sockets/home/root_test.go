package home

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/abrowser/abrowser/sockets/wire"
)

func TestLocate(t *testing.T) {
	tests := []struct {
		name    string
		environ map[string]string
		want    string // empty for bad input
	}{
		{"home", map[string]string{"HOME": "/home/u"}, "/home/u/.abrowser"},
		{"own", map[string]string{"HOME": "/home/u", "ABROWSER_HOME": "/x/y/../z/"}, "/x/z"},
		{"own without a home", map[string]string{"ABROWSER_HOME": "/x"}, "/x"},
		{"not by XDG or TMPDIR", map[string]string{"HOME": "/h", "XDG_RUNTIME_DIR": "/run/u", "TMPDIR": "/t"}, "/h/.abrowser"},
		{"own empty", map[string]string{"HOME": "/home/u", "ABROWSER_HOME": ""}, ""},
		{"own relative", map[string]string{"HOME": "/home/u", "ABROWSER_HOME": "x"}, ""},
		{"own with a tilde", map[string]string{"HOME": "/home/u", "ABROWSER_HOME": "~/x"}, ""},
		{"nothing", nil, ""},
		{"home empty", map[string]string{"HOME": ""}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Locate(func(k string) (string, bool) { v, ok := tt.environ[k]; return v, ok })
			if got.Dir != tt.want || tt.want == "" && !errors.Is(err, wire.CodeBadInput) || tt.want != "" && err != nil {
				t.Errorf("Locate() = %q, %v, want %q", got.Dir, err, tt.want)
			}
		})
	}
}

func TestMakeMakesPrivateDirectories(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	r := Root{Dir: filepath.Join(t.TempDir(), "not", "yet")}
	for range 2 {
		if err := r.Make(); err != nil {
			t.Fatal(err)
		}
	}
	count := 0
	err := filepath.WalkDir(r.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		count++
		if info, _ := d.Info(); info.Mode() != fs.ModeDir|0o700 {
			t.Errorf("%s has mode %v, want drwx------", path, info.Mode())
		}
		return nil
	})
	if err != nil || count != 10 {
		t.Errorf("Make made %d directories (%v), want 10", count, err)
	}
}

func TestMakeRefuses(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(t *testing.T, r Root)
		code  wire.Code
		hint  string
		mends bool // running the hint repairs the root
	}{
		{"an open root", func(t *testing.T, r Root) { chmod(t, r.Dir, 0o755) }, wire.CodeUnsafeDirectory, "chmod 700 ", true},
		{"a root that a group can write", func(t *testing.T, r Root) { chmod(t, r.Dir, 0o720) }, wire.CodeUnsafeDirectory, "chmod 700 ", true},
		{"an open directory in it", func(t *testing.T, r Root) { chmod(t, r.Path("run", "s"), 0o701) }, wire.CodeUnsafeDirectory, "chmod 700 ", true},
		{"a linked root", func(t *testing.T, r Root) {
			must(t, os.Rename(r.Dir, r.Dir+".real"))
			must(t, os.Symlink(r.Dir+".real", r.Dir))
		}, wire.CodeUnsafeDirectory, "ABROWSER_HOME", false},
		{"a linked directory in it", func(t *testing.T, r Root) {
			must(t, os.Remove(r.Path("log")))
			must(t, os.Symlink(t.TempDir(), r.Path("log")))
		}, wire.CodeUnsafeDirectory, "ABROWSER_HOME", false},
		{"a dangling link", func(t *testing.T, r Root) {
			must(t, os.Remove(r.Path("log")))
			must(t, os.Symlink("/no/such", r.Path("log")))
		}, wire.CodeUnsafeDirectory, "ABROWSER_HOME", false},
		{"a file", func(t *testing.T, r Root) {
			must(t, os.Remove(r.Path("log")))
			must(t, os.WriteFile(r.Path("log"), nil, 0o600))
		}, wire.CodeUnsafeDirectory, "ABROWSER_HOME", false},
		{"another user's", func(t *testing.T, r Root) {
			if os.Geteuid() != 0 {
				t.Skip("only root can change the owner of a directory")
			}
			must(t, os.Chown(r.Path("bin"), 65534, 65534))
		}, wire.CodeUnsafeDirectory, "ABROWSER_HOME", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := Root{Dir: filepath.Join(t.TempDir(), "root")}
			must(t, r.Make())
			tt.spoil(t, r)
			err := r.Make()
			if !errors.Is(err, tt.code) || !strings.Contains(wire.AsError(err).Hint, tt.hint) {
				t.Fatalf("Make() = %v (hint %q), want %s with %q", err, wire.AsError(err).Hint, tt.code, tt.hint)
			}
			if tt.mends {
				must(t, exec.CommandContext(t.Context(), "sh", "-c", wire.AsError(err).Hint).Run())
				must(t, r.Make())
			}
		})
	}
}

func chmod(t *testing.T, path string, mode fs.FileMode) { t.Helper(); must(t, os.Chmod(path, mode)) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
