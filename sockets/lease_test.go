package sockets

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/abrowser/abrowser/sockets/socketstest"
	"github.com/abrowser/abrowser/sockets/wire"
)

func TestTryAcquireInTwoProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dir", "x.lock") // TryAcquire makes the directory
	first := socketstest.Start(t, 0, "hold", path)
	if first.FirstLine != "ok" {
		t.Fatalf("the first holder printed %q, want ok", first.FirstLine)
	}
	if _, err := TryAcquire(path); !errors.Is(err, wire.CodeHeld) {
		t.Fatalf("TryAcquire() = %v, want %s", err, wire.CodeHeld)
	}
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	first.End()
	l, err := TryAcquire(path)
	if err != nil {
		t.Fatalf("TryAcquire() after the holder was killed = %v", err)
	}
	defer l.Close()
	if second := socketstest.Start(t, 0, "hold", path); !strings.HasPrefix(second.FirstLine, "held ") {
		t.Errorf("another process printed %q, want held", second.FirstLine)
	}
}

func TestOneGoroutineAcquires(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	var winners atomic.Int32
	var wg sync.WaitGroup
	leases := make([]*Lease, 10)
	for i := range leases {
		wg.Go(func() {
			l, err := TryAcquire(path)
			switch {
			case err == nil:
				winners.Add(1)
				leases[i] = l
			case !errors.Is(err, wire.CodeHeld):
				t.Errorf("TryAcquire() = %v, want %s", err, wire.CodeHeld)
			}
		})
	}
	wg.Wait()
	for _, l := range leases {
		if l != nil {
			l.Close()
		}
	}
	if winners.Load() != 1 {
		t.Errorf("%d goroutines hold the lease, want 1", winners.Load())
	}
}

func TestOneProcessAcquires(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	lines := make(chan string, 10)
	var wg sync.WaitGroup
	for range cap(lines) {
		wg.Go(func() { lines <- socketstest.Start(t, 0, "hold", path).FirstLine })
	}
	wg.Wait()
	close(lines)
	winners := 0
	for s := range lines {
		if s == "ok" {
			winners++
		}
	}
	if winners != 1 {
		t.Errorf("%d of ten processes hold the lease, want 1", winners)
	}
}

func TestChildKeepsTheLease(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	parent := socketstest.Start(t, 0, "hold-and-leave-to-child", path)
	if parent.FirstLine != "ok" {
		t.Fatalf("the parent printed %q, want ok", parent.FirstLine)
	}
	if _, err := parent.Process.Wait(); err != nil {
		t.Fatal(err)
	}
	if _, err := TryAcquire(path); !errors.Is(err, wire.CodeHeld) {
		t.Errorf("TryAcquire() while a child has the descriptor = %v, want %s", err, wire.CodeHeld)
	}
	parent.End() // ends the child's input
	l, err := Acquire(soon(t), path)
	if err != nil {
		t.Fatalf("Acquire() after the child ended = %v", err)
	}
	l.Close()
}

func TestLeaseFrom(t *testing.T) {
	e := newEndpoint(t, "a")
	l, err := TryAcquire(e.Lock)
	must(t, err)
	fd, err := dup(l.File())
	must(t, err)
	inherited := LeaseFrom(fd)
	must(t, l.Close())
	if _, err := TryAcquire(e.Lock); !errors.Is(err, wire.CodeHeld) {
		t.Errorf("TryAcquire() while a copy of the descriptor is open = %v, want %s", err, wire.CodeHeld)
	}
	listener, err := Listen(e, inherited)
	must(t, err)
	must(t, listener.Close())
	must(t, Unlink(e, inherited))
	must(t, inherited.Close())
	again, err := TryAcquire(e.Lock)
	must(t, err)
	must(t, again.Close())
}

func TestTryAcquireAfterTheFileIsRemoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	old, err := TryAcquire(path)
	must(t, err)
	defer old.Close()
	must(t, os.Remove(path))
	if old.at(path) {
		t.Error("at() is true for a removed file")
	}
	l, err := TryAcquire(path)
	must(t, err)
	defer l.Close()
	if old.at(path) || !l.at(path) {
		t.Error("the lease is not on the current file")
	}
}

// If the file is removed while Acquire waits, Acquire locks the new file.
func TestAcquireWhenTheFileIsRemoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	first, err := TryAcquire(path)
	must(t, err)
	got := make(chan *Lease, 1)
	go func() {
		l, err := Acquire(soon(t), path)
		if err != nil {
			t.Errorf("Acquire() = %v", err)
		}
		got <- l
	}()
	time.Sleep(50 * time.Millisecond) // Acquire waits by then
	must(t, os.Remove(path))
	must(t, first.Close())
	if l := <-got; l != nil {
		defer l.Close()
		if !l.at(path) {
			t.Error("the lease is on a removed file")
		}
	}
}

func TestTryAcquireFollowsNoLink(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Symlink(filepath.Join(dir, "elsewhere"), filepath.Join(dir, "x.lock")))
	if l, err := TryAcquire(filepath.Join(dir, "x.lock")); err == nil {
		l.Close()
		t.Error("TryAcquire() followed a symbolic link")
	}
}

func TestAcquire(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	first, err := TryAcquire(path)
	must(t, err)
	brief, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := Acquire(brief, path); !errors.Is(err, wire.CodeTimeout) {
		t.Errorf("Acquire() = %v, want %s", err, wire.CodeTimeout)
	}
	got := make(chan error, 1)
	go func() {
		l, err := Acquire(soon(t), path)
		if err == nil {
			l.Close()
		}
		got <- err
	}()
	select {
	case err := <-got:
		t.Fatalf("Acquire() = %v while another process holds the lease", err)
	case <-time.After(50 * time.Millisecond):
	}
	must(t, first.Close())
	if err := <-got; err != nil {
		t.Errorf("Acquire() = %v", err)
	}
}

// Several goroutines repeatedly acquire a lease and remove its files. No two of them have the
// lease at the same time, and no file is left at the end.
func TestRemove(t *testing.T) {
	e, err := newRoot(t).Session("a")
	must(t, err)
	var holders, taken atomic.Int64
	var work sync.WaitGroup
	for range 8 {
		work.Go(func() {
			for range 200 {
				l, err := TryAcquire(e.Lock)
				if errors.Is(err, wire.CodeHeld) {
					runtime.Gosched()
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				if n := holders.Add(1); n != 1 {
					t.Errorf("%d hold the lease", n)
				}
				taken.Add(1)
				runtime.Gosched()
				holders.Add(-1)
				if err := l.Remove(e); err != nil {
					t.Error(err)
				}
			}
		})
	}
	work.Wait()
	if taken.Load() < 8 {
		t.Errorf("the lease was taken %d times", taken.Load())
	}
	for _, path := range []string{e.Lock, e.Start} {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Lstat(%s) = %v, want %v", path, err, fs.ErrNotExist)
		}
	}
}
