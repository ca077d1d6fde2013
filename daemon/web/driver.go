package web

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/launcher/driver"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Driver describes Playwright's driver: where it is installed, and how it is run or joined.
type Driver struct {
	Directory string // contains package/cli.js
	Node      string // the Node program, which is run as `node package/cli.js ...`
	// Join connects to a driver that other sessions share. If it is nil, the session gets a
	// driver of its own.
	Join func(context.Context) (*driver.Conn, error)
	// Process is a lock that is held while a driver starts, because playwright-go sets its logger
	// and this package sets environment variables, both for the whole process. The sessions of
	// one process share the lock. It is nil if the process has one session.
	Process sync.Locker
}

// playwrightDriver is Playwright's driver. It is either a connection to a driver that other
// sessions share, or a process of the session's own. It is started when a command needs it, and
// again after it has ended.
type playwrightDriver struct {
	find   func(context.Context) (Driver, error)
	stderr io.Writer
	temp   string            // the directory for the temporary files of a driver of the session's own
	conns  chan *driver.Conn // carries the newest connection to a shared driver to Watch

	mu      sync.Mutex // guards the fields below; held while a driver starts, so that only one does
	pw      *playwright.Playwright
	process *os.Process  // the driver of the session's own
	conn    *driver.Conn // the connection to a shared driver
}

// start returns the driver. It starts the driver first if it does not run.
func (e *playwrightDriver) start(ctx context.Context) (*playwright.Playwright, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.isAliveLocked() {
		return e.pw, nil
	}
	where, err := e.find(ctx)
	if err != nil {
		return nil, err
	}
	if where.Process != nil {
		where.Process.Lock()
		defer where.Process.Unlock()
	}
	// playwright-go has no option for the node program. It takes the program from this variable.
	if err := os.Setenv("PLAYWRIGHT_NODEJS_PATH", where.Node); err != nil {
		return nil, err
	}
	var pw *playwright.Playwright
	var conn *driver.Conn
	var process *os.Process
	if where.Join != nil {
		pw, conn, err = e.join(ctx, where)
	} else if pw, err = e.startOwn(where); err == nil {
		process, err = os.FindProcess(pw.Pid())
	}
	if coded := (*wire.Error)(nil); err != nil && !errors.As(err, &coded) {
		err = wire.Errorf(wire.CodeNoDriver, "Playwright's driver does not start: %s", firstLine(err.Error())).WithHint("abrowser doctor")
	}
	if err != nil {
		return nil, err
	}
	e.pw, e.process, e.conn = pw, process, conn
	return pw, nil
}

// join connects to a driver that serves other sessions too. If that driver ends before join
// returns, join connects once more.
func (e *playwrightDriver) join(ctx context.Context, where Driver) (*playwright.Playwright, *driver.Conn, error) {
	for again := false; ; again = true {
		conn, err := where.Join(ctx)
		if err != nil {
			return nil, nil, err
		}
		stop := context.AfterFunc(ctx, conn.Close) // so that Run returns when ctx ends
		pw, err := playwright.Run(&playwright.RunOptions{
			DriverDirectory: where.Directory, SkipInstallBrowsers: true, Stdout: e.stderr, Stderr: conn.Stderr(),
			Logger: slog.New(slog.DiscardHandler), // without a Logger, playwright-go sends this process's log to Stderr
		})
		stop()
		_ = conn.Stderr().Close() // playwright-go's process has its own copy, or has ended
		switch lost := conn.Lost(); {
		case err == nil && !lost:
			select { // removes an earlier connection that Watch has not received
			case <-e.conns:
			default:
			}
			e.conns <- conn
			return pw, conn, nil
		case ctx.Err() != nil:
			err = daemon.ContextError(ctx)
		case lost && !again:
			conn.Close()
			continue
		case err == nil:
			err = errors.New("it ended at once")
		}
		conn.Close()
		return nil, nil, err
	}
}

// startOwn starts a driver of the session's own. The directory for its temporary files can only
// be set in the environment. startOwn first removes files that a killed driver has left there.
func (e *playwrightDriver) startOwn(where Driver) (*playwright.Playwright, error) {
	if err := os.RemoveAll(e.temp); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(e.temp, 0o700); err != nil {
		return nil, err
	}
	before, had := os.LookupEnv("TMPDIR")
	if err := os.Setenv("TMPDIR", e.temp); err != nil {
		return nil, err
	}
	pw, err := playwright.Run(&playwright.RunOptions{
		DriverDirectory: where.Directory, SkipInstallBrowsers: true, Stdout: e.stderr, Stderr: e.stderr,
	})
	if had {
		return pw, errors.Join(err, os.Setenv("TMPDIR", before))
	}
	return pw, errors.Join(err, os.Unsetenv("TMPDIR"))
}

// isAlive reports whether the driver runs. playwright-go notices the end of the driver only
// when it is used.
func (e *playwrightDriver) isAlive() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.isAliveLocked()
}

func (e *playwrightDriver) isAliveLocked() bool {
	if e.conn != nil {
		return !e.conn.Lost()
	}
	return e.process != nil && e.process.Signal(syscall.Signal(0)) == nil
}

// status describes the driver. The status is zero if no driver runs, and while the driver is
// being started or released.
func (e *playwrightDriver) status(ctx context.Context) verbs.DriverStatus {
	if !e.mu.TryLock() {
		return verbs.DriverStatus{}
	}
	alive, process, conn := e.isAliveLocked(), e.process, e.conn
	e.mu.Unlock()
	switch {
	case !alive:
		return verbs.DriverStatus{}
	case conn == nil:
		return verbs.DriverStatus{PID: process.Pid, Sessions: 1}
	}
	sessions, err := conn.Sessions(ctx)
	if err != nil {
		sessions = 0
	}
	return verbs.DriverStatus{PID: conn.PID(), Shared: true, Sessions: max(0, sessions)}
}

// isShared reports whether the driver is shared. A shared driver is replaced when it does not
// respond.
func (e *playwrightDriver) isShared() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.conn != nil
}

const stopTime = 2 * time.Second

// release ends the use of the driver pw. It does nothing if pw is not the driver in use. If the
// driver is shared, release closes the connection to it, and the driver goes on running. If the
// driver is the session's own, release closes its input, which makes it end. If it still runs after
// stopTime, release kills it.
func (e *playwrightDriver) release(pw *playwright.Playwright) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if pw == nil || e.pw != pw {
		return
	}
	process, conn := e.process, e.conn
	e.pw, e.process, e.conn = nil, nil, nil
	ended := make(chan struct{})
	go func() { // ends with the process, at the latest when it is killed
		defer close(ended)
		_ = daemon.Recover(pw.Stop) // the error does not matter
	}()
	select {
	case <-ended:
	case <-time.After(stopTime):
		if process != nil {
			_ = process.Kill() // it may have ended already
		}
		if conn != nil {
			conn.Close()
		}
		<-ended
	}
	if conn != nil {
		conn.Close()
	}
	runtime.GC() // playwright-go closes the driver's files only when they are garbage-collected
}

// stopDriver releases the driver that is in use, if any.
func (e *playwrightDriver) stopDriver() {
	e.mu.Lock()
	pw := e.pw
	e.mu.Unlock()
	e.release(pw)
}

// stop releases the driver, and removes the temporary files of the session's own driver.
func (e *playwrightDriver) stop() error {
	e.stopDriver()
	return os.RemoveAll(e.temp)
}
