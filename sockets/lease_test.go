package sockets

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/abrowser/abrowser/sockets/socketstest"
	"github.com/abrowser/abrowser/sockets/wire"
)

func TestHoldAcrossProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dir", "x.lock") // Hold makes the directory
	first := socketstest.Start(t, 0, "hold", path)
	if first.FirstLine != "ok" {
		t.Fatalf("the first holder said %q, want ok", first.FirstLine)
	}
	if _, err := TryAcquire(path); !errors.Is(err, wire.CodeHeld) {
		t.Fatalf("Hold() = %v, want %s", err, wire.CodeHeld)
	}
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	first.End()
	l, err := TryAcquire(path)
	if err != nil {
		t.Fatalf("Hold() after the holder was killed = %v", err)
	}
	defer l.Close()
	if second := socketstest.Start(t, 0, "hold", path); !strings.HasPrefix(second.FirstLine, "held ") {
		t.Errorf("another process said %q, want held", second.FirstLine)
	}
}

func TestHoldByOne(t *testing.T) {
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
				t.Errorf("Hold() = %v, want %s", err, wire.CodeHeld)
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
		t.Errorf("%d hold the lease, want 1", winners.Load())
	}
}

func TestHoldByOneProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	said := make(chan string, 10)
	var wg sync.WaitGroup
	for range cap(said) {
		wg.Go(func() { said <- socketstest.Start(t, 0, "hold", path).FirstLine })
	}
	wg.Wait()
	close(said)
	winners := 0
	for s := range said {
		if s == "ok" {
			winners++
		}
	}
	if winners != 1 {
		t.Errorf("%d of ten processes hold the lease, want 1", winners)
	}
}

func TestLeaseOutlivesItsTakerInAnHeir(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	taker := socketstest.Start(t, 0, "hold-and-leave-to-child", path)
	if taker.FirstLine != "ok" {
		t.Fatalf("the taker said %q, want ok", taker.FirstLine)
	}
	if _, err := taker.Process.Wait(); err != nil {
		t.Fatal(err)
	}
	if _, err := TryAcquire(path); !errors.Is(err, wire.CodeHeld) {
		t.Errorf("Hold() while an heir lives = %v, want %s", err, wire.CodeHeld)
	}
	taker.End() // ends the heir's input
	l, err := Acquire(soon(t), path)
	if err != nil {
		t.Fatalf("HoldWait() after the heir = %v", err)
	}
	l.Close()
}

func TestLeaseFromIsTheSameLease(t *testing.T) {
	p := newPlace(t, "a")
	l, err := TryAcquire(p.Lock)
	must(t, err)
	fd, err := dup(l.File())
	must(t, err)
	heir := LeaseFrom(fd)
	must(t, l.Close())
	if _, err := TryAcquire(p.Lock); !errors.Is(err, wire.CodeHeld) {
		t.Errorf("Hold() while the heir holds = %v, want %s", err, wire.CodeHeld)
	}
	listener, err := Listen(p, heir)
	must(t, err)
	must(t, listener.Close())
	must(t, Unlink(p, heir))
	must(t, heir.Close())
	again, err := TryAcquire(p.Lock)
	must(t, err)
	must(t, again.Close())
}

func TestHoldTakesNoRemovedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	old, err := TryAcquire(path)
	must(t, err)
	defer old.Close()
	must(t, os.Remove(path))
	if old.at(path) {
		t.Error("a lease on a removed file counts")
	}
	l, err := TryAcquire(path)
	must(t, err)
	defer l.Close()
	if old.at(path) || !l.at(path) {
		t.Error("the lease is not on the file that is there")
	}
}

// Who waited for a file that was removed meanwhile holds the one that is there.
func TestHoldWaitTakesNoRemovedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	first, err := TryAcquire(path)
	must(t, err)
	got := make(chan *Lease, 1)
	go func() {
		l, err := Acquire(soon(t), path)
		if err != nil {
			t.Errorf("HoldWait() = %v", err)
		}
		got <- l
	}()
	time.Sleep(50 * time.Millisecond) // it waits by now
	must(t, os.Remove(path))
	must(t, first.Close())
	if l := <-got; l != nil {
		defer l.Close()
		if !l.at(path) {
			t.Error("the lease is on a removed file")
		}
	}
}

func TestHoldFollowsNoLink(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Symlink(filepath.Join(dir, "elsewhere"), filepath.Join(dir, "x.lock")))
	if l, err := TryAcquire(filepath.Join(dir, "x.lock")); err == nil {
		l.Close()
		t.Error("Hold() followed a symbolic link")
	}
}

func TestHoldWait(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	first, err := TryAcquire(path)
	must(t, err)
	brief, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := Acquire(brief, path); !errors.Is(err, wire.CodeTimeout) {
		t.Errorf("HoldWait() = %v, want %s", err, wire.CodeTimeout)
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
		t.Fatalf("HoldWait() = %v while another holds", err)
	case <-time.After(50 * time.Millisecond):
	}
	must(t, first.Close())
	if err := <-got; err != nil {
		t.Errorf("HoldWait() = %v", err)
	}
}
