package install

import (
	"bytes"
	"fmt"
	"io"
)

// say logs a line and shows it to the user.
func (i *Installer) say(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	i.logger().Info(line)
	if i.Progress != nil {
		fmt.Fprintf(i.Progress, "abrowser: %s\n", line)
	}
}

// tail keeps the end of a program's output for an error message. It also shows the last line of
// the output on a terminal, in place of the line before.
type tail struct {
	terminal io.Writer // nil shows nothing
	kept     []byte
}

const tailSize = 4 << 10

// Write implements [io.Writer].
func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	t.kept = t.kept[max(0, len(t.kept)-tailSize):]
	if t.terminal != nil {
		fmt.Fprintf(t.terminal, "\r  %.70s\x1b[K", lastLines(t.kept, 1))
	}
	return len(p), nil
}

// clear removes the line that Write has shown from the terminal.
func (t *tail) clear() {
	if t.terminal != nil {
		fmt.Fprint(t.terminal, "\r\x1b[K")
	}
}

// lastLines returns the last n lines that are not empty, joined by "; ".
func lastLines(text []byte, n int) []byte {
	var lines [][]byte
	for _, line := range bytes.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			lines = append(lines, line)
		}
	}
	return bytes.Join(lines[max(0, len(lines)-n):], []byte("; "))
}
