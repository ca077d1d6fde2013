package driver

import (
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// The scripts that Node runs as the driver. This process passes them to Node through a pipe or
// an unlinked file. Node never reads them from a path, where another build's file could be.
var (
	//go:embed shared.js
	sharedScript string // for go:embed
	//go:embed quick.js
	quickScript string // for go:embed
	//go:embed act.js
	actScript string // for go:embed
	//go:embed verbs.js
	verbsScript string // for go:embed
	//go:embed ready.js
	readyScript string // for go:embed
	//go:embed input.js
	inputScript string // for go:embed
	//go:embed still.js
	stillScript string // for go:embed
	//go:embed label.js
	labelScript string // for go:embed
	//go:embed picture.js
	pictureScript string // for go:embed
	//go:embed snapshot.js
	snapshotScript string // for go:embed
	//go:embed unused.js
	unusedScript string // for go:embed
	//go:embed frames.js
	framesScript string // for go:embed
	//go:embed observe.js
	observeScript string // for go:embed
	//go:embed traffic.js
	trafficScript string // for go:embed
	//go:embed settings.js
	settingsScript string // for go:embed
)

func script() string {
	return sharedScript + quickScript + actScript + verbsScript + readyScript + inputScript + stillScript + labelScript + pictureScript + snapshotScript + unusedScript + framesScript + observeScript + trafficScript + settingsScript
}

// Shared starts and finds the shared drivers of one root directory. Root is required, the zero
// value of every other field works.
type Shared struct {
	Root   home.Root
	Log    *slog.Logger  // nil logs nothing
	Linger time.Duration // how long a driver without a session keeps running; 0 means 5 s
}

// errNoRoom means that a driver has refused a session, because it already serves the maximal
// number of sessions, serves sessions of another build, or is about to exit.
var errNoRoom = errors.New("the driver has no room") // a constant

// Connect connects to a running driver that accepts one more session. If there is no such
// driver, Connect starts one. The caller closes the returned connection.
//
// Connect skips a running driver that does not reply within roomTimeout. If the skipped driver
// does not reply within another 3 s (replyTimeout plus graceTime), it is killed. Connect tries
// once more if a signal kills the new driver before it listens, or if the new driver listens but
// does not accept the session.
func (s *Shared) Connect(ctx context.Context, setup Setup) (*Conn, error) {
	conn, err := s.findOrStart(ctx, setup)
	if killed := (killedError{}); errors.As(err, &killed) && ctx.Err() == nil {
		s.logger().Warn("a driver was killed while it started", "error", err)
		conn, err = s.findOrStart(ctx, setup)
	}
	return conn, err
}

func (s *Shared) findOrStart(ctx context.Context, setup Setup) (*Conn, error) {
	if err := s.Root.Make(); err != nil {
		return nil, err
	}
	unresponsive := map[string]bool{}
	if conn, err := s.find(ctx, setup, unresponsive); conn != nil || err != nil {
		return conn, err
	}
	first, err := s.Root.Driver(1)
	if err != nil {
		return nil, err
	}
	lock, err := sockets.Acquire(ctx, first.Start)
	if err != nil {
		return nil, err
	}
	if conn, err := s.find(ctx, setup, unresponsive); conn != nil || err != nil {
		return conn, errors.Join(err, lock.Close())
	}
	var started home.Endpoint
	result := make(chan error, 1)
	go func() { // has its own deadline; if this caller gives up, a later one uses the driver
		defer lock.Close() // this releases the lock
		var err error
		started, err = s.start(setup)
		result <- err
	}()
	select {
	case err := <-result:
		if err != nil {
			return nil, err
		}
		conn, err := s.dial(ctx, started, setup)
		if errors.Is(err, wire.CodeNotRunning) {
			s.cleanUp(started)
		}
		if err != nil && ctx.Err() == nil {
			err = killedError{noDriver(started, "the driver that was started does not answer: %v", err)}
		}
		return conn, err
	case <-ctx.Done():
		return nil, wire.Errorf(wire.CodeTimeout, "the driver is still starting").WithHint("abrowser doctor")
	}
}

// killedError marks the error of a new driver that was killed by a signal before it listened, or
// that listened and did not accept the session. Connect tries once more after such an error. The
// error of a driver that exits by itself before it listens is not marked.
type killedError struct{ error }

func (e killedError) Unwrap() error { return e.error }

func noDriver(p home.Endpoint, format string, args ...any) error {
	return wire.Errorf(wire.CodeNoDriver, format, args...).WithHint("abrowser doctor").With("log", p.Log)
}

// find connects to a running driver that has room. It skips the drivers whose names are in the
// map unresponsive, and enters the name of each driver that does not reply. If no driver has
// room, both results are nil.
func (s *Shared) find(ctx context.Context, setup Setup, unresponsive map[string]bool) (*Conn, error) {
	endpoints, err := s.running()
	if err != nil {
		return nil, err
	}
	for _, p := range endpoints {
		if unresponsive[p.Name] {
			continue
		}
		conn, err := s.dial(ctx, p, setup)
		if err == nil {
			return conn, nil
		}
		if ctx.Err() != nil {
			return nil, err
		}
		unresponsive[p.Name] = errors.Is(err, wire.CodeWedged)
		s.logger().Debug("skipping a driver", "name", p.Name, "error", err)
	}
	return nil, nil
}

// running returns the endpoints whose socket file exists, the lowest number first. A driver that
// was killed may have left its socket file.
func (s *Shared) running() ([]home.Endpoint, error) {
	var endpoints []home.Endpoint
	for n := 1; n <= maxDrivers; n++ {
		p, err := s.Root.Driver(n)
		if err != nil {
			return nil, err
		}
		if _, err := os.Lstat(p.Socket); err == nil {
			endpoints = append(endpoints, p)
		}
	}
	return endpoints, nil
}

// identity returns a hash of the script and of the paths of Playwright and Node. A driver serves
// only sessions with the same identity.
func (setup Setup) identity() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{script(), setup.Directory, setup.Program}, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// temp returns the directory of the driver's temporary files.
func (s *Shared) temp(p home.Endpoint) string { return s.Root.Path("state", "tmp", p.Name) }

// Sweep removes the files of drivers that are not running any more. Such files remain if a driver
// is killed while it has no session, because then no daemon removes them.
func (s *Shared) Sweep() error {
	endpoints, err := s.running()
	for _, p := range endpoints {
		if stale := s.removeStale(p); !errors.Is(stale, wire.CodeHeld) {
			err = errors.Join(err, stale)
		}
	}
	return err
}

// cleanUp removes the files of a driver that was killed. The system may close the driver's
// connections a moment before it releases the driver's lease, so cleanUp waits up to 3 s for the
// lease. If the lease is still held after that time, a new driver holds it. The new driver has
// removed the files of the old one, so nothing remains to be done.
func (s *Shared) cleanUp(p home.Endpoint) {
	const tries, pause = 60, 50 * time.Millisecond
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for range tries {
		err := s.removeStale(p)
		if err == nil {
			return
		}
		s.logger().Debug("removing a driver's files", "name", p.Name, "error", err)
		if !errors.Is(err, wire.CodeHeld) {
			return
		}
		<-tick.C
	}
}

// removeStale removes the files of a driver that is not running. If the driver is running, the
// error is [wire.CodeHeld].
func (s *Shared) removeStale(p home.Endpoint) error {
	lease, err := sockets.TryAcquire(p.Lock)
	if err != nil {
		return err
	}
	return errors.Join(s.removeFiles(p), lease.Close())
}

// removeFiles removes a driver's socket and temporary files. The caller holds the driver's lease.
func (s *Shared) removeFiles(p home.Endpoint) error {
	return errors.Join(os.RemoveAll(p.Socket), os.RemoveAll(s.temp(p)))
}

func (s *Shared) logger() *slog.Logger {
	return cmp.Or(s.Log, slog.New(slog.DiscardHandler))
}
