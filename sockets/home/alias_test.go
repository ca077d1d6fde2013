package home

import (
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An alias leads a client to the socket with the path that it finds in a URL.
func TestAliasLeadsToTheSocket(t *testing.T) {
	for _, name := range []string{"plain-1.0_a~@+=,", "a b", "ü", "a#b", "a%20b", "a:b", "a?b", "a\\b", "a\"b", "a;b"} {
		t.Run(name, func(t *testing.T) {
			outer, err := os.MkdirTemp("/tmp", "ab") // t.TempDir is too long for a socket
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.RemoveAll(outer) })
			r := Root{Dir: filepath.Join(outer, name)}
			needed, err := r.CheckAlias()
			if err != nil || needed != (name[0] != 'p') {
				t.Errorf("CheckAlias() of a root that is not made yet = %v, %v", needed, err)
			}
			if err := r.Make(); err != nil {
				t.Fatal(err)
			}
			if needed, err := r.CheckAlias(); err != nil || needed != (name[0] != 'p') {
				t.Errorf("CheckAlias() = %v, %v", needed, err)
			}
			socket := r.Path("run", "b", "default.sock")
			listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
			if err != nil {
				t.Fatal(err)
			}
			defer listener.Close()

			alias, err := r.Alias("a", socket)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = r.RemoveAlias("a") }) // where the test fails
			if (alias == socket) == needed {
				t.Errorf("Alias(%q) = %q", socket, alias)
			}
			u, err := url.Parse("ws+unix://127.0.0.1" + alias + ":/v1/session/a?b=c")
			if err != nil {
				t.Fatal(err)
			}
			path, below, _ := strings.Cut(u.EscapedPath(), ":") // as a client does that decodes nothing
			if conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"}); err != nil || below != "/v1/session/a" {
				t.Errorf("dialing %s: %v", path, err)
			} else {
				conn.Close()
			}
			if err := r.Forget("a"); err != nil {
				t.Error(err)
			}
			if _, err := os.Lstat(filepath.Dir(filepath.Dir(alias))); needed && err == nil {
				t.Errorf("after the session's end there is still %s", alias)
			}
			if _, err := os.Lstat(socket); err != nil {
				t.Errorf("with its alias the socket is gone: %v", err)
			}
		})
	}
}

// A daemon uses the alias that the session's last one left when it was killed. It takes
// none that others can change, and none that leads elsewhere.
func TestAliasIsCheckedBeforeUse(t *testing.T) {
	r := Root{Dir: filepath.Join(t.TempDir(), "a b")}
	if err := r.Make(); err != nil {
		t.Fatal(err)
	}
	socket := r.Path("run", "b", "default.sock")
	alias := func() string {
		t.Helper()
		path, err := r.Alias("a", socket)
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Cleanup(func() {
		if err := r.RemoveAlias("a"); err != nil {
			t.Error(err)
		}
	})
	first := alias()
	dir := filepath.Dir(filepath.Dir(first))
	if info, err := os.Lstat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the alias lies in %v (%v), want mode 0700", info, err)
	}
	if again := alias(); again != first {
		t.Errorf("Alias() = %q and then %q", first, again)
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	open := alias()
	if open == first {
		t.Errorf("Alias() = %q, where others can change what it leads to", open)
	}
	link := filepath.Dir(open)
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(t.TempDir(), link); err != nil {
		t.Fatal(err)
	}
	if moved := alias(); moved == open {
		t.Errorf("Alias() = %q, which leads elsewhere", moved)
	}
	if err := os.RemoveAll(filepath.Dir(filepath.Dir(alias()))); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Dir(alias())); err != nil {
		t.Errorf("after the temporary directory was cleaned: %v", err)
	}
}
