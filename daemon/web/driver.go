package daemon

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

	"github.com/abrowser/abrowser/launcher/driver"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// engine is Playwright's driver while it lives: a line to one that other sessions
// share, or a process of our own. One is taken at the first need and another when
// it is gone.
type engine struct {
	provide func(context.Context) (Driver, error)
	stderr  io.Writer
	temp    string // a directory of its own for our own driver's temporary files
	lines   chan *driver.Conn

	mu      sync.Mutex // guards the fields below; held while the driver starts, so that one starts
	pw      *playwright.Playwright
	process *os.Process  // our own driver's
	line    *driver.Conn // to the one that we share
}

// start returns the driver, which it starts where none lives.
func (e *engine) start(ctx context.Context) (*playwright.Playwright, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.aliveLocked() {
		return e.pw, nil
	}
	where, err := e.provide(ctx)
	if err != nil {
		return nil, err
	}
	if where.Process != nil {
		where.Process.Lock()
		defer where.Process.Unlock()
	}
	// playwright-go gives the driver our environment, which is the only way to tell
	// which node to run.
	if err := os.Setenv("PLAYWRIGHT_NODEJS_PATH", where.Node); err != nil {
		return nil, err
	}
	var pw *playwright.Playwright
	var line *driver.Conn
	var process *os.Process
	if where.Join != nil {
		pw, line, err = e.share(ctx, where)
	} else if pw, err = e.run(where); err == nil {
		process, err = os.FindProcess(pw.Pid())
	}
	if coded := (*wire.Error)(nil); err != nil && !errors.As(err, &coded) {
		err = wire.Errorf(wire.CodeNoDriver, "Playwright's driver does not start: %s", firstLine(err.Error())).WithHint("abrowser doctor")
	}
	if err != nil {
		return nil, err
	}
	e.pw, e.process, e.line = pw, process, line
	return pw, nil
}

// share connects to a driver that serves others too, once again where that one
// ended meanwhile.
func (e *engine) share(ctx context.Context, where Driver) (*playwright.Playwright, *driver.Conn, error) {
	for again := false; ; again = true {
		line, err := where.Join(ctx)
		if err != nil {
			return nil, nil, err
		}
		stop := context.AfterFunc(ctx, line.Close) // it has Run return
		pw, err := playwright.Run(&playwright.RunOptions{
			DriverDirectory: where.Directory, SkipInstallBrowsers: true, Stdout: e.stderr, Stderr: line.Stderr(),
			Logger: slog.New(slog.DiscardHandler), // else all that is logged would go to Stderr
		})
		stop()
		_ = line.Stderr().Close() // the program has it, or has ended
		switch lost := line.Lost(); {
		case err == nil && !lost:
			replace(e.lines, line)
			return pw, line, nil
		case ctx.Err() != nil:
			err = ended(ctx)
		case lost && !again:
			line.Close()
			continue
		case err == nil:
			err = errors.New("it ended at once")
		}
		line.Close()
		return nil, nil, err
	}
}

// replace passes the newest on to whoever waits at the channel, in place of one
// before. The channel has room for one.
func replace[T any](c chan T, newest T) {
	for {
		select {
		case c <- newest:
			return
		case <-c:
		}
	}
}

// run starts a driver of our own. Where its temporary files go, only our environment
// can tell it; what a killed driver leaves there, its successor removes.
func (e *engine) run(where Driver) (*playwright.Playwright, error) {
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

// alive reports whether the driver is there. playwright-go does not tell of its end
// until something is asked.
func (e *engine) alive() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.aliveLocked()
}

func (e *engine) aliveLocked() bool {
	if e.line != nil {
		return !e.line.Lost()
	}
	return e.process != nil && e.process.Signal(syscall.Signal(0)) == nil
}

// status is how the driver is, zero where there is none or it is being started.
func (e *engine) status(ctx context.Context) verbs.DriverStatus {
	if !e.mu.TryLock() {
		return verbs.DriverStatus{}
	}
	alive, process, line := e.aliveLocked(), e.process, e.line
	e.mu.Unlock()
	switch {
	case !alive:
		return verbs.DriverStatus{}
	case line == nil:
		return verbs.DriverStatus{PID: process.Pid, Sessions: 1}
	}
	sessions, err := line.Sessions(ctx)
	if err != nil {
		sessions = 0
	}
	return verbs.DriverStatus{PID: line.PID(), Shared: true, Sessions: max(0, sessions)}
}

// shared reports whether the driver is one that is watched and, when it is silent,
// replaced.
func (e *engine) shared() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.line != nil
}

const stopTime = 2 * time.Second

// drop forgets a driver that is of no use any more. One of our own it ends: by
// closing its input, and when that does not do, by force.
func (e *engine) drop(pw *playwright.Playwright) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if pw == nil || e.pw != pw {
		return
	}
	process, line := e.process, e.line
	e.pw, e.process, e.line = nil, nil, nil
	ended := make(chan struct{})
	go func() { // ends with the process, at the latest when it is killed
		defer close(ended)
		_ = guarded(pw.Stop) // however it ends
	}()
	timer := time.NewTimer(stopTime)
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C:
		if process != nil {
			_ = process.Kill() // where it is gone, so much the better
		}
		if line != nil {
			line.Close()
		}
		<-ended
	}
	if line != nil {
		line.Close()
	}
	runtime.GC() // files that playwright-go had of it are closed by the collector alone
}

// stopDriver ends the driver, where one runs.
func (e *engine) stopDriver() {
	e.mu.Lock()
	pw := e.pw
	e.mu.Unlock()
	e.drop(pw)
}

// stop ends the driver and removes what it left.
func (e *engine) stop() error {
	e.stopDriver()
	return os.RemoveAll(e.temp)
}
