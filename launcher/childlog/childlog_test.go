package childlog

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func TestExcerpt(t *testing.T) {
	for _, tt := range []struct{ name, wrote, want string }{
		{"nothing", "\n", ""},
		{"the last lines", "a\nb\nc\nd\n", "b; c; d"},
		{"a panic", "a\npanic: broken\n\ngoroutine 1\nx\ny\nz\n", "panic: broken"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "log")
			if err := os.WriteFile(path, []byte("panic: of the previous process\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			l, err := Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			fmt.Fprint(l, tt.wrote)
			if got := l.Excerpt(); got != tt.want {
				t.Errorf("Excerpt() = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestLargeLogIsTruncated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	for _, tt := range []struct{ before, want int64 }{{MaxSize, MaxSize}, {MaxSize + 1, 0}} {
		if err := os.WriteFile(path, make([]byte, tt.before), 0o600); err != nil {
			t.Fatal(err)
		}
		l, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if info, err := l.Stat(); err != nil || info.Size() != tt.want {
			t.Errorf("a log of %d bytes has %d after Open, want %d, %v", tt.before, info.Size(), tt.want, err)
		}
		l.Close()
	}
}
