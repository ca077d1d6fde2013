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
	maxDrivers    = 64 // below one root directory, including suspended ones
	maxSessions   = 16 // of one driver
	defaultLinger = 5 * time.Second

	// startTimeout limits the time from the start of the driver's process until the driver listens.
	startTimeout = 30 * time.Second
	// roomTimeout is the time in which a running driver must accept or refuse a session. After this
	// time, Connect tries the next driver.
	roomTimeout = 500 * time.Millisecond
	// pingInterval is the time from a reply to the next ping, for the session that has been
	// connected to the driver for the longest time. The driver's other sessions wait four times
	// as long.
	pingInterval = time.Second
	replyTimeout = 2 * time.Second // for the reply to a ping
	// graceTime is the additional time for a reply, since this process may itself have been
	// suspended. It is also the time in which a killed driver must exit.
	graceTime = time.Second
)

// start starts a driver at the first endpoint that no running driver uses. It returns the
// endpoint as soon as the driver listens there. The caller holds the start lock, so that two
// processes do not start drivers at the same time.
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
		// Close closes only our descriptor. The driver has inherited the lease and keeps it,
		// unless spawn failed.
		return p, errors.Join(s.spawn(setup, p, lease), lease.Close())
	}
	return home.Endpoint{}, wire.Errorf(wire.CodeNoDriver, "%d drivers are running, and none has room", maxDrivers).WithHint("abrowser doctor")
}

// spawn starts Node with the script and returns when the driver listens. It returns an error if
// the driver exits before it listens, or does not listen within startTimeout. The driver may
// outlive this process, so it runs in a new session of the operating system (setsid) and writes
// its output to its log. The driver inherits the lease, and a pipe on which it reports that it
// listens.
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
	// The option max-semi-space-size is set because messages become garbage at once. By default V8
	// would let 48 MB of them accumulate, in three semi-spaces of 16 MB. The option
	// optimize-for-size is set because most code runs seldom. A driver with 16 sessions uses 74 MB
	// with this option and 87 MB without it.
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
	go func() { // ends when the driver exits; without Wait, the driver would become a zombie
		defer close(exited)
		_ = cmd.Wait() // wasKilled reads the result from cmd
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

// wasKilled waits up to graceTime for a program that is exiting, and reports whether a signal
// killed the program. If the program has not exited after this time, wasKilled returns false.
func wasKilled(cmd *exec.Cmd, exited <-chan struct{}) bool {
	select {
	case <-exited:
		status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
		return ok && status.Signaled()
	case <-time.After(graceTime):
		return false
	}
}

// sharedEnviron returns the environment for a driver that serves several sessions. This is the
// parameter ours without the variables that apply to a single session.
func sharedEnviron(ours []string) []string {
	return slices.DeleteFunc(ours, func(v string) bool {
		_, own := wire.CutVariable(v)
		return own || strings.HasPrefix(v, "PLAYWRIGHT_NODEJS_PATH=") || strings.HasPrefix(v, "TMPDIR=")
	})
}
