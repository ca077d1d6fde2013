package launcher

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/server"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

func TestTenCommandsStartOneDaemon(t *testing.T) {
	root := newRoot(t)
	var wg sync.WaitGroup
	var mu sync.Mutex
	pids := map[int]int{}
	for range 10 {
		wg.Go(func() {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "launch", "task_1")
			cmd.Env = append(os.Environ(), "ABROWSER_HOME="+root.Dir)
			out, err := cmd.Output()
			var hello wire.Hello
			if err != nil || json.Unmarshal(out, &hello) != nil {
				t.Errorf("launch: %v: %s", err, out)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			pids[hello.PID]++
		})
	}
	wg.Wait()
	endpoint, err := root.Session("task_1")
	if err != nil {
		t.Fatal(err)
	}
	if starts := strings.Count(logOf(t, endpoint), "started "); len(pids) != 1 || starts != 1 {
		t.Errorf("%d starts, daemons %v; want one", starts, pids)
	}
}

func TestStaleFilesAreIgnored(t *testing.T) {
	root := newRoot(t)
	l := testLauncher(root)
	endpoint, hello, err := l.Session(t.Context(), "a", wire.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	kill(t, hello.PID) // leaves its socket and lock files
	if _, err := os.Stat(endpoint.Socket); err != nil {
		t.Fatal("the killed daemon has left no socket, so the test proves nothing")
	}
	_, again, err := l.Session(t.Context(), "a", wire.Settings{})
	if err != nil || again.PID == hello.PID {
		t.Errorf("Session = pid %d, %v after pid %d", again.PID, err, hello.PID)
	}
}

func TestRunningIsFound(t *testing.T) {
	l := testLauncher(newRoot(t))
	endpoint, hello, err := l.Browser(t.Context(), wire.Settings{Headed: true})
	if err != nil {
		t.Fatal(err)
	}
	if hello.Role != "broker" || hello.Name != "default" || !hello.Settings.Headed {
		t.Errorf("hello = %+v", hello)
	}
	l2 := testLauncher(l.Root)
	found, again, err := l2.Browser(t.Context(), wire.Settings{})
	if err != nil || again.PID != hello.PID || found != endpoint {
		t.Errorf("Browser = %+v, pid %d, %v", found, again.PID, err)
	}
}

func TestStartFails(t *testing.T) {
	for _, tt := range []struct {
		mode string
		code wire.Code
		want string
		hint string
	}{
		{"panic", wire.CodeStart, "panic: the daemon is broken", "abrowser doctor"},
		{"exit", wire.CodeStart, "(exit status 3): ", "abrowser doctor"},
		{"refuse", wire.CodeNoBrowser, "no browser here", "abrowser install"},
	} {
		t.Run(tt.mode, func(t *testing.T) {
			l := testLauncher(newRoot(t))
			l.Environ = append(os.Environ(), "ABROWSER_TEST_MODE="+tt.mode)
			began := time.Now()
			_, _, err := l.Session(t.Context(), "a", wire.Settings{})
			got := wire.AsError(err)
			if got == nil || got.Code != tt.code || got.Hint != tt.hint || !strings.Contains(got.Message, tt.want) {
				t.Errorf("Session = %+v, want %q", got, tt.want)
			}
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("Session took %s to fail", took)
			}
		})
	}
}

