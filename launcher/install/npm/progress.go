package npm

import (
	"fmt"
	"io"
	"time"
)

// meter counts the bytes of a download. On a terminal it shows the progress in one line, which
// it rewrites. If Progress is not a terminal, it prints one line at the start.
type meter struct {
	terminal io.Writer // nil if the progress is not shown on a terminal
	what     string
	total    int64 // 0 or less if unknown
	done     int64
	drawn    time.Time
	onWrite  func() // called when a part of the download arrives
}

func (i *Installer) newMeter(what string, total int64, onWrite func()) *meter {
	m := &meter{what: what, total: total, onWrite: onWrite}
	i.Log.Info(what)
	switch {
	case i.Progress == nil:
	case i.Terminal:
		m.terminal = i.Progress
		m.draw()
	case total > 0:
		fmt.Fprintf(i.Progress, "abrowser: %s (%s)\n", what, megabytes(total))
	default:
		fmt.Fprintf(i.Progress, "abrowser: %s\n", what)
	}
	return m
}

// Write counts the bytes.
func (m *meter) Write(p []byte) (int, error) {
	m.onWrite()
	m.done += int64(len(p))
	if m.terminal != nil && time.Since(m.drawn) > 100*time.Millisecond {
		m.draw()
	}
	return len(p), nil
}

func (m *meter) draw() {
	m.drawn = time.Now()
	state := megabytes(m.done)
	if m.total > 0 {
		state += " of " + megabytes(m.total)
	}
	fmt.Fprintf(m.terminal, "\rabrowser: %s: %s\x1b[K", m.what, state)
}

// end shows the final state on the terminal, and ends the line.
func (m *meter) end() {
	if m.terminal != nil {
		m.draw()
		fmt.Fprintln(m.terminal)
	}
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
