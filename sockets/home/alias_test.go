package home

import (
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A client that takes an alias from a URL, without decoding escapes, reaches the socket.
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
				t.Errorf("CheckAlias() of a root that does not exist yet = %v, %v", needed, err)
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
			t.Cleanup(func() { _ = r.RemoveAlias("a") }) // in case the test fails
			if (alias == socket) == needed {
				t.Errorf("Alias(%q) = %q", socket, alias)
			}
			u, err := url.Parse("ws+unix://127.0.0.1" + alias + ":/v1/session/a?b=c")
			if err != nil {
				t.Fatal(err)
			}
			path, below, _ := strings.Cut(u.EscapedPath(), ":") // like a client that decodes no escapes
			if conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"}); err != nil || below != "/v1/session/a" {
				t.Errorf("dialing %s: %v", path, err)
			} else {
				conn.Close()
			}
			if err := r.Forget("a"); err != nil {
				t.Error(err)
			}
			if _, err := os.Lstat(filepath.Dir(filepath.Dir(alias))); needed && err == nil {
				t.Errorf("Forget() did not remove %s", alias)
			}
			if _, err := os.Lstat(socket); err != nil {
				t.Errorf("Forget() removed the socket: %v", err)
			}
		})
	}
}

// A daemon uses the alias that a killed daemon of the session left, unless other users can
// change the alias or it leads to another directory.
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
		t.Errorf("the directory of the alias is %v (%v), want mode 0700", info, err)
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
		t.Errorf("Alias() = %q, which other users can change", open)
	}
	link := filepath.Dir(open)
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(t.TempDir(), link); err != nil {
		t.Fatal(err)
	}
	if moved := alias(); moved == open {
		t.Errorf("Alias() = %q, which leads to another directory", moved)
	}
	if err := os.RemoveAll(filepath.Dir(filepath.Dir(alias()))); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Dir(alias())); err != nil {
		t.Errorf("Alias() after its directory was removed: %v", err)
	}
}
