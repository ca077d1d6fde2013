package launcher

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/abrowser/abrowser/launcher/buildid"
	"github.com/abrowser/abrowser/sockets/socketstest"
	"github.com/abrowser/abrowser/sockets/wire"
)

func itoa(n int) string { return strconv.Itoa(n) }

// rebuilt writes a copy of the test binary with another build ID, and returns its path.
func rebuilt(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, f)
	id := buildid.Raw(f)
	other := bytes.Clone(id)
	other[len(other)-1] ^= 1
	path := filepath.Join(t.TempDir(), "abrowser")
	if err := socketstest.WriteProgram(path, bytes.ReplaceAll(raw, id, other)); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestIdleDaemonOfAnotherBuildIsReplaced(t *testing.T) {
	l := testLauncher(newRoot(t))
	l.Executable = rebuilt(t)
	_, old, err := l.Session(t.Context(), "a", wire.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	l2 := testLauncher(l.Root)
	_, hello, err := l2.Session(t.Context(), "a", wire.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if hello.Build == old.Build || hello.PID == old.PID {
		t.Errorf("hello = %+v after %+v", hello, old)
	}
	if syscall.Kill(old.PID, 0) == nil {
		t.Errorf("the old daemon %d still runs", old.PID)
	}
	if _, err := os.Stat(l.Root.Path("bin", old.Build)); err == nil {
		t.Error("the old copy was not removed, although no process runs it")
	}
	if _, err := os.Stat(l.Root.Path("bin", hello.Build, "abrowser")); err != nil {
		t.Error(err)
	}
}

func TestBusyDaemonOfAnotherBuildStays(t *testing.T) {
	l := testLauncher(newRoot(t))
	l.Executable = rebuilt(t)
	l.Environ = append(os.Environ(), "ABROWSER_TEST_MODE=busy")
	_, old, err := l.Session(t.Context(), "a", wire.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	l2 := testLauncher(l.Root)
	_, _, err = l2.Session(t.Context(), "a", wire.Settings{})
	if got := wire.AsError(err); got == nil || got.Code != wire.CodeBuildDiffers || got.Hint != "abrowser --session a close" {
		t.Fatalf("Session = %+v", got)
	}
	// The start of another session removes unused copies, but must not remove the copy that the
	// busy daemon runs.
	if _, _, err := l2.Session(t.Context(), "b", wire.Settings{}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(l.Root.Path("bin", old.Build, "abrowser")); err != nil {
		t.Errorf("a copy was removed that a process runs: %v", err)
	}
}

func TestBrowserOfAnotherBuildServes(t *testing.T) {
	for _, tt := range []struct {
		mode string
		want error
	}{
		{"busy", nil},
		{"old-protocol", wire.CodeBuildDiffers},
	} {
		t.Run(tt.mode, func(t *testing.T) {
			l := testLauncher(newRoot(t))
			l.Executable = rebuilt(t)
			l.Environ = append(os.Environ(), "ABROWSER_TEST_MODE="+tt.mode)
			_, old, err := l.Browser(t.Context(), wire.Settings{})
			if err != nil && tt.want == nil {
				t.Fatal(err)
			}
			_, hello, err := testLauncher(l.Root).Browser(t.Context(), wire.Settings{})
			if !errors.Is(err, tt.want) || (tt.want == nil && hello.PID != old.PID) {
				t.Errorf("Browser = pid %d, %v; want %v of pid %d", hello.PID, err, tt.want, old.PID)
			}
		})
	}
}

func TestTruncatedCopyIsReplaced(t *testing.T) {
	l := testLauncher(newRoot(t))
	_, hello, err := l.Session(t.Context(), "a", wire.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	kill(t, hello.PID)
	if err := os.Truncate(l.Root.Path("bin", hello.Build, "abrowser"), 1000); err != nil {
		t.Fatal(err)
	}
	if _, _, err := l.Session(t.Context(), "a", wire.Settings{}); err != nil {
		t.Error(err)
	}
}

// A launcher can start a daemon even if the launcher's own executable file was deleted, as
// happens under go run.
func TestStartsFromADeletedExecutable(t *testing.T) {
	root := newRoot(t)
	program := filepath.Join(t.TempDir(), "gone")
	raw, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := socketstest.WriteProgram(program, raw); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "launch", "a")
	cmd.Env = append(os.Environ(), "ABROWSER_HOME="+root.Dir, "LAUNCH_FROM_NOWHERE=1")
	if out, err := cmd.Output(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	if _, err := os.Stat(program); err == nil {
		t.Error("the program was not removed, so the test proves nothing")
	}
}
