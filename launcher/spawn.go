package launcher

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/abrowser/abrowser/sockets/wire"
)

// spawn starts our executable in the target's role and waits until it is ready.
// The error of a child that does not become ready is the child's own.
func (l *Launcher) spawn(ctx context.Context, t target, build string) error {
	program, live, err := l.installed(build)
	if err != nil {
		return err
	}
	defer live.Close()
	log, err := openLog(t.place.Log)
	if err != nil {
		return err
	}
	defer log.Close()
	ready, child, err := os.Pipe()
	if err != nil {
		return err
	}
	defer ready.Close()
	closeOnExec()
	cmd := exec.Command(program, t.args...) //nolint:noctx // it lives on when ctx ends
	cmd.Args[0] = "abrowser"
	cmd.Dir = "/"
	cmd.Env = append(childEnviron(l.environ(), t.settings), "ABROWSER_HOME="+l.Root.Dir, readyVariable+"=3")
	cmd.Stdout, cmd.Stderr = log.File, log.File
	cmd.ExtraFiles = []*os.File{child}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = cmd.Start()
	if closed := child.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return wire.Errorf(wire.CodeStart, "starting %s: %v", t.what, err).WithHint("abrowser doctor")
	}
	l.logger().Info("started", "role", t.args[0], "name", t.place.Name, "pid", cmd.Process.Pid)
	exited := make(chan error, 1)
	// It outlives this call: a daemon that starts a keeper is its parent, and a
	// child that nobody waits for stays in the table of processes.
	go func() { exited <- cmd.Wait() }()
	ctx, cancel := context.WithTimeoutCause(ctx, l.limits().start, wire.CodeStart)
	defer cancel()
	return t.await(ctx, ready, cmd.Process, exited, log)
}

// await reads the child's one line on the ready pipe.
func (t target) await(ctx context.Context, ready *os.File, child *os.Process, exited <-chan error, log *childLog) error {
	stop := context.AfterFunc(ctx, func() { _ = ready.SetReadDeadline(time.Unix(1, 0)) }) // it wakes the reader
	defer stop()
	line, err := bufio.NewReader(io.LimitReader(ready, 64<<10)).ReadBytes('\n')
	if err == nil {
		var said readyLine
		if err := json.Unmarshal(line, &said); err != nil {
			return wire.Errorf(wire.CodeStart, "%s said %.80q instead of being ready", t.what, line).WithHint("abrowser doctor")
		}
		if said.Error != nil {
			return said.Error.With("log", t.place.Log)
		}
		return nil
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return t.late(ctx, child, log)
	}
	// The pipe is closed, so the child has died, or is about to.
	status := "it closed its ready pipe"
	select {
	case err := <-exited:
		status = "exit status 0"
		if err != nil {
			status = err.Error()
		}
	case <-ctx.Done():
	}
	return wire.Errorf(wire.CodeStart, "%s ended while it started (%s)%s", t.what, status, log.said()).
		WithHint("abrowser doctor").With("log", t.place.Log)
}

// late is the error of a child that is not ready in time. One for which only the
// caller was too impatient goes on, and is there for the next command.
func (t target) late(ctx context.Context, child *os.Process, log *childLog) error {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, wire.CodeStart):
		_ = child.Signal(syscall.SIGTERM) // where it is gone, so much the better
		return wire.Errorf(wire.CodeStart, "%s did not become ready in time%s", t.what, log.said()).
			WithHint("abrowser doctor").With("log", t.place.Log)
	case errors.Is(cause, context.DeadlineExceeded):
		return wire.Errorf(wire.CodeTimeout, "%s is still starting", t.what).WithHint("abrowser doctor")
	}
	return wire.Errorf(wire.CodeInterrupted, "starting %s was interrupted", t.what)
}

// closeOnExec keeps from the child what our own caller left open for us: a pipe of
// a shell that waits for its end would wait for the daemon's.
func closeOnExec() {
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		for fd := 3; fd < 1024; fd++ {
			unix.CloseOnExec(fd)
		}
		return
	}
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
}
