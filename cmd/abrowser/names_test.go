//go:build linux

package main_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/socketstest"
	"github.com/abrowser/abrowser/sockets/wire"
)

// An invalid session name from a flag or a variable is an error with a message. It causes no
// process to be started, and no file to be created outside of abrowser's directory.
func TestBadNames(t *testing.T) {
	t.Parallel()
	h := e2e.NewHome(t)
	before := e2e.FilesBelow(h.Outer)
	for _, name := range []string{
		"", strings.Repeat("n", 200), strings.Repeat("n", 129), "ünïcode", "名前", "../x", "a/b", "/tmp/x", "a b", " ", ".", "..", "a\nb", "a\tb", "a%2fb;",
	} {
		how := map[string][]string{
			"--session":             {"--session=" + name, "--json", "status"},
			"AGENT_BROWSER_SESSION": {"--json", "status"},
			"ABROWSER_SESSION":      {"--json", "status"},
		}
		for by, args := range how {
			ctx, cancel := context.WithTimeout(t.Context(), e2e.CommandDeadline)
			cmd := h.Prepared(ctx, "", args...)
			if by != "--session" {
				cmd.Env = append(cmd.Env, by+"="+name)
			}
			r := e2e.Finish(cmd, args)
			cancel()
			e := r.Envelope(t)
			if e.Code != wire.CodeBadInput || r.Status != wire.ExitUsage || e.Error == nil || *e.Error == "" {
				t.Errorf("session %q by %s: %s", name, by, r)
			}
		}
	}
	var made []string
	for _, f := range e2e.FilesBelow(h.Outer) {
		if !slices.Contains(before, f) && !strings.HasPrefix(f, h.Dir) {
			made = append(made, f)
		}
	}
	if len(made) > 0 || len(h.Running()) > 0 {
		t.Errorf("bad names made files %q and processes %v", made, h.Running())
	}
}

// Two variables that name different sessions are an error.
func TestTwoNames(t *testing.T) {
	t.Parallel()
	h := e2e.NewHome(t)
	h.Env = append(h.Env, "ABROWSER_SESSION=one", "AGENT_BROWSER_SESSION=two")
	h.Fails(t, wire.CodeBadInput, "", "status")
	h.Env = nil
}

// The longest and the most unusual valid names work.
func TestGoodNames(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	for _, name := range []string{strings.Repeat("n", 128), "Task.1-a_B", "-"} {
		h.Text(t, name, "open", s.URL("/page/named"))
		if got := h.Text(t, name, "session"); got != name {
			t.Errorf("session %q calls itself %q", name, got)
		}
	}
	got := e2e.Owners(t, h)
	if len(got) != 3 {
		t.Errorf("three names made the sessions %v", got)
	}
}

// Other users can neither read the files in abrowser's directory nor use the sockets there.
func TestModes(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	h.Text(t, "mine", "open", s.URL("/"))
	for _, path := range append(e2e.FilesBelow(h.Dir), h.Dir) {
		info, err := os.Lstat(path)
		if err != nil || info.Mode()&os.ModeSymlink != 0 {
			continue // a link of the browser, or a file that was removed after it was listed
		}
		switch mode := info.Mode(); {
		case strings.HasPrefix(path, filepath.Join(h.Dir, "profiles")+"/") && filepath.Dir(path) != filepath.Join(h.Dir, "profiles"):
			// Chromium's files in a profile may have any mode, because the directory of the
			// profile, which is checked, keeps other users out.
		case mode.IsDir() && mode.Perm() != 0o700:
			t.Errorf("directory %s has mode %v, want 0700", path, mode)
		case mode&os.ModeSocket != 0 && mode.Perm() != 0o600:
			t.Errorf("socket %s has mode %v, want 0600", path, mode)
		case mode.Perm()&0o077 != 0:
			t.Errorf("%s has mode %v: others can reach it", path, mode)
		}
	}
	places := []home.Endpoint{place(t, h, "mine"), browserPlace(t, h)}
	for _, p := range places {
		if got := dialedByStranger(t, p.Socket); !strings.Contains(got, "permission denied") {
			t.Errorf("another user got %q from %s", got, p.Socket)
		}
	}
	// Even if the modes of directories and sockets let another user connect, the server refuses
	// the user.
	for _, dir := range []string{h.Outer, h.Dir, filepath.Join(h.Dir, "run"), filepath.Dir(places[0].Socket), filepath.Dir(places[1].Socket)} {
		chmod(t, dir, 0o777)
		defer chmod(t, dir, 0o700)
	}
	for _, p := range places {
		chmod(t, p.Socket, 0o666)
		if got := dialedByStranger(t, p.Socket); !strings.HasPrefix(got, "refused") {
			t.Errorf("with everything open another user got %q from %s", got, p.Socket)
		}
	}
	// No process is started in a directory that others can write to.
	e := h.Fails(t, wire.CodeUnsafeDirectory, "other", "open", s.URL("/"))
	if !strings.HasPrefix(e.Hint, "chmod 700 ") {
		t.Errorf("the hint for an open directory is %q", e.Hint)
	}
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Error(err)
	}
}

func place(t *testing.T, h *e2e.Home, session string) home.Endpoint {
	t.Helper()
	p, err := home.Root{Dir: h.Dir}.Session(session)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func browserPlace(t *testing.T, h *e2e.Home) home.Endpoint {
	t.Helper()
	p, err := home.Root{Dir: h.Dir}.Browser("default")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const nobody = 65534

// dialedByStranger runs dialAsStranger as another user and returns its output.
func dialedByStranger(t *testing.T, socket string) string {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can become another user") // CI runs as root
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// Copy the program to a directory in which the other user can execute it.
	dir, err := os.MkdirTemp("/tmp", e2e.OwnPrefix())
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	chmod(t, dir, 0o755)
	program := filepath.Join(dir, "stranger")
	content, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	if err := socketstest.WriteProgram(program, content); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), e2e.CommandDeadline)
	defer cancel()
	cmd := exec.CommandContext(ctx, program)
	cmd.Env, cmd.Dir = []string{envDial + "=" + socket}, "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("running as another user: %v\n%s", err, out)
	}
	return strings.TrimSpace(string(out))
}

// dialAsStranger sends a hello request to the socket and prints the outcome.
func dialAsStranger(socket string) int {
	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", socket)
		},
	}}
	resp, err := client.Get("http://abrowser" + wire.PathHello) //nolint:noctx // a process of one request
	var fault *net.OpError
	switch {
	case err == nil:
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		fmt.Printf("answered %d %s\n", resp.StatusCode, body)
	case errors.As(err, &fault) && fault.Op == "dial":
		fmt.Println("not connected:", err)
	case errors.Is(err, context.DeadlineExceeded):
		fmt.Println("held:", err)
	default:
		fmt.Println("refused:", err)
	}
	return 0
}
