package driver

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// What Node runs as the shared driver. It is given to it on its standard input, so
// that no file of it can be of another build.
var (
	//go:embed shared.js
	sharedScript string // what go:embed needs
	//go:embed quick.js
	quickScript string // as above
	//go:embed act.js
	actScript string // as above
	//go:embed verbs.js
	verbsScript string // as above
	//go:embed picture.js
	pictureScript string // as above
)

func script() string { return sharedScript + quickScript + actScript + verbsScript + pictureScript }

// Shared is the root's drivers that serve many sessions each. Root is required, the
// zero value of everything else works.
type Shared struct {
	Root   home.Root
	Log    *slog.Logger  // nil logs nothing
	Limit  int           // sessions that a driver serves; 0 means 16
	Linger time.Duration // how long a driver stays when it serves none; 0 means 5 s

	within *limits // nil means limits' own
}

// limits are how long things may take.
type limits struct {
	start time.Duration // from the spawn until it listens
	room  time.Duration // for the answer whether there is room, before another is looked for
	pulse time.Duration // between two questions whether it lives; four times that where another asks too
	reply time.Duration // for the answer to that
	grace time.Duration // for it to be seen: who was stopped himself finds it late
}

func (s *Shared) limits() limits {
	if s.within != nil {
		return *s.within
	}
	return limits{start: 30 * time.Second, room: 500 * time.Millisecond, pulse: time.Second, reply: 2 * time.Second, grace: time.Second}
}

// errNoRoom is the answer of a driver that serves as many as it may, or another
// build's sessions.
var errNoRoom = errors.New("it has no room") // a constant

// Connect connects to a driver that has room, and starts one where none has. The
// caller closes the line, or it is lost when the driver ends. One that does not
// answer is passed over, and ended; where the one that it starts is ended by somebody
// before it serves, it starts another, once.
func (s *Shared) Connect(ctx context.Context, setup Setup) (*Conn, error) {
	line, err := s.connectOrStart(ctx, setup)
	if ended := (endedError{}); errors.As(err, &ended) && ctx.Err() == nil {
		s.logger().Warn("a driver that was just started is gone", "error", err)
		line, err = s.connectOrStart(ctx, setup)
	}
	return line, err
}

func (s *Shared) connectOrStart(ctx context.Context, setup Setup) (*Conn, error) {
	if err := s.Root.Make(); err != nil {
		return nil, err
	}
	silent := map[string]bool{}
	if line, err := s.find(ctx, setup, silent); line != nil || err != nil {
		return line, err
	}
	first, err := s.Root.Driver(1)
	if err != nil {
		return nil, err
	}
	lock, err := sockets.Acquire(ctx, first.Start)
	if err != nil {
		return nil, err
	}
	if line, err := s.find(ctx, setup, silent); line != nil || err != nil {
		return line, errors.Join(err, lock.Close())
	}
	type started struct {
		place home.Endpoint
		err   error
	}
	done := make(chan started, 1)
	go func() { // a caller that gives up leaves it for the next; it has a deadline of its own
		defer lock.Close() // closing is what gives it up
		place, err := s.start(setup)
		done <- started{place, err}
	}()
	select {
	case d := <-done:
		if d.err != nil {
			return nil, d.err
		}
		line, err := s.dial(ctx, d.place, setup)
		if errors.Is(err, wire.CodeNotRunning) {
			s.tidy(d.place)
		}
		if err != nil && ctx.Err() == nil {
			err = endedError{noDriver(d.place, "the driver that was started does not answer: %v", err)}
		}
		return line, err
	case <-ctx.Done():
		return nil, wire.Errorf(wire.CodeTimeout, "the driver is still starting").WithHint("abrowser doctor")
	}
}

// endedError is the error of a driver that somebody has ended, and that has not failed.
type endedError struct{ error }

func (e endedError) Unwrap() error { return e.error }

func noDriver(p home.Endpoint, format string, args ...any) error {
	return wire.Errorf(wire.CodeNoDriver, format, args...).WithHint("abrowser doctor").With("log", p.Log)
}

// find connects to a running driver that has room, but to none of the silent ones,
// to which it adds those that do not answer. It returns nil where none has room.
func (s *Shared) find(ctx context.Context, setup Setup, silent map[string]bool) (*Conn, error) {
	places, err := s.running()
	if err != nil {
		return nil, err
	}
	for _, p := range places {
		if silent[p.Name] {
			continue
		}
		line, err := s.dial(ctx, p, setup)
		if err == nil {
			return line, nil
		}
		if ctx.Err() != nil {
			return nil, err
		}
		silent[p.Name] = errors.Is(err, wire.CodeWedged)
		s.logger().Debug("passed a driver over", "name", p.Name, "error", err)
	}
	return nil, nil
}

// running lists the places that have a socket, the lowest number first.
func (s *Shared) running() ([]home.Endpoint, error) {
	entries, err := os.ReadDir(s.Root.Path("run", "d"))
	if err != nil {
		return nil, err
	}
	var numbers []int
	for _, e := range entries {
		text, isSocket := strings.CutSuffix(e.Name(), ".sock")
		if n, err := strconv.Atoi(strings.TrimPrefix(text, "driver-")); isSocket && err == nil && n > 0 {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	places := make([]home.Endpoint, len(numbers))
	for i, n := range numbers {
		if places[i], err = s.Root.Driver(n); err != nil {
			return nil, err
		}
	}
	return places, nil
}

// identity is what driver and session must agree in: the script, and the Playwright
// and Node that run.
func (setup Setup) identity() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{script(), setup.Directory, setup.Program}, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// temp is where the driver at the place keeps its temporary files.
func (s *Shared) temp(p home.Endpoint) string { return s.Root.Path("state", "tmp", p.Name) }

// tidy removes what a driver left that did not end by itself. Its connections may
// end a moment before its lease does; a lease that stays held is a successor's, which
// has cleared the place.
func (s *Shared) tidy(p home.Endpoint) {
	const tries, pause = 60, 50 * time.Millisecond
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for range tries {
		lease, err := sockets.TryAcquire(p.Lock)
		if err == nil {
			err = errors.Join(s.clear(p), lease.Close())
		}
		if err == nil {
			return
		}
		s.logger().Debug("tidying up after a driver", "name", p.Name, "error", err)
		if !errors.Is(err, wire.CodeHeld) {
			return
		}
		<-tick.C
	}
}

// clear removes a dead driver's socket and files. The caller holds the lease.
func (s *Shared) clear(p home.Endpoint) error {
	err := os.Remove(p.Socket)
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, os.RemoveAll(s.temp(p)))
}

func (s *Shared) logger() *slog.Logger {
	if s.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return s.Log
}

func (setup Setup) bundle() string {
	return filepath.Join(setup.Directory, "package", "lib", "coreBundle.js")
}
