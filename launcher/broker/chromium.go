package broker

import (
	"context"
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

// chromium is the browser's process and the ends of its pipe.
type chromium struct {
	pid    int
	path   string
	cmd    *exec.Cmd // nil where a keeper before us started it
	in     *handle   // what it reads
	out    *handle   // what it writes
	errors *os.File  // its stderr
	tail   *tail
	began  time.Time
	exited chan struct{} // closed when it has been waited for
	leave  *sync.Once    // of a browser that somebody else started: see [stranger]
}

// startChromium starts the browser in a process group of its own. It dies with
// the pipe, not with us: whoever holds the pipe's ends keeps it.
func startChromium(o KeepOptions, profile string, log *slog.Logger) (*chromium, error) {
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
	// Not CommandContext: it ends by the steps of stop, not by a kill of one process.
	cmd := exec.Command(o.Browser, arguments(o, profile)...) //nolint:noctx // its life is not the context's
	cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	cmd.Stderr = theirErrs
	cmd.Dir = "/"
	cmd.Env = environ(o.Environ, profile, o.Settings.Headed)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c := &chromium{path: o.Browser, cmd: cmd, errors: errs, tail: &tail{}, began: time.Now(), exited: make(chan struct{})}
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
		c.tail.drain(errs)
	}()
	go func() {
		defer close(c.exited)
		err := cmd.Wait()
		// Its children may hold stderr for longer than it lives.
		select {
		case <-drained:
		case <-time.After(drainTime):
		}
		log.Info("browser ended", "pid", c.pid, "status", cmd.ProcessState.String(), "error", err)
	}()
	return c, nil
}

// hold takes over our ends of the pipe.
func (c *chromium) hold(in, out *os.File) error {
	var failed, also error
	c.in, failed = handleOf(in)
	c.out, also = handleOf(out)
	return errors.Join(failed, also)
}

const drainTime = 200 * time.Millisecond

// environ is the browser's environment: ours without what is about us, and with
// what keeps it from writing elsewhere than in its profile. Without it, crash
// reports and a cache of settings appear in the user's HOME.
func environ(from []string, profile string, headed bool) []string {
	if from == nil {
		from = os.Environ()
	}
	var env []string
	for _, v := range from {
		if !strings.HasPrefix(v, "ABROWSER_") && !strings.HasPrefix(v, "AGENT_BROWSER_") {
			env = append(env, v)
		}
	}
	env = append(env, "BREAKPAD_DUMP_LOCATION="+filepath.Join(profile, "Crash Reports"))
	if !headed { // a visible window looks as the user's settings say
		env = append(env, "GSETTINGS_BACKEND=memory")
	}
	return env
}

// well reports whether the browser ended by itself and in order: somebody closed
// it.
func (c *chromium) well() bool {
	return c.cmd != nil && c.cmd.ProcessState != nil && c.cmd.ProcessState.ExitCode() == 0
}

// failure is the error for a browser that did not come up.
func (c *chromium) failure() error {
	text := c.tail.String()
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
		e = e.WithHint("abrowser doctor says how the browser can have its sandbox")
	default:
		e = e.WithHint("abrowser doctor")
	}
	return e.With("stderr", lastLines(text, 20))
}

// end makes the browser's processes end: first asked, then killed.
func (c *chromium) end(ctx context.Context) {
	if c.isStranger() {
		c.part()
		return
	}
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		select {
		case <-c.exited:
			_ = syscall.Kill(-c.pid, syscall.SIGKILL) // what it left of its group
			return
		case <-ctx.Done():
		}
		_ = syscall.Kill(-c.pid, sig)
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), killTime)
		defer cancel()
	}
	<-c.exited
}

const killTime = 3 * time.Second

func (c *chromium) close() error {
	return errors.Join(c.in.Close(), c.out.Close(), c.errors.Close())
}

// tail keeps the last of what was written to it.
type tail struct {
	mu  sync.Mutex // guards buf
	buf []byte
}

const tailSize = 16 << 10

func (t *tail) drain(f *os.File) {
	chunk := make([]byte, 4<<10)
	for {
		n, err := f.Read(chunk)
		t.mu.Lock()
		t.buf = append(t.buf, chunk[:n]...)
		if extra := len(t.buf) - tailSize; extra > 0 {
			t.buf = append(t.buf[:0], t.buf[extra:]...)
		}
		t.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// String is what is kept.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}

func lastLines(text string, n int) string {
	all := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(all[max(0, len(all)-n):], "\n")
}
