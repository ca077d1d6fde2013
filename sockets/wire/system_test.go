package wire

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"testing"
)

func TestOSError(t *testing.T) {
	tests := []struct {
		errno syscall.Errno
		want  string
	}{
		{syscall.EROFS, "read-only"},
		{syscall.EACCES, "forbids"},
		{syscall.EPERM, "forbids"},
		{syscall.ENOSPC, "no space"},
	}
	for _, tt := range tests {
		err := OSError("making /x", &fs.PathError{Op: "mkdir", Path: "/x", Err: tt.errno})
		if !errors.Is(err, CodePermission) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("OSError(%v) = %v, want %s with %q", tt.errno, err, CodePermission, tt.want)
		}
	}
}
