package spare

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/wire"
)

const testTime = 20 * time.Second

func newPlace(t *testing.T) sockets.Place {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "absp") // not t.TempDir: a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	root := sockets.Root{Dir: filepath.Join(dir, "r")}
	if err := root.Make(); err != nil {
		t.Fatal(err)
	}
	browser, err := root.Browser("default")
	if err != nil {
		t.Fatal(err)
	}
	return browser.Spare()
}

// waiter is somebody who waits at the place, and what became of that.
type waiter struct {
	order *Order
	err   error
	ended chan struct{}
}

// wait has somebody wait at the place until the test ends.
func wait(ctx context.Context, t *testing.T, p sockets.Place) *waiter {
	t.Helper()
	w, ready := &waiter{ended: make(chan struct{})}, make(chan error, 1)
	ctx, cancel := context.WithTimeout(ctx, testTime)
	go func() {
		defer close(w.ended)
		w.order, w.err = Wait(ctx, p, "b1", func(err error) { ready <- err })
	}()
	t.Cleanup(func() {
		cancel()
		<-w.ended
	})
	select {
	case <-ready:
	case <-w.ended:
		t.Fatalf("Wait = %v", w.err)
	}
	return w
}

func (w *waiter) taken(t *testing.T) *Order {
	t.Helper()
	<-w.ended
	if w.err != nil || w.order == nil {
		t.Fatalf("Wait = %v, %v", w.order, w.err)
	}
	return w.order
}

func offer(name string) Session {
	return Session{Build: "b1", Name: name, Environ: []string{"A=1", "B=x=y"}, Log: "/log"}
}

func TestOneOfManyOffersIsTaken(t *testing.T) {
	p := newPlace(t)
	w := wait(t.Context(), t, p)
	var all sync.WaitGroup
	var mu sync.Mutex
	var took []*Taken
	names := map[*Taken]string{}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		all.Go(func() {
			taken, err := Take(t.Context(), p, offer(name))
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				took, names[taken] = append(took, taken), name
			} else if !errors.Is(err, wire.CodeNotRunning) {
				t.Errorf("Take(%s) = %v", name, err)
			}
		})
	}
	all.Wait()
	if len(took) != 1 {
		t.Fatalf("%d of five offers were taken", len(took))
	}
	defer took[0].Close()
	o := w.taken(t)
	if value, _ := o.Lookup("B"); o.Name != names[took[0]] || value != "x=y" || took[0].Process.Pid != os.Getpid() {
		t.Errorf("the order is %+v, of process %d", o.Session, took[0].Process.Pid)
	}
	if _, err := os.Stat(p.Socket); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket of one that has a session: %v", err)
	}
	o.Ready(nil)
	if err := took[0].Await(t.Context()); err != nil {
		t.Errorf("Await = %v", err)
	}
	wait(t.Context(), t, p) // the next one finds the place free
}

func TestNobodyTakes(t *testing.T) {
	p := newPlace(t)
	if _, err := Take(t.Context(), p, offer("a")); !errors.Is(err, wire.CodeNotRunning) {
		t.Errorf("where nobody waits Take = %v", err)
	}
	w := wait(t.Context(), t, p)
	other := offer("a")
	other.Build = "b2"
	if _, err := Take(t.Context(), p, other); !errors.Is(err, wire.CodeNotRunning) {
		t.Errorf("from another build Take = %v", err)
	}
	if conn, err := sockets.Dial(t.Context(), p); err != nil || conn.Close() != nil { // somebody looks
		t.Fatal(err)
	}
	taken, err := Take(t.Context(), p, offer("a"))
	if err != nil {
		t.Fatalf("after these Take = %v", err)
	}
	taken.Close()
	w.taken(t).Ready(nil)
}

// One that is stopped accepts and says nothing.
func TestSilentOneTakesNothing(t *testing.T) {
	p := newPlace(t)
	lease, err := sockets.Hold(p.Lock)
	if err != nil {
		t.Fatal(err)
	}
	defer lease.Close()
	l, err := p.Listen(lease)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	began := time.Now()
	_, err = Take(t.Context(), p, offer("a"))
	if took := time.Since(began); !errors.Is(err, wire.CodeNotRunning) || took > 4*takeTime {
		t.Errorf("Take = %v, after %s", err, took)
	}
}

// Whoever offered starts another daemon when he has waited long enough: it would be two.
func TestOfferThatDoesNotStand(t *testing.T) {
	for name, more := range map[string]func(io.Writer) error{
		"who offered has left": func(io.Writer) error { return nil },
		"it is taken back":     func(w io.Writer) error { _, err := w.Write([]byte("{}\n")); return err },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			w := wait(t.Context(), t, p)
			conn, err := sockets.Dial(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			o := offer("a")
			if err := errors.Join(say(conn, line{Offer: &o}), more(conn)); err != nil {
				t.Fatal(err)
			}
			if said, err := hear(bufio.NewReader(conn)); err != nil || !said.Would {
				t.Fatalf("the answer is %+v, %v", said, err)
			}
			conn.Close()
			if <-w.ended; w.order != nil || w.err == nil {
				t.Errorf("Wait = %+v, %v", w.order, w.err)
			}
		})
	}
}

func TestWaitEnds(t *testing.T) {
	p := newPlace(t)
	ctx, cancel := context.WithCancel(t.Context())
	w := wait(ctx, t, p)
	if _, err := Wait(t.Context(), p, "b1", func(error) { t.Error("a second one listens") }); !errors.Is(err, wire.CodeHeld) {
		t.Errorf("a second Wait = %v", err)
	}
	cancel()
	<-w.ended
	if w.order != nil || !errors.Is(w.err, context.Canceled) {
		t.Errorf("Wait = %v, %v", w.order, w.err)
	}
	if _, err := os.Stat(p.Socket); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket of one that has ended: %v", err)
	}
}

func TestOnTheWay(t *testing.T) {
	cause := wire.Errorf(wire.CodeHeld, "somebody has it").WithHint("abrowser doctor")
	for name, test := range map[string]struct {
		end   func(*Order, context.CancelFunc)
		right func(error) bool
	}{
		"fails": {func(o *Order, _ context.CancelFunc) { o.Ready(cause) }, func(err error) bool {
			got := wire.AsError(err)
			return got.Code == cause.Code && got.Message == cause.Message && got.Hint == cause.Hint
		}},
		"dies":     {func(o *Order, _ context.CancelFunc) { o.conn.Close() }, func(err error) bool { return errors.Is(err, io.EOF) }},
		"too slow": {func(_ *Order, stop context.CancelFunc) { stop() }, func(err error) bool { return errors.Is(err, context.Canceled) }},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			w := wait(t.Context(), t, p)
			taken, err := Take(t.Context(), p, offer("a"))
			if err != nil {
				t.Fatal(err)
			}
			defer taken.Close()
			o := w.taken(t)
			defer o.conn.Close()
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			test.end(o, stop)
			if err := taken.Await(ctx); !test.right(err) {
				t.Errorf("Await = %v", err)
			}
		})
	}
}
