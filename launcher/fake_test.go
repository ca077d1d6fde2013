package launcher

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/server"
	"github.com/abrowser/abrowser/sockets/wire"
)

// The launcher under test starts the test binary under the name abrowser. As `abrowser daemon
// NAME` or `abrowser keeper` the test binary serves a real socket. With the arguments `launch
// NAME` it acts as a command that starts a daemon.
func TestMain(m *testing.M) {
	switch {
	case os.Args[0] == "abrowser":
		os.Exit(fakeDaemon(os.Args[1:]))
	case len(os.Args) == 3 && os.Args[1] == "launch":
		os.Exit(fakeCommand(os.Args[2]))
	}
	os.Exit(m.Run())
}

// testLauncher returns a launcher that starts the test binary and fetches nothing.
func testLauncher(root home.Root) *Launcher {
	return &Launcher{Root: root, ensure: func(context.Context, wire.Settings) error { return nil }}
}

// fakeCommand starts a session and prints its hello.
func fakeCommand(session string) int {
	root, err := home.Locate(os.LookupEnv)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	if os.Getenv("LAUNCH_FROM_NOWHERE") != "" {
		if err := os.Remove(os.Args[0]); err != nil {
			fmt.Println(err)
			return 1
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	_, hello, err := testLauncher(root).Session(ctx, session, wire.Settings{})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	raw, _ := json.Marshal(hello) //nolint:errchkjson // a plain struct
	fmt.Println(string(raw))
	return 0
}

// fakeDaemon serves hello and retire. ABROWSER_TEST_MODE selects its misbehaviour.
func fakeDaemon(args []string) int {
	ready, err := ReadyPipe(os.LookupEnv)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	mode := os.Getenv("ABROWSER_TEST_MODE")
	fmt.Printf("started %s pid %d\n", strings.Join(args, " "), os.Getpid())
	switch mode {
	case "panic":
		panic("the daemon is broken")
	case "exit":
		fmt.Println("something is wrong")
		return 3
	case "refuse":
		ReportReady(ready, wire.Errorf(wire.CodeNoBrowser, "no browser here").WithHint("abrowser install"))
		return 1
	case "hang":
		time.Sleep(20 * time.Second)
	case "dump":
		dumpSelf()
	}
	if err := serveFake(args, ready, mode); err != nil {
		ReportReady(ready, err)
		return 1
	}
	return 0
}

func serveFake(args []string, ready *os.File, mode string) error {
	root, err := home.Locate(os.LookupEnv)
	if err != nil {
		return err
	}
	settings, err := wire.SettingsFrom(os.LookupEnv)
	if err != nil {
		return err
	}
	endpoint, role := home.Endpoint{}, "broker"
	if args[0] == "daemon" {
		role = "daemon"
		endpoint, err = root.Session(args[1])
	} else {
		endpoint, err = root.BrowserOf(settings)
	}
	if err != nil {
		return err
	}
	lease, err := sockets.TryAcquire(endpoint.Lock)
	if err != nil {
		return err
	}
	l, err := sockets.Listen(endpoint, lease)
	if err != nil {
		return err
	}
	build, err := (&Launcher{}).Build()
	if err != nil {
		return err
	}
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer cancel()
	go func() { time.Sleep(time.Minute); cancel() }() // in case the test does not end it
	protocol := wire.Protocol()
	if mode == "old-protocol" {
		protocol--
	}
	srv := &server.Server{
		Hello: func() wire.Hello {
			return wire.Hello{
				Name: endpoint.Name, Role: role, Build: build, Protocol: protocol, PID: os.Getpid(),
				Idle: mode == "", Settings: settings,
			}
		},
		Retire: func() error { cancel(); return nil },
	}
	ReportReady(ready, nil)
	err = srv.Serve(ctx, l)
	if mode == "slow-end" {
		time.Sleep(700 * time.Millisecond) // the process has stopped listening and still holds its lease
	}
	return err
}

// dumpSelf logs this process's directory, environment and descriptors, and whether the process
// leads its process group.
func dumpSelf() {
	dir, _ := os.Getwd()
	sid, _ := syscall.Getpgid(0)
	fmt.Printf("cwd=%s\nleader=%v\n", dir, sid == os.Getpid())
	for _, v := range os.Environ() {
		fmt.Println("env " + v)
	}
	for fd := range 64 {
		var stat syscall.Stat_t
		if syscall.Fstat(fd, &stat) == nil {
			target, _ := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
			fmt.Printf("fd %d %s\n", fd, target)
		}
	}
}

// newRoot returns a new directory for abrowser's files. Its path is short, since the length of
// a socket's path is limited. At the end of the test, newRoot kills the processes that listen in
// this directory.
func newRoot(t *testing.T) home.Root {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "ab")
	if err != nil {
		t.Fatal(err)
	}
	root := home.Root{Dir: filepath.Join(dir, "h")}
	t.Cleanup(func() {
		for _, pid := range running(root) {
			kill(t, pid)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return root
}

// running returns the processes that listen at a socket in the root's directory.
func running(root home.Root) []int {
	var pids []int
	for _, kind := range []string{"s", "b"} {
		found, _ := filepath.Glob(root.Path("run", kind, "*.sock"))
		for _, path := range found {
			conn, err := (&net.Dialer{}).DialContext(context.Background(), "unix", path)
			if err != nil {
				continue
			}
			if pid, err := sockets.PeerPID(conn); err == nil && pid != os.Getpid() {
				pids = append(pids, pid)
			}
			_ = conn.Close()
		}
	}
	return pids
}

// kill kills a process that the launcher has started, and waits for its exit.
func kill(t *testing.T, pid int) {
	t.Helper()
	_ = syscall.Kill(pid, syscall.SIGKILL)
	for range 200 {
		if syscall.Kill(pid, 0) != nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %d has not exited", pid)
}

func logOf(t *testing.T, p home.Endpoint) string {
	t.Helper()
	raw, err := os.ReadFile(p.Log)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func closed(t *testing.T, c io.Closer) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
