// Package childlog opens the log files to which the processes that abrowser starts write
// their output.
//
// A process appends to its log. [Open] empties a log that is larger than [MaxSize]. Nothing else
// limits the size of a log. The launcher uses the package for daemons and keepers, and package
// driver uses it for Playwright's driver.
//
// The caller must hold the lock under which the process is started, and the previous process
// must have exited. So no other process writes to a log when it is opened.
package childlog

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// MaxSize is the size, in bytes, above which a log is emptied at the next start.
const MaxSize = 4 << 20

// Log is the log of a child. The field began is the offset at which the child's own output starts:
// the size of the log when [Open] returned.
type Log struct {
	*os.File
	began int64
}

// Open opens the log at path for a child that is about to start.
func Open(path string) (*Log, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, wire.Errorf(wire.CodePermission, "opening the log: %v", err).WithHint("abrowser doctor")
	}
	began, err := f.Seek(0, io.SeekEnd)
	if err == nil && began > MaxSize {
		began, err = 0, f.Truncate(0)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &Log{File: f, began: began}, nil
}

// Excerpt returns a part of the child's output, for an error message about a child that failed to
// start. The part is the first line of a panic or of a fatal error of the Go runtime, or otherwise
// the last three lines.
func (l *Log) Excerpt() string {
	raw, err := io.ReadAll(io.NewSectionReader(l, l.began, MaxSize))
	if err != nil || len(bytes.TrimSpace(raw)) == 0 {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
	for _, line := range lines {
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			return line
		}
	}
	return strings.Join(lines[max(0, len(lines)-3):], "; ")
}
