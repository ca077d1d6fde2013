//go:build linux

package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

// A command that has not ended by then hangs: the slowest, a cold start on a busy
// machine, takes a tenth of it.
const commandDeadline = 90 * time.Second

// home is one user's abrowser: a root of its own, an empty HOME, and the commands
// run in them.
type home struct {
	binary string
	outer  string // what the test made; HOME is outer/h
	dir    string // ABROWSER_HOME
	cwd    string // where commands run; empty means outer/h
	env    []string
}

// ownPrefix begins the name of every directory of this run, and of no other's.
func ownPrefix() string { return fmt.Sprintf("abf%d-", os.Getpid()) }

// newHome makes a home whose processes are ended, and looked for, when the test is
// over.
func newHome(t testing.TB) *home {
	t.Helper()
	// Not t.TempDir: its paths are too long for a socket.
	outer, err := os.MkdirTemp("/tmp", ownPrefix())
	if err != nil {
		t.Fatal(err)
	}
	h := &home{binary: os.Getenv(envBinary), outer: outer, dir: filepath.Join(outer, "r")}
	if err := os.Mkdir(filepath.Join(outer, "h"), 0o700); err != nil {
		t.Fatal(err)
	}
	h.env = []string{"ABROWSER_DRIVER_PATH=" + os.Getenv(envDriver), "ABROWSER_NO_INSTALL=1"}
	t.Cleanup(func() { h.end(t) })
	return h
}

// newRacedHome is a home whose processes run with the race detector, where the tests
// do. It makes each of them start several times slower; what happens inside of one
// process the tests of the packages look at. This is for what many do at once.
func newRacedHome(t testing.TB) *home {
	h := newHome(t)
	h.binary = os.Getenv(envRaced)
	return h
}

// end stops everything in the home and fails the test where something stays.
func (h *home) end(t testing.TB) {
	ctx, cancel := context.WithTimeout(context.Background(), commandDeadline)
	defer cancel()
	if err := h.note(); err != nil {
		t.Errorf("noting what runs: %v", err)
	}
	for _, args := range [][]string{{"close", "--all"}, {"browser", "stop", "--all"}} {
		if r := h.command(ctx, "", args...); r.status != wire.ExitDone {
			t.Errorf("ending: %s", r)
		}
	}
	// A shared driver stays for a moment after its last session, for the next one's
	// sake; that it does end is seen after the run.
	var left []process
	await(20*time.Second, func() bool {
		left = slices.DeleteFunc(h.running(), func(p process) bool { return p.kind() == kindDriver })
		return len(left) == 0
	})
	for _, p := range left {
		t.Errorf("still running after close --all and browser stop: %s", p)
		_ = syscall.Kill(p.pid, syscall.SIGKILL)
	}
	h.readLogs(t)
	for _, f := range filesBelow(filepath.Join(h.outer, "h")) {
		t.Errorf("left in HOME: %s", f)
	}
	pattern := "*"
	if len(h.of(kindDriver)) > 0 {
		pattern = "[^d]" // those that live are looked for after the run
	}
	sockets, err := filepath.Glob(filepath.Join(h.dir, "run", pattern, "*.sock"))
	if err != nil || len(sockets) > 0 {
		t.Errorf("sockets left after close --all and browser stop: %q %v", sockets, err)
	}
	for _, dir := range []string{"profiles", "bin"} { // the rest is small, and removed after the run
		if err := os.RemoveAll(filepath.Join(h.dir, dir)); err != nil {
			t.Errorf("removing %s: %v", dir, err)
		}
	}
}

// readLogs fails the test on what must not be in a log, and shows the logs of a
// test that failed.
func (h *home) readLogs(t testing.TB) {
	logs, _ := filepath.Glob(filepath.Join(h.dir, "log", "*"))
	for _, log := range logs {
		content, err := os.ReadFile(log)
		if err != nil || len(content) == 0 {
			continue
		}
		for _, bad := range []string{"WARNING: DATA RACE", "panic: ", "\"msg\":\"panic\"", "fatal error: "} {
			if at := strings.Index(string(content), bad); at >= 0 {
				t.Errorf("%s has\n%s", filepath.Base(log), content[at:min(len(content), at+4000)])
			}
		}
		if t.Failed() {
			t.Logf("%s:\n%s", filepath.Base(log), content[max(0, len(content)-4000):])
		}
	}
}

func (h *home) environ(session string) []string {
	env := []string{
		"HOME=" + filepath.Join(h.outer, "h"), "ABROWSER_HOME=" + h.dir,
		"PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "TZ=UTC",
		// The race detector's own second at the end of each process.
		"GORACE=atexit_sleep_ms=0",
		// How many others a test has beside it is not its business.
		"ABROWSER_SESSION_WARN=0",
	}
	// What a machine needs to reach a registry, where something must be fetched.
	for _, name := range []string{"http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "npm_config_registry", "NPM_CONFIG_REGISTRY"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	if session != "" {
		env = append(env, "AGENT_BROWSER_SESSION="+session)
	}
	return append(env, h.env...)
}

