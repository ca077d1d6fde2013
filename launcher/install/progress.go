package install

import (
	"bytes"
	"fmt"
	"io"
	"time"
)

// say writes a line of its own.
func (i *Installer) say(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	i.logger().Info(line)
	if i.Progress != nil {
		fmt.Fprintf(i.Progress, "abrowser: %s\n", line)
	}
}

// meter shows how far something is: on a terminal one line, written again as it
// grows, elsewhere one line at the start.
type meter struct {
	to       io.Writer
	terminal bool
	what     string
	total    int64
	done     int64
	shown    time.Time
}

func (i *Installer) meter(what string, total int64) *meter {
	m := &meter{to: i.Progress, terminal: i.Terminal, what: what, total: total}
	i.logger().Info(what)
	switch {
	case m.to == nil:
	case m.terminal:
		m.draw()
	case total > 0:
		fmt.Fprintf(m.to, "abrowser: %s (%s)\n", what, megabytes(total))
	default:
		fmt.Fprintf(m.to, "abrowser: %s\n", what)
	}
	return m
}

// Write counts the bytes of a download.
func (m *meter) Write(p []byte) (int, error) {
	m.done += int64(len(p))
	if m.to != nil && m.terminal && time.Since(m.shown) > 100*time.Millisecond {
		m.draw()
	}
	return len(p), nil
}

func (m *meter) draw() {
	m.shown = time.Now()
	state := megabytes(m.done)
	if m.total > 0 {
		state += " of " + megabytes(m.total)
	}
	fmt.Fprintf(m.to, "\rabrowser: %s: %s\x1b[K", m.what, state)
}

// end leaves the last state on the terminal.
func (m *meter) end() {
	if m.to != nil && m.terminal {
		m.draw()
		fmt.Fprintln(m.to)
	}
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

// tail keeps the end of what a program prints, for the error if it fails, and
// shows its last line on a terminal.
type tail struct {
	to   io.Writer // nil or a terminal
	kept []byte
}

const tailSize = 4 << 10

// Write keeps p's end.
func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if over := len(t.kept) - tailSize; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	if t.to != nil {
		fmt.Fprintf(t.to, "\r  %.70s\x1b[K", t.last(1))
	}
	return len(p), nil
}

func (t *tail) end() {
	if t.to != nil {
		fmt.Fprint(t.to, "\r\x1b[K")
	}
}

// last returns the last n lines that say something, joined by "; ".
func (t *tail) last(n int) []byte {
	var lines [][]byte
	for _, line := range bytes.FieldsFunc(t.kept, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			lines = append(lines, line)
		}
	}
	return bytes.Join(lines[max(0, len(lines)-n):], []byte("; "))
}
