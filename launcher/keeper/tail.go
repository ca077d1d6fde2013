package keeper

import (
	"os"
	"strings"
	"sync"
)

// tail keeps the end of the browser's stderr.
type tail struct {
	mu  sync.Mutex // guards buf
	buf []byte
}

const tailSize = 16 << 10

// drain reads a file until it ends, and keeps the last 16 KB.
func (t *tail) drain(f *os.File) {
	chunk := make([]byte, 4<<10)
	for {
		n, err := f.Read(chunk)
		t.mu.Lock()
		t.buf = append(t.buf, chunk[:n]...)
		if extra := len(t.buf) - tailSize; extra > 0 {
			t.buf = append(t.buf[:0], t.buf[extra:]...)
		}
		t.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// String returns the text that is kept.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}

// lastLines returns the last n lines of a text.
func lastLines(text string, n int) string {
	all := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(all[max(0, len(all)-n):], "\n")
}
