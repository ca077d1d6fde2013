//go:build linux

package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

// Home is the environment in which a test runs commands. It has its own abrowser directory and an
// empty HOME. Homes share no processes. They share no files except the built programs and, in most
// tests, the installed driver.
type Home struct {
	Binary string
	Outer  string // the temporary directory that contains everything; HOME is Outer/h
	Dir    string // ABROWSER_HOME
	Cwd    string // the working directory of commands; empty means Outer/h
	Env    []string

	shown *atomic.Bool // whether [Home.ShowLog] has printed logs
}

// OwnPrefix returns the prefix of the names of this run's directories. Every run has a different
// prefix.
func OwnPrefix() string { return fmt.Sprintf("abf%d-", os.Getpid()) }

// NewHome creates a home. When the test ends, the processes of the home are ended, and the test
// fails if one of them is left.
func NewHome(t testing.TB) *Home {
	t.Helper()
	if err := noteSource(); err != nil {
		t.Fatal(err)
	}
	// Not t.TempDir: its paths are too long for a socket.
	outer, err := os.MkdirTemp("/tmp", OwnPrefix())
	if err != nil {
		t.Fatal(err)
	}
	h := &Home{Binary: os.Getenv(EnvBinary), Outer: outer, Dir: filepath.Join(outer, "r"), shown: new(atomic.Bool)}
	if err := os.Mkdir(filepath.Join(outer, "h"), 0o700); err != nil {
		t.Fatal(err)
	}
	h.Env = []string{"ABROWSER_DRIVER_PATH=" + os.Getenv(EnvDriver), "ABROWSER_NO_INSTALL=1"}
	t.Cleanup(func() { h.end(t) })
	return h
}

// NewRacedHome creates a home whose processes run with the race detector if the tests do. These
// processes start several times slower. Use it for tests in which several processes of abrowser
// work at the same time. Races inside a single process are found by the packages' unit tests.
func NewRacedHome(t testing.TB) *Home {
	h := NewHome(t)
	h.Binary = os.Getenv(envRaced)
	return h
}

// end stops everything in the home and fails the test if something is left.
func (h *Home) end(t testing.TB) {
	ctx, cancel := context.WithTimeout(context.Background(), CommandDeadline)
	defer cancel()
	if err := h.note(); err != nil {
		t.Errorf("noting what runs: %v", err)
	}
	for _, args := range [][]string{{"close", "--all", "--force"}, {"browser", "stop", "--all"}} {
		if r := h.Command(ctx, "", args...); r.Status != wire.ExitDone {
			t.Errorf("ending: %s", r)
		}
	}
	// A shared driver keeps running for a moment after its last session, so that the next
	// session finds it. Main checks after the run that the driver has ended.
	var left []Process
	Await(20*time.Second, func() bool {
		left = slices.DeleteFunc(h.Running(), func(p Process) bool { return p.Kind() == KindDriver })
		return len(left) == 0
	})
	for _, p := range left {
		t.Errorf("still running after close --all and browser stop: %s", p)
		_ = syscall.Kill(p.PID, syscall.SIGKILL)
	}
	h.readLogs(t)
	for _, f := range FilesBelow(filepath.Join(h.Outer, "h")) {
		t.Errorf("left in HOME: %s", f)
	}
	pattern := "*"
	if len(h.Of(KindDriver)) > 0 {
		pattern = "[^d]" // Main checks the sockets of drivers, in run/d, after the run
	}
	sockets, err := filepath.Glob(filepath.Join(h.Dir, "run", pattern, "*.sock"))
	if err != nil || len(sockets) > 0 {
		t.Errorf("sockets left after close --all and browser stop: %q %v", sockets, err)
	}
	// Remove the large directories now. Main removes the other files after the run.
	for _, dir := range []string{"profiles", "bin"} {
		if err := os.RemoveAll(filepath.Join(h.Dir, dir)); err != nil {
			t.Errorf("removing %s: %v", dir, err)
		}
	}
}

// readLogs fails the test if a log contains a race report or a panic. If the test has failed,
// readLogs also prints the logs, unless [Home.ShowLog] has printed the relevant ones.
func (h *Home) readLogs(t testing.TB) {
	for _, name := range h.logs() {
		content := h.log(name)
		for _, bad := range []string{"WARNING: DATA RACE", "panic: ", "\"msg\":\"panic\"", "fatal error: "} {
			if at := strings.Index(content, bad); at >= 0 {
				t.Errorf("%s has\n%s", name, content[at:min(len(content), at+4000)])
			}
		}
		if t.Failed() && !h.shown.Load() {
			h.show(t, name)
		}
	}
}

// ShowLog prints the ends of the logs of the session's daemon and of the browser's broker. A test
// that shares its home with other tests calls ShowLog when it fails.
func (h *Home) ShowLog(t testing.TB, session string) {
	h.shown.Store(true)
	for _, name := range h.logs() {
		if name == session+".log" || strings.HasPrefix(name, "browser.") {
			h.show(t, name)
		}
	}
}

func (h *Home) show(t testing.TB, name string) {
	content := h.log(name)
	t.Logf("%s:\n%s", name, content[max(0, len(content)-4000):])
}

// logs returns the names of the logs that are not empty.
func (h *Home) logs() []string {
	entries, _ := os.ReadDir(filepath.Join(h.Dir, "log"))
	var names []string
	for _, e := range entries {
		if h.log(e.Name()) != "" {
			names = append(names, e.Name())
		}
	}
	return names
}

func (h *Home) log(name string) string {
	content, err := os.ReadFile(filepath.Join(h.Dir, "log", name))
	if err != nil {
		return ""
	}
	return string(withoutTheirs(content))
}

// withoutTheirs removes from a log the reports of the one known race in playwright-go. While
// playwright-go waits for a load state, it reads a page's closed flag, and the goroutine of the
// connection may set the flag at the same time. This race is harmless, because the wait ends with
// either value.
func withoutTheirs(log []byte) []byte {
	const line = "=================="
	parts := strings.Split(string(log), line)
	return []byte(strings.Join(slices.DeleteFunc(parts, func(part string) bool {
		return strings.Contains(part, "playwright-go.(*pageImpl).onClose()") && strings.Contains(part, "playwright-go.(*pageImpl).IsClosed()") &&
			strings.Contains(part, "playwright-go.(*frameImpl).setNavigationWaiter()")
	}), line))
}

// Environ returns the environment of a command of the session.
func (h *Home) Environ(session string) []string {
	env := []string{
		"HOME=" + filepath.Join(h.Outer, "h"), "ABROWSER_HOME=" + h.Dir,
		"PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "TZ=UTC",
		// The race detector sleeps for a second at the end of each process by default.
		"GORACE=atexit_sleep_ms=0",
		// PulseAudio's library otherwise leaves a directory in /tmp.
		"PULSE_RUNTIME_PATH=" + filepath.Join(h.Outer, "pulse"),
		// Tests that share a home have many live sessions. 0 turns the warning about them off.
		"ABROWSER_SESSION_WARN=0",
	}
	// Commands that download something may need these variables to reach a registry.
	for _, name := range []string{"http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "npm_config_registry", "NPM_CONFIG_REGISTRY"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	if session != "" {
		env = append(env, "AGENT_BROWSER_SESSION="+session)
	}
	return append(env, h.Env...)
}

// FilesBelow lists everything below a directory, without the directory itself.
func FilesBelow(dir string) []string {
	var found []string
	_ = filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if path != dir && err == nil {
			found = append(found, path)
		}
		return nil
	})
	return found
}
