package sockets

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/abrowser/abrowser/sockets/wire"
)

// refused says why the system did not do something with a file or socket. What a
// sandbox or a mode forbids must not read like a daemon that is down.
func refused(act string, err error) error {
	switch {
	case errors.Is(err, syscall.EROFS):
		return wire.Errorf(wire.CodePermission, "%s: the file system is read-only", act).
			WithHint("set ABROWSER_HOME to a directory that can be written")
	case errors.Is(err, syscall.EACCES), errors.Is(err, syscall.EPERM):
		return wire.Errorf(wire.CodePermission, "%s: the system forbids it (%v)", act, errno(err)).
			WithHint("a sandbox or the file's mode forbids it: allow it, or set ABROWSER_HOME to a directory of your own")
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return wire.Errorf(wire.CodePermission, "%s: no space is left", act).
			WithHint("free some space, or set ABROWSER_HOME to a directory on another disk")
	}
	return fmt.Errorf("%s: %w", act, err)
}

func errno(err error) error {
	var number syscall.Errno
	if errors.As(err, &number) {
		return number
	}
	return err
}

// ended is the error of an act that ctx ended.
func ended(ctx context.Context, act string) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return wire.Errorf(wire.CodeTimeout, "%s: the time is over", act)
	}
	return wire.Errorf(wire.CodeInterrupted, "%s: interrupted", act)
}
