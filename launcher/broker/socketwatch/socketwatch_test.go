package socketwatch

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/abrowser/abrowser/sockets/home"
)

// newRoot returns a root with the sockets of two sessions.
func newRoot(t *testing.T) (root home.Root, a, b home.Endpoint) {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "abw") // short, since the length of a socket's path is limited
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	root = home.Root{Dir: filepath.Join(dir, "r")}
	if err := root.Make(); err != nil {
		t.Fatal(err)
	}
	for _, p := range []*home.Endpoint{&a, &b} {
		name := "a"
		if p == &b {
			name = "b"
		}
		if *p, err = root.Session(name); err != nil {
			t.Fatal(err)
		}
		listen(t, *p)
	}
	return root, a, b
}

func listen(t *testing.T, p home.Endpoint) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", p.Socket)
	if err != nil {
		t.Fatal(err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	t.Cleanup(func() { l.Close() })
}

func TestRun(t *testing.T) {
	must := func(t *testing.T, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name   string
		do     func(t *testing.T, root home.Root, a home.Endpoint)
		others bool // the socket of b is gone too
	}{
		{"removed", func(t *testing.T, _ home.Root, a home.Endpoint) { must(t, os.Remove(a.Socket)) }, false},
		{"renamed", func(t *testing.T, _ home.Root, a home.Endpoint) { must(t, os.Rename(a.Socket, a.Socket+".away")) }, false},
		{"replaced", func(t *testing.T, _ home.Root, a home.Endpoint) {
			must(t, os.Remove(a.Socket))
			listen(t, a)
		}, false},
		{"its directory removed", func(t *testing.T, root home.Root, _ home.Endpoint) { must(t, os.RemoveAll(root.Path("run", "s"))) }, true},
		{"the root removed", func(t *testing.T, root home.Root, _ home.Endpoint) { must(t, os.RemoveAll(root.Dir)) }, true},
		{"a directory above it renamed", func(t *testing.T, root home.Root, _ home.Endpoint) {
			must(t, os.Rename(root.Path("run"), root.Path("away")))
		}, true},
		{"the root renamed", func(t *testing.T, root home.Root, _ home.Endpoint) { must(t, os.Rename(root.Dir, root.Dir+".away")) }, true},
		{"removed in a new directory", func(t *testing.T, root home.Root, a home.Endpoint) {
			must(t, os.Rename(root.Path("run", "s"), root.Path("run", "away")))
			must(t, root.Make())
			must(t, os.Rename(filepath.Join(root.Path("run", "away"), filepath.Base(a.Socket)), a.Socket))
			must(t, os.Remove(a.Socket))
		}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root, a, b := newRoot(t)
			sockA, sockB := Of(a.Socket), Of(b.Socket)
			ctx, cancel := context.WithCancel(t.Context())
			var run sync.WaitGroup
			goneA, goneB, started := make(chan struct{}), make(chan struct{}), make(chan struct{})
			var onceA, onceB, onceStarted sync.Once
			run.Go(func() {
				Run(ctx, root, func(path string) bool {
					onceStarted.Do(func() { close(started) })
					if sockA.IsGone(path) {
						onceA.Do(func() { close(goneA) })
					}
					if sockB.IsGone(path) {
						onceB.Do(func() { close(goneB) })
					}
					return false
				})
			})
			defer run.Wait()
			defer cancel()
			<-started
			select {
			case <-goneA:
				t.Fatal("the socket counts as gone at the start")
			case <-time.After(10 * time.Millisecond):
			}
			tt.do(t, root, a)
			await := func(name string, gone <-chan struct{}) {
				t.Helper()
				select {
				case <-gone:
				case <-time.After(10 * time.Second):
					t.Errorf("the end of %s's socket was not noticed", name)
				}
			}
			await("a", goneA)
			if tt.others {
				await("b", goneB)
				return
			}
			select {
			case <-goneB:
				t.Error("the socket of the other session counts as gone")
			case <-time.After(2 * settleTime):
			}
		})
	}
}

// If a directory is removed and created again, a socket in the new directory is watched.
func TestDirectoryIsCreatedAgain(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems poll")
	}
	root, a, _ := newRoot(t)
	changes := make(chan string, 100)
	ctx, cancel := context.WithCancel(t.Context())
	var run sync.WaitGroup
	run.Go(func() { Run(ctx, root, func(path string) bool { changes <- path; return false }) })
	defer run.Wait()
	defer cancel()
	<-changes
	select {
	case path := <-changes:
		t.Errorf("check(%q) is called although nothing has changed", path)
	case <-time.After(2 * settleTime):
	}
	if err := os.RemoveAll(root.Path("run")); err != nil {
		t.Fatal(err)
	}
	if err := root.Make(); err != nil {
		t.Fatal(err)
	}
	if path := <-changes; path != "" {
		t.Errorf("check(%q) is called for new directories, want none", path)
	}
	listen(t, a)
	for late := time.After(10 * time.Second); ; {
		select {
		case path := <-changes:
			if path == a.Socket {
				return
			}
		case <-late:
			t.Fatal("a socket in the new directory causes no event")
		}
	}
}

// A socket that is gone is reported again after a while.
func TestGoneSocketIsReportedAgain(t *testing.T) {
	root, a, _ := newRoot(t)
	if err := os.Remove(a.Socket); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	checks := 0
	Run(ctx, root, func(string) bool {
		if checks++; checks == 2 {
			cancel()
		}
		return true
	})
}
