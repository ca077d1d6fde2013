package launcher

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/abrowser/abrowser/launcher/childlog"
	"github.com/abrowser/abrowser/sockets/wire"
)

// A command that starts a daemon ends although the daemon keeps running. A shell that runs
// x=$(abrowser open URL) reads the output from a pipe, and waits until every process has closed
// the pipe's other end. So the daemon must not inherit that end, neither as its stdout or stderr
// nor as another descriptor that the shell has left open.
func TestCallerIsNotBlocked(t *testing.T) {
	root := newRoot(t)
	began := time.Now()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", `x=$({ "$0" launch a 7>&1; } 2>&1); echo "got $x"`, os.Args[0])
	cmd.Env = append(os.Environ(), "ABROWSER_HOME="+root.Dir)
	out, err := cmd.Output()
	if err != nil || !strings.Contains(string(out), `got {"name":"a"`) {
		t.Fatalf("%v: %s", err, out)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("the caller waited %s", took)
	}
	if len(running(root)) != 1 {
		t.Error("no daemon is running, so the test proves nothing")
	}
}

func TestChildInheritsLittle(t *testing.T) {
	l := testLauncher(newRoot(t))
	secrets := filepath.Join(t.TempDir(), "open")
	open, err := os.Create(secrets)
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, open)
	l.Environ = []string{
		"HOME=/h", "PATH=" + os.Getenv("PATH"), "LANG=C", "LC_ALL=C", "TZ=UTC", "DISPLAY=:7", "XDG_RUNTIME_DIR=/x", "PULSE_SERVER=/p",
		"https_proxy=http://p", "NO_PROXY=localhost", "ABROWSER_TEST_MODE=dump", "AGENT_BROWSER_X=1",
		"ABROWSER_SESSION=other", "AGENT_BROWSER_SESSION=other", "ABROWSER_HEADED=1", "AGENT_BROWSER_PROFILE=p",
		"ABROWSER_HOME=/elsewhere", "ABROWSER_READY_FD=9", "PLAYWRIGHT_NODEJS_PATH=/n", "NODE_OPTIONS=x", "SHELL=/bin/sh",
		"ABROWSER_API_KEY=1", "AGENT_BROWSER_TOKEN=1", "XDG_SECRET=1", "abrowser_password=1", "ABROWSER_DB_PASSWORD=1", "AWS_KEY=1",
		"LD_PRELOAD=/x.so", "BROKEN",
	}
	endpoint, _, err := l.Session(t.Context(), "a", wire.Settings{Args: []string{"--a", "--b"}})
	if err != nil {
		t.Fatal(err)
	}
	var env, fds []string
	facts := map[string]string{}
	for line := range strings.Lines(logOf(t, endpoint)) {
		line = strings.TrimSpace(line)
		if v, ok := strings.CutPrefix(line, "env "); ok {
			env = append(env, v)
		} else if v, ok := strings.CutPrefix(line, "fd "); ok {
			if !strings.Contains(v, "anon_inode") && !strings.Contains(v, "/cgroup/") { // opened by Go
				fds = append(fds, v)
			}
		} else if name, value, ok := strings.Cut(line, "="); ok {
			facts[name] = value
		}
	}
	slices.Sort(env)
	want := []string{
		"HOME=/h", "PATH=" + os.Getenv("PATH"), "LANG=C", "LC_ALL=C", "TZ=UTC", "DISPLAY=:7", "XDG_RUNTIME_DIR=/x", "PULSE_SERVER=/p",
		"https_proxy=http://p", "NO_PROXY=localhost", "ABROWSER_TEST_MODE=dump", "AGENT_BROWSER_X=1",
		"ABROWSER_ARGS=--a,--b", "ABROWSER_HOME=" + l.Root.Dir, // ReadyPipe has unset the ready pipe's variable
	}
	slices.Sort(want)
	if !slices.Equal(env, want) {
		t.Errorf("environment\n%s\nwant\n%s", strings.Join(env, "\n"), strings.Join(want, "\n"))
	}
	if facts["cwd"] != "/" || facts["leader"] != "true" {
		t.Errorf("cwd %q, leader of its own session %q", facts["cwd"], facts["leader"])
	}
	if len(fds) != 4 || fds[0] != "0 /dev/null" || fds[1] != "1 "+endpoint.Log || fds[2] != "2 "+endpoint.Log || !strings.HasPrefix(fds[3], "3 pipe:") {
		t.Errorf("descriptors %q", fds)
	}
}

func TestProcessTitle(t *testing.T) {
	l := testLauncher(newRoot(t))
	_, hello, err := l.Session(t.Context(), "a", wire.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := exec.CommandContext(t.Context(), "ps", "-o", "args=", "-p", itoa(hello.PID)).Output()
	if got := strings.TrimSpace(string(raw)); err != nil || got != "abrowser daemon a" {
		t.Errorf("ps reports %q, %v", got, err)
	}
}

func TestLargeLogIsTruncated(t *testing.T) {
	l := testLauncher(newRoot(t))
	endpoint, hello, err := l.Session(t.Context(), "a", wire.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	kill(t, hello.PID)
	if _, hello, err = l.Session(t.Context(), "a", wire.Settings{}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(logOf(t, endpoint), "started "); got != 2 {
		t.Errorf("%d starts in the log, want 2", got)
	}
	kill(t, hello.PID)
	if err := os.Truncate(endpoint.Log, childlog.MaxSize+1); err != nil {
		t.Fatal(err)
	}
	if _, _, err = l.Session(t.Context(), "a", wire.Settings{}); err != nil {
		t.Fatal(err)
	}
	if got := logOf(t, endpoint); len(got) > 1000 || strings.Count(got, "started ") != 1 {
		t.Errorf("the log has %d bytes", len(got))
	}
}

func TestReadyPipe(t *testing.T) {
	f, err := ReadyPipe(func(string) (string, bool) { return "", false })
	if f != nil || err != nil {
		t.Errorf("ReadyPipe = %v, %v", f, err)
	}
	ReportReady(nil, nil)
	ReportReady(nil, wire.CodeStart)
	if _, err := ReadyPipe(func(string) (string, bool) { return "x", true }); err == nil {
		t.Error("ReadyPipe accepted an invalid descriptor")
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ReportReady(w, wire.Errorf(wire.CodeHeld, "held").WithHint("wait"))
	line, err := bufio.NewReader(r).ReadString('\n')
	if want := `{"error":{"code":"held","message":"held","hint":"wait"}}` + "\n"; err != nil || line != want {
		t.Errorf("ReportReady wrote %q, %v; want %q", line, err, want)
	}
	closed(t, r)
	r2, w2, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	closed(t, r2)
	ReportReady(w2, nil) // no reader: no signal, no panic
}
