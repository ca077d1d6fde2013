package launcher

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/abrowser/abrowser/launcher/childlog"
	"github.com/abrowser/abrowser/sockets/wire"
)

// spawn starts our executable in the target's role and waits until this child is ready. If the
// child reports an error instead, spawn returns that error.
func (l *Launcher) spawn(ctx context.Context, t target, build string) error {
	program, lock, err := l.binaries().Add(build, l.executable())
	if err != nil {
		return wire.Errorf(wire.CodeStart, "copying our executable: %v", err).WithHint("abrowser doctor")
	}
	defer lock.Close()
	log, err := childlog.Open(t.endpoint.Log)
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
	cmd := exec.Command(program, t.args...) //nolint:noctx // it outlives ctx
	cmd.Args[0] = "abrowser"
	cmd.Dir = "/"
	cmd.Env = append(childEnviron(l.environ(), t.settings), "ABROWSER_HOME="+l.Root.Dir, readyVariable+"=3")
	cmd.Stdout, cmd.Stderr = log.File, log.File
	cmd.ExtraFiles = []*os.File{child}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := errors.Join(cmd.Start(), child.Close()); err != nil {
		return wire.Errorf(wire.CodeStart, "starting %s: %v", t.what, err).WithHint("abrowser doctor")
	}
	l.logger().Info("started", "role", t.args[0], "name", t.endpoint.Name, "pid", cmd.Process.Pid)
	exited := make(chan error, 1)
	// This goroutine outlives the call. A daemon that starts a keeper is the keeper's parent,
	// and the keeper would become a zombie if no goroutine waited for it.
	go func() { exited <- cmd.Wait() }()
	ctx, cancel := context.WithTimeoutCause(ctx, l.limits().start, wire.CodeStart)
	defer cancel()
	return t.awaitReady(ctx, ready, cmd.Process, exited, log)
}

// awaitReady waits for the child's message on the ready pipe. If the message says that the child
// serves, awaitReady returns nil. If the message contains an error, awaitReady returns that error.
// It returns an error of its own if the child exits or ctx ends before a message arrives.
func (t target) awaitReady(ctx context.Context, ready *os.File, child *os.Process, exited <-chan error, log *childlog.Log) error {
	stop := context.AfterFunc(ctx, func() { _ = ready.SetReadDeadline(time.Unix(1, 0)) }) // interrupts the read
	defer stop()
	line, err := bufio.NewReader(io.LimitReader(ready, 64<<10)).ReadBytes('\n')
	if err == nil {
		var message readyMessage
		if err := json.Unmarshal(line, &message); err != nil {
			return wire.Errorf(wire.CodeStart, "%s sent an invalid message to its ready pipe: %.80q", t.what, line).WithHint("abrowser doctor")
		}
		if message.Error != nil {
			return message.Error.With("log", t.endpoint.Log)
		}
		return nil
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return t.notReady(ctx, child, log)
	}
	// The pipe is closed, so the child has exited or is exiting.
	status := "it closed its ready pipe"
	select {
	case err := <-exited:
		status = "exit status 0"
		if err != nil {
			status = err.Error()
		}
	case <-ctx.Done():
	}
	return t.startError(log, "ended while it started (%s)", status)
}

// notReady returns the error for a child that is not ready in time. It ends the child if the
// child has exceeded its own time limit. If the caller's deadline has passed or the caller was
// interrupted, the child keeps running, so that the next command can use it.
func (t target) notReady(ctx context.Context, child *os.Process, log *childlog.Log) error {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, wire.CodeStart):
		_ = child.Signal(syscall.SIGTERM) // it may have exited
		return t.startError(log, "did not become ready in time")
	case errors.Is(cause, context.DeadlineExceeded):
		return wire.Errorf(wire.CodeTimeout, "%s is still starting", t.what).WithHint("abrowser doctor")
	}
	return wire.Errorf(wire.CodeInterrupted, "starting %s was interrupted", t.what)
}

// startError returns the error for a child that failed to start, with an excerpt of its log.
func (t target) startError(log *childlog.Log, format string, args ...any) error {
	message := fmt.Sprintf(format, args...)
	if excerpt := log.Excerpt(); excerpt != "" {
		message += ": " + excerpt
	}
	return wire.Errorf(wire.CodeStart, "%s %s", t.what, message).WithHint("abrowser doctor").With("log", t.endpoint.Log)
}

// closeOnExec keeps the child from inheriting descriptors that our own caller left open. Such a
// descriptor may be the write end of a pipe. If the child inherited it, a shell that reads the
// pipe until EOF would not continue before the child exits.
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
