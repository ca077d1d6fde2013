package driver

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	mostDrivers   = 64 // of a root; one that is stopped keeps its number until it is killed
	mostLog       = 4 << 20
	defaultLimit  = 16
	defaultLinger = 5 * time.Second
)

// start starts a driver at the first place that no living one has, and returns it
// when it listens. The caller holds the start lock.
func (s *Shared) start(setup Setup) (home.Endpoint, error) {
	for n := 1; n <= mostDrivers; n++ {
		p, err := s.Root.Driver(n)
		if err != nil {
			return p, err
		}
		lease, err := sockets.TryAcquire(p.Lock)
		if errors.Is(err, wire.CodeHeld) {
			continue
		}
		if err != nil {
			return p, err
		}
		// From here on the driver holds it itself, or nobody does.
		return p, errors.Join(s.spawn(setup, p, lease), lease.Close())
	}
	return home.Endpoint{}, wire.Errorf(wire.CodeNoDriver, "%d drivers run, and none has room", mostDrivers).WithHint("abrowser doctor")
}

// spawn has Node run the script: in a session of its own, with its log as output,
// the lease and the pipe on which it says that it listens. It outlives this process.
func (s *Shared) spawn(setup Setup, p home.Endpoint, lease *sockets.Lease) error {
	temp := s.temp(p)
	if err := errors.Join(s.clear(p), os.MkdirAll(temp, 0o700)); err != nil {
		return err
	}
	log, err := openLog(p.Log)
	if err != nil {
		return err
	}
	defer log.Close() // the driver writes it, not we
	ready, child, err := os.Pipe()
	if err != nil {
		return err
	}
	defer ready.Close() // it was only read
	limit, linger := s.Limit, s.Linger
	if limit == 0 {
		limit = defaultLimit
	}
	if linger == 0 {
		linger = defaultLinger
	}
	// Messages are garbage at once. Without the limit V8 lets 16 MB of it pile up, thrice.
	// And what runs is seldom worth the memory that faster code takes, 13 MB of 87 with 16 sessions.
	cmd := exec.Command(setup.Program, "--optimize-for-size", "--max-semi-space-size=1", "-", "driver", p.Socket, setup.bundle(), setup.identity(), //nolint:noctx // it lives on when ctx ends
		strconv.Itoa(limit), strconv.FormatInt(linger.Milliseconds(), 10))
	cmd.Args[0] = "node"
	cmd.Dir = "/"
	cmd.Env = append(environ(os.Environ()), "TMPDIR="+temp)
	cmd.Stdin = strings.NewReader(script())
	cmd.Stdout, cmd.Stderr = log, log
	cmd.ExtraFiles = []*os.File{lease.File(), child}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = errors.Join(cmd.Start(), child.Close())
	if err != nil {
		return wire.Errorf(wire.CodeNoDriver, "starting Playwright's driver: %v", err).WithHint("abrowser doctor")
	}
	ended := make(chan struct{})
	go func() { // it ends with the driver, which nobody else would wait for
		defer close(ended)
		_ = cmd.Wait() // cmd knows how it ended
	}()
	s.logger().Info("started", "role", "driver", "name", p.Name, "pid", cmd.Process.Pid)
	if err = ready.SetReadDeadline(time.Now().Add(s.limits().start)); err == nil {
		_, err = bufio.NewReader(ready).ReadString('\n')
	}
	if err == nil {
		return nil
	}
	killed := errors.Is(err, io.EOF) && s.wasKilled(cmd, ended)
	_ = cmd.Process.Kill() // where it has ended, so much the better
	err = noDriver(p, "Playwright's driver does not start: %v", err)
	if killed {
		err = endedError{err}
	}
	return errors.Join(err, s.clear(p))
}

// wasKilled reports whether a program that is ending is ended by a signal.
func (s *Shared) wasKilled(cmd *exec.Cmd, ended <-chan struct{}) bool {
	timer := time.NewTimer(s.limits().grace)
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C:
		return false
	}
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled()
}

// environ is the environment of a driver that serves many: ours, without what is
// for one session alone.
func environ(ours []string) []string {
	return slices.DeleteFunc(ours, func(v string) bool {
		for _, own := range []string{"ABROWSER_", "AGENT_BROWSER_", "PLAYWRIGHT_NODEJS_PATH=", "TMPDIR="} {
			if strings.HasPrefix(v, own) {
				return true
			}
		}
		return false
	})
}

// openLog opens the log for a driver, anew where it has grown large.
func openLog(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, wire.Errorf(wire.CodePermission, "opening the log: %v", err).WithHint("abrowser doctor")
	}
	if info, err := f.Stat(); err == nil && info.Size() > mostLog {
		err = f.Truncate(0)
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	return f, nil
}