func TestStartHangs(t *testing.T) {
	l := testLauncher(newRoot(t))
	l.Environ = append(os.Environ(), "ABROWSER_TEST_MODE=hang")
	l.timeouts = &limits{hello: time.Second, start: 500 * time.Millisecond, exit: time.Second}
	_, _, err := l.Session(t.Context(), "a", wire.Settings{})
	if !errors.Is(err, wire.CodeStart) || !strings.Contains(err.Error(), "in time: started daemon a pid") {
		t.Errorf("Session = %v", err)
	}
	endpoint, _ := l.Root.Session("a")
	pid := pidInLog(t, logOf(t, endpoint))
	for range 200 {
		if syscall.Kill(pid, 0) != nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("the child %d, which hangs, was not ended", pid)
}

func TestChildOutlivesItsCallersDeadline(t *testing.T) {
	l := testLauncher(newRoot(t))
	l.Environ = append(os.Environ(), "ABROWSER_TEST_MODE=hang")
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	_, _, err := l.Session(ctx, "a", wire.Settings{})
	if !errors.Is(err, wire.CodeTimeout) {
		t.Errorf("Session = %v", err)
	}
	endpoint, _ := l.Root.Session("a")
	pid := pidInLog(t, logOf(t, endpoint))
	if syscall.Kill(pid, 0) != nil {
		t.Errorf("the child %d was ended", pid)
	}
	kill(t, pid)
}

func TestChildIsReaped(t *testing.T) {
	l := testLauncher(newRoot(t))
	_, hello, err := l.Session(t.Context(), "a", wire.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	kill(t, hello.PID) // fails if the process remains a zombie
}

func TestExitingDaemonIsAwaited(t *testing.T) {
	l := testLauncher(newRoot(t))
	l.Environ = append(os.Environ(), "ABROWSER_TEST_MODE=slow-end")
	endpoint, hello, err := l.Session(t.Context(), "a", wire.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if err := (&client.Client{Endpoint: endpoint}).Retire(t.Context()); err != nil {
		t.Fatal(err)
	}
	for ; ; time.Sleep(time.Millisecond) { // until it has stopped listening
		conn, err := sockets.Dial(t.Context(), endpoint)
		if errors.Is(err, wire.CodeNotRunning) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		closed(t, conn)
	}
	if lease, err := sockets.TryAcquire(endpoint.Lock); err == nil {
		closed(t, lease)
		t.Fatal("the daemon has released its lease, so the test proves nothing")
	}
	_, again, err := l.Session(t.Context(), "a", wire.Settings{})
	if err != nil || again.PID == hello.PID {
		t.Errorf("Session = pid %d, %v", again.PID, err)
	}
}

// A broker notifies a daemon whose socket was removed, and the daemon exits. A daemon that is not
// connected to a broker keeps running and keeps its lease. The next command ends such a daemon and
// starts another one.
func TestUnreachableDaemonIsReplaced(t *testing.T) {
	l := testLauncher(newRoot(t))
	place, hello, err := l.Session(t.Context(), "a", wire.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(place.Socket); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	_, again, err := l.Session(t.Context(), "a", wire.Settings{})
	if err != nil || again.PID == hello.PID {
		t.Errorf("Session() = pid %d, %v after pid %d", again.PID, err, hello.PID)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("replacing the daemon took %s", took)
	}
}

func TestLeaseHeldByAnotherProcess(t *testing.T) {
	l := testLauncher(newRoot(t))
	l.timeouts = &limits{hello: time.Second, start: time.Second, exit: 300 * time.Millisecond}
	if err := l.Root.Make(); err != nil {
		t.Fatal(err)
	}
	endpoint, _ := l.Root.Session("a")
	lease, err := sockets.TryAcquire(endpoint.Lock)
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, lease)
	if _, _, err := l.Session(t.Context(), "a", wire.Settings{}); !errors.Is(err, wire.CodeHeld) {
		t.Errorf("Session = %v", err)
	}
}

// If a daemon is started by hand while the launcher waits for the lease, the launcher uses
// that daemon.
func TestStartedByHand(t *testing.T) {
	l := testLauncher(newRoot(t))
	if err := l.Root.Make(); err != nil {
		t.Fatal(err)
	}
	endpoint, _ := l.Root.Session("a")
	lease, err := sockets.TryAcquire(endpoint.Lock)
	if err != nil {
		t.Fatal(err)
	}
	build, err := l.Build()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	time.AfterFunc(200*time.Millisecond, func() {
		listener, err := sockets.Listen(endpoint, lease)
		if err != nil {
			served <- err
			return
		}
		served <- (&server.Server{Hello: func() wire.Hello {
			return wire.Hello{Name: "a", Role: "daemon", Build: build, Protocol: wire.Protocol(), PID: os.Getpid()}
		}}).Serve(ctx, listener)
	})
	_, hello, err := l.Session(t.Context(), "a", wire.Settings{})
	if err != nil || hello.PID != os.Getpid() {
		t.Errorf("Session = pid %d, %v; want our own", hello.PID, err)
	}
	cancel()
	if err := <-served; err != nil {
		t.Error(err)
	}
	closed(t, lease)
	if _, err := os.Stat(endpoint.Log); err == nil {
		t.Error("a second daemon was started")
	}
}

func TestSettingsDiffer(t *testing.T) {
	l := testLauncher(newRoot(t))
	if _, _, err := l.Session(t.Context(), "a", wire.Settings{}); err != nil {
		t.Fatal(err)
	}
	_, _, err := l.Session(t.Context(), "a", wire.Settings{Headed: true, Args: []string{"--x"}})
	got := wire.AsError(err)
	if got == nil || got.Code != wire.CodeSettingsDiffer || got.Hint != "abrowser --session a close" ||
		!strings.HasSuffix(got.Message, "headed, args") {
		t.Errorf("Session = %+v", got)
	}
	if _, _, err := l.Browser(t.Context(), wire.Settings{Profile: "work"}); err != nil {
		t.Fatal(err)
	}
	_, _, err = l.Browser(t.Context(), wire.Settings{Profile: "work", Headed: true})
	if got := wire.AsError(err); got == nil || got.Code != wire.CodeSettingsDiffer || !strings.HasPrefix(got.Hint, "abrowser --profile work browser stop ends it, for all") {
		t.Errorf("Browser = %+v", got)
	}
}

func TestSuspendedDaemon(t *testing.T) {
	l := testLauncher(newRoot(t))
	l.timeouts = &limits{hello: 300 * time.Millisecond, start: 10 * time.Second, exit: time.Second}
	_, hello, err := l.Session(t.Context(), "a", wire.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(hello.PID, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for !sockets.IsStopped(hello.PID) {
		time.Sleep(time.Millisecond)
	}
	if _, _, err := l.Session(t.Context(), "a", wire.Settings{}); !errors.Is(err, wire.CodeWedged) {
		t.Errorf("Session = %v", err)
	}
	parts := l.Check(t.Context(), wire.Settings{})
	at := slices.IndexFunc(parts, func(p verbs.Part) bool { return p.Code == wire.CodeWedged })
	if at < 0 || !strings.HasPrefix(parts[at].Hint, "kill -CONT ") {
		t.Fatalf("doctor reports %+v", parts)
	}
	if out, err := exec.CommandContext(t.Context(), "sh", "-c", parts[at].Hint).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", parts[at].Hint, err, out)
	}
	if _, again, err := l.Session(t.Context(), "a", wire.Settings{}); err != nil || again.PID != hello.PID {
		t.Errorf("after the hint: pid %d, %v", again.PID, err)
	}
}

func TestInvalidNameIsRefused(t *testing.T) {
	l := testLauncher(newRoot(t))
	if _, _, err := l.Session(t.Context(), "a/b", wire.Settings{}); !errors.Is(err, wire.CodeBadInput) {
		t.Errorf("Session = %v", err)
	}
	if _, err := os.Stat(l.Root.Dir); err == nil {
		t.Error("the root was created for an invalid name")
	}
}

func TestUnsafeRootIsRefused(t *testing.T) {
	l := testLauncher(newRoot(t))
	if err := os.Mkdir(l.Root.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	_, _, err := l.Session(t.Context(), "a", wire.Settings{})
	if !errors.Is(err, wire.CodeUnsafeDirectory) {
		t.Fatalf("Session = %v", err)
	}
	if out, err := exec.CommandContext(t.Context(), "sh", "-c", wire.AsError(err).Hint).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if _, _, err := l.Session(t.Context(), "a", wire.Settings{}); err != nil {
		t.Errorf("after the hint: %v", err)
	}
}

func pidInLog(t *testing.T, log string) int {
	t.Helper()
	_, rest, ok := strings.Cut(log, "pid ")
	pid := 0
	for _, r := range rest {
		if r < '0' || r > '9' {
			break
		}
		pid = pid*10 + int(r-'0')
	}
	if !ok || pid == 0 {
		t.Fatalf("no pid in %q", log)
	}
	return pid
}
