package keeper

import (
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

// chromium is the browser's process and the keeper's ends of its pipe.
type chromium struct {
	pid    int
	path   string
	cmd    *exec.Cmd // nil if a previous keeper started it
	in     *rawFD    // the browser reads from it
	out    *rawFD    // the browser writes to it
	errors *os.File  // the browser's stderr
	stderr *tail
	began  time.Time
	exited chan struct{} // closed when the process has ended
	leave  *sync.Once    // closes exited for an external browser; nil for all others
}

// startChromium starts the browser in a session of its own. The browser does not end with the
// keeper: it runs until no process holds the other ends of its pipe any more.
func startChromium(o Options, profile string, log *slog.Logger) (*chromium, error) {
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, theirIn.Close(), in.Close())
	}
	errs, theirErrs, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, theirIn.Close(), in.Close(), out.Close(), theirOut.Close())
	}
	defer theirIn.Close()
	defer theirOut.Close()
	defer theirErrs.Close()
	// CommandContext would kill only one process. The method end kills the process group.
	cmd := exec.Command(o.Browser, arguments(o, profile)...) //nolint:noctx // it outlives ctx
	cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	cmd.Stderr = theirErrs
	cmd.Dir = "/"
	cmd.Env = environ(o.Environ, profile, o.Settings.Headed)
	// Setpgid is not enough. In the keeper's session, the browser's process group would become an
	// orphan when the keeper dies. If one of its processes is suspended then, the kernel sends SIGHUP
	// to all of them, which ends the browser.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	c := &chromium{path: o.Browser, cmd: cmd, errors: errs, stderr: &tail{}, began: time.Now(), exited: make(chan struct{})}
	if err := c.hold(in, out); err != nil {
		return nil, errors.Join(err, c.close())
	}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(wire.Errorf(wire.CodeNoBrowser, "starting %s: %v", o.Browser, err).WithHint("abrowser doctor"), c.close())
	}
	c.pid = cmd.Process.Pid
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		c.stderr.drain(errs)
	}()
	go func() {
		defer close(c.exited)
		err := cmd.Wait()
		// The browser's child processes may keep stderr open after the browser has ended.
		select {
		case <-drained:
		case <-time.After(drainTime):
		}
		log.Info("browser ended", "pid", c.pid, "status", cmd.ProcessState.String(), "error", err)
	}()
	return c, nil
}

// hold keeps the keeper's ends of the pipe as raw descriptors, and closes the files.
func (c *chromium) hold(in, out *os.File) error {
	var failed, also error
	c.in, failed = newRawFD(in)
	c.out, also = newRawFD(out)
	return errors.Join(failed, also)
}

const drainTime = 200 * time.Millisecond

// environ returns the browser's environment. It is a copy of the environment base without
// abrowser's own variables. If base is nil, environ copies this process's environment. One variable
// is added, so that the browser writes no crash reports into the user's HOME. A browser without
// visible windows gets a second variable, so that it uses no desktop settings from HOME.
func environ(base []string, profile string, headed bool) []string {
	if base == nil {
		base = os.Environ()
	}
	var env []string
	for _, v := range base {
		if _, own := wire.CutVariable(v); !own {
			env = append(env, v)
		}
	}
	env = append(env, "BREAKPAD_DUMP_LOCATION="+filepath.Join(profile, "Crash Reports"))
	if !headed { // a visible window uses the user's desktop settings
		env = append(env, "GSETTINGS_BACKEND=memory")
	}
	return env
}

// wasClosed reports whether the browser ended with status 0, which means that a person closed
// it. If a previous keeper started the browser, the status is unknown, and wasClosed returns false.
func (c *chromium) wasClosed() bool {
	return c.cmd != nil && c.cmd.ProcessState != nil && c.cmd.ProcessState.ExitCode() == 0
}

// failure returns the error for a browser that did not start.
func (c *chromium) failure() error {
	text := c.stderr.String()
	status := "status unknown"
	if c.cmd != nil {
		status = c.cmd.ProcessState.String()
	}
	e := wire.Errorf(wire.CodeNoBrowser, "the browser %s ended at once (%s)", c.path, status)
	switch {
	case strings.Contains(text, "ProcessSingleton") || strings.Contains(text, "existing browser session"):
		e = wire.Errorf(wire.CodeNoBrowser, "another browser uses the profile").WithHint("end that browser, or give --profile another name")
	case strings.Contains(text, "Missing X server") || strings.Contains(text, "DISPLAY"):
		e = e.WithHint("a visible browser needs a display: leave --headed out, or run it under xvfb-run")
	case strings.Contains(text, "sandbox"):
		e = e.WithHint("abrowser doctor shows how to give the browser its sandbox")
	default:
		e = e.WithHint("abrowser doctor")
	}
	return e.With("stderr", lastLines(text, 20))
}

// end waits until the browser has ended. If that takes longer than patience, end sends SIGTERM to
// the browser's process group, and SIGKILL 3 s later (killTime). An external browser keeps running:
// end only makes the keeper treat it as ended, and returns at once.
func (c *chromium) end(patience time.Duration) {
	if c.isExternal() {
		c.disconnect()
		return
	}
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		select {
		case <-c.exited:
			_ = syscall.Kill(-c.pid, syscall.SIGKILL) // for the other processes of its group
			return
		case <-time.After(patience):
		}
		_ = syscall.Kill(-c.pid, sig)
		patience = killTime
	}
	<-c.exited
}

const killTime = 3 * time.Second

func (c *chromium) close() error {
	return errors.Join(c.in.Close(), c.out.Close(), c.errors.Close())
}
