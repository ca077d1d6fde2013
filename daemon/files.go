package daemon

import (
	"os"

	"github.com/abrowser/abrowser/sockets/wire"
)

// ReadFile reads a file that the caller has named. It returns [wire.CodeBadInput] if the file cannot
// be read, and [wire.CodeTooLarge] if it has more than limit bytes.
func ReadFile(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, wire.Errorf(wire.CodeBadInput, "reading the file: %v", err).WithHint("ls -l %s", wire.ShellWord(path))
	case !info.Mode().IsRegular():
		return nil, wire.Errorf(wire.CodeBadInput, "%s is not a regular file", path).WithHint("ls -l %s", wire.ShellWord(path))
	case info.Size() > limit:
		return nil, wire.Errorf(wire.CodeTooLarge, "%s has %d bytes, more than %d", path, info.Size(), limit).WithHint("ls -l %s", wire.ShellWord(path))
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, wire.Errorf(wire.CodeBadInput, "reading the file: %v", err).WithHint("ls -l %s", wire.ShellWord(path))
	}
	return content, nil
}