// result is how a command ended.
type result struct {
	args           []string
	stdout, stderr string
	status         int
	took           time.Duration
	err            error // it did not end by itself, or could not be run
}

func (r result) String() string {
	return fmt.Sprintf("abrowser %s: exit %d after %s\nstdout: %s\nstderr: %s\nerr: %v",
		strings.Join(r.args, " "), r.status, r.took.Round(time.Millisecond), r.stdout, r.stderr, r.err)
}

// prepared is a command of the session, not started yet.
func (h *home) prepared(ctx context.Context, session string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, h.binary, args...)
	cmd.Env, cmd.Dir = h.environ(session), h.cwd
	if cmd.Dir == "" {
		cmd.Dir = filepath.Join(h.outer, "h")
	}
	// Whatever inherited the output must not keep the test waiting; that nothing
	// does is tested elsewhere.
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// command runs a command of the session to its end.
func (h *home) command(ctx context.Context, session string, args ...string) result {
	return finish(h.prepared(ctx, session, args...), args)
}

func finish(cmd *exec.Cmd, args []string) result {
	r, err := start(cmd, args)
	if err != nil {
		return result{args: args, status: -1, err: err}
	}
	return <-r.ended
}

// running is a command that was started and not waited for.
type running struct {
	pid   int
	ended chan result // gets how it ended
}

func start(cmd *exec.Cmd, args []string) (running, error) {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return running{}, err
	}
	r := running{pid: cmd.Process.Pid, ended: make(chan result, 1)}
	go func() {
		err := cmd.Wait()
		ended := result{args: args, stdout: stdout.String(), stderr: stderr.String(), took: time.Since(began)}
		var exit *exec.ExitError
		if errors.As(err, &exit) && exit.Exited() {
			ended.status, err = exit.ExitCode(), nil
		}
		if err != nil {
			ended.status, ended.err = -1, err
		}
		r.ended <- ended
	}()
	return r, nil
}

// begin starts a command of the session that the test does not wait for yet.
func (h *home) begin(t *testing.T, session string, args ...string) running {
	t.Helper()
	r, err := start(h.prepared(t.Context(), session, args...), args)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// try runs a command of the session and says how it ended. It may be called from
// any goroutine.
func (h *home) try(session string, args ...string) result {
	ctx, cancel := context.WithTimeout(context.Background(), commandDeadline)
	defer cancel()
	return h.command(ctx, session, args...)
}

// text runs a command that must succeed and returns what it printed.
func (h *home) text(t testing.TB, session string, args ...string) string {
	t.Helper()
	r := h.try(session, args...)
	if r.status != wire.ExitDone {
		t.Fatalf("%s", r)
	}
	return strings.TrimSuffix(r.stdout, "\n")
}

// fails runs a command that must fail with this code and its exit status.
func (h *home) fails(t testing.TB, code wire.Code, session string, args ...string) envelope {
	t.Helper()
	r := h.try(session, append([]string{"--json"}, args...)...)
	e := r.envelope(t)
	if e.Success || e.Code != code || r.status != wire.ExitStatus(code) {
		t.Errorf("%s\nwant code %s and exit %d", r, code, wire.ExitStatus(code))
	}
	return e
}

// envelope is the JSON answer of a command.
type envelope struct {
	Success   bool            `json:"success"`
	Data      json.RawMessage `json:"data"`
	Error     *string         `json:"error"`
	Code      wire.Code       `json:"code"`
	Hint      string          `json:"hint"`
	Details   map[string]any  `json:"details"`
	Warning   string          `json:"warning"`
	SessionID string          `json:"sessionId"`
}

func (r result) envelope(t testing.TB) envelope {
	t.Helper()
	var e envelope
	if err := json.Unmarshal([]byte(r.stdout), &e); err != nil {
		t.Fatalf("the answer is no JSON (%v): %s", err, r)
	}
	return e
}

// ask runs a command that must succeed and returns its data.
func ask[Out any](t testing.TB, h *home, session string, args ...string) Out {
	t.Helper()
	out, err := tryAsk[Out](h, session, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// tryAsk is ask for any goroutine.
func tryAsk[Out any](h *home, session string, args ...string) (Out, error) {
	var out Out
	var e envelope
	r := h.try(session, append([]string{"--json"}, args...)...)
	if err := json.Unmarshal([]byte(r.stdout), &e); err != nil {
		return out, fmt.Errorf("the answer is no JSON (%w): %s", err, r)
	}
	if r.status != wire.ExitDone || !e.Success {
		return out, fmt.Errorf("%s", r)
	}
	if err := json.Unmarshal(e.Data, &out); err != nil {
		return out, fmt.Errorf("%w: %s", err, r)
	}
	return out, nil
}

// filesBelow lists everything below a directory, itself not.
func filesBelow(dir string) []string {
	var found []string
	_ = filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if path != dir && err == nil {
			found = append(found, path)
		}
		return nil
	})
	return found
}
