package wire

import (
	"context"
	"errors"
	"fmt"
	"syscall"
)

// OSError returns the error for a failed operation on a file or socket. The parameter act describes
// the operation. A missing permission, a read-only file system and a full disk have their own
// messages. Otherwise a user could mistake these causes for a daemon that is not running.
func OSError(act string, err error) error {
	switch {
	case errors.Is(err, syscall.EROFS):
		return Errorf(CodePermission, "%s: the file system is read-only", act).
			WithHint("set ABROWSER_HOME to a directory that can be written")
	case errors.Is(err, syscall.EACCES), errors.Is(err, syscall.EPERM):
		return Errorf(CodePermission, "%s: the system forbids it (%v)", act, Errno(err)).
			WithHint("a sandbox or the file's mode forbids it: allow it, or set ABROWSER_HOME to a directory of your own")
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return Errorf(CodePermission, "%s: no space is left", act).
			WithHint("free some space, or set ABROWSER_HOME to a directory on another disk")
	}
	return fmt.Errorf("%s: %w", act, err)
}

// IsBadPath reports whether the system has refused a path because no file can have it: it is too long,
// has a NUL, or leads through a file that is not a directory.
func IsBadPath(err error) bool {
	return errors.Is(err, syscall.ENAMETOOLONG) || errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTDIR)
}

// Errno returns the system's error number in err's chain, or err if the chain has no number.
// The text of a number contains no path or address.
func Errno(err error) error {
	var number syscall.Errno
	if errors.As(err, &number) {
		return number
	}
	return err
}

// ContextError returns the error for an operation that ended because ctx ended. The code is
// [CodeTimeout] after ctx's deadline, and otherwise [CodeInterrupted]. The parameter act describes
// the operation.
func ContextError(ctx context.Context, act string) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return Errorf(CodeTimeout, "%s: the time is over", act)
	}
	return Errorf(CodeInterrupted, "%s: interrupted", act)
}
