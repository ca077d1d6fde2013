package launcher

import (
	"bytes"
	"io"
	"os"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// maxLog is the size beyond which a log begins anew at the next start.
const maxLog = 4 << 20

// childLog is the log that a child writes, and where in it the child began.
type childLog struct {
	*os.File
	began int64
}

// openLog opens the log for a child. The start lock is held and the one before has
// ended, so nobody else writes it.
func openLog(path string) (*childLog, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, wire.Errorf(wire.CodePermission, "opening the log: %v", err).WithHint("abrowser doctor")
	}
	info, err := f.Stat()
	if err == nil && info.Size() > maxLog {
		err = f.Truncate(0)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	l := &childLog{File: f}
	if info.Size() <= maxLog {
		l.began = info.Size()
	}
	return l, nil
}

// said is the end of what the child wrote, for the error of one that died: a panic's
// own line, else the last lines.
func (l *childLog) said() string {
	raw, err := io.ReadAll(io.NewSectionReader(l, l.began, maxLog))
	if err != nil || len(bytes.TrimSpace(raw)) == 0 {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
	for n, line := range lines {
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			return ": " + lines[n]
		}
	}
	return ": " + strings.Join(lines[max(0, len(lines)-3):], "; ")
}
