package driver

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/abrowser/abrowser/launcher/childlog"
	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	maxDrivers    = 64 // in one root; a suspended driver keeps its number until it is killed
	maxSessions   = 16 // of one driver
	defaultLinger = 5 * time.Second

	startTimeout = 30 * time.Second       // from the start of the process until it listens
	roomTimeout  = 500 * time.Millisecond // for the reply that says whether a driver has room, before another one is tried
	pingInterval = time.Second            // four times as long if another session pings the driver too
	replyTimeout = 2 * time.Second        // for the reply to a ping
	graceTime    = time.Second            // for a reply that this process reads late because it was suspended itself
)

// start starts a driver at the first endpoint without a running driver, and returns the
// endpoint when the driver listens. The caller holds the start lock.
func (s *Shared) start(setup Setup) (home.Endpoint, error) {
	for n := 1; n <= maxDrivers; n++ {
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
		// The driver has inherited the lease and keeps it, unless spawn failed.
		return p, errors.Join(s.spawn(setup, p, lease), lease.Close())
	}
	return home.Endpoint{}, wire.Errorf(wire.CodeNoDriver, "%d drivers are running, and none has room", maxDrivers).WithHint("abrowser doctor")
}

// spawn starts Node with the script, in a process session of its own and with its log as
// output. The driver inherits the lease, and a pipe on which it reports that it listens. It
// outlives this process.
func (s *Shared) spawn(setup Setup, p home.Endpoint, lease *sockets.Lease) error {
	temp := s.temp(p)
	if err := errors.Join(s.removeFiles(p), os.MkdirAll(temp, 0o700)); err != nil {
		return err
	}
	log, err := childlog.Open(p.Log)
	if err != nil {
		return err
	}
	defer log.Close() // the driver has a descriptor of its own
	ready, child, err := os.Pipe()
	if err != nil {
		return err
	}
	defer ready.Close() // only read from
	linger := cmp.Or(s.Linger, defaultLinger)
	bundle := filepath.Join(setup.Directory, "package", "lib", "coreBundle.js")
	// Messages become garbage at once. Without a limit for a semi-space, V8 lets three times
	// 16 MB of them accumulate. Most code runs seldom: in a driver with 16 sessions, optimizing
	// it for speed would cost 13 MB of 87 MB.
	cmd := exec.Command(setup.Program, "--optimize-for-size", "--max-semi-space-size=1", "-", "driver", p.Socket, bundle, setup.identity(), //nolint:noctx // it outlives ctx
		strconv.Itoa(maxSessions), strconv.FormatInt(linger.Milliseconds(), 10))
	cmd.Args[0] = "node"
	cmd.Dir = "/"
	cmd.Env = append(sharedEnviron(os.Environ()), "TMPDIR="+temp)
	cmd.Stdin = strings.NewReader(script())
	cmd.Stdout, cmd.Stderr = log.File, log.File
	cmd.ExtraFiles = []*os.File{lease.File(), child}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := errors.Join(cmd.Start(), child.Close()); err != nil {
		return wire.Errorf(wire.CodeNoDriver, "starting Playwright's driver: %v", err).WithHint("abrowser doctor")
	}
	exited := make(chan struct{})
	go func() { // ends with the driver, which would become a zombie otherwise
		defer close(exited)
		_ = cmd.Wait() // the result is in cmd
	}()
	s.logger().Info("started", "role", "driver", "name", p.Name, "pid", cmd.Process.Pid)
	if err = ready.SetReadDeadline(time.Now().Add(startTimeout)); err == nil {
		_, err = bufio.NewReader(ready).ReadString('\n')
	}
	if err == nil {
		return nil
	}
	killed := errors.Is(err, io.EOF) && wasKilled(cmd, exited)
	_ = cmd.Process.Kill() // it may have exited
	err = noDriver(p, "starting Playwright's driver: %v", err)
	if killed {
		err = killedError{err}
	}
	return errors.Join(err, s.removeFiles(p))
}

// wasKilled waits for a program that is exiting, and reports whether a signal killed it.
func wasKilled(cmd *exec.Cmd, exited <-chan struct{}) bool {
	select {
	case <-exited:
		status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
		return ok && status.Signaled()
	case <-time.After(graceTime):
		return false
	}
}

// sharedEnviron returns the environment of a driver that serves several sessions: ours,
// without the variables that apply to a single session.
func sharedEnviron(ours []string) []string {
	return slices.DeleteFunc(ours, func(v string) bool {
		_, own := wire.CutVariable(v)
		return own || strings.HasPrefix(v, "PLAYWRIGHT_NODEJS_PATH=") || strings.HasPrefix(v, "TMPDIR=")
	})
}
