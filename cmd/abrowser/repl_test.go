//go:build linux

package main_test

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
)

// screenText is what a program has written to its terminal.
type screenText struct {
	mu   sync.Mutex // guards text
	text bytes.Buffer
}

func (s *screenText) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *screenText) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// In a terminal, repl completes words and recalls earlier lines. Neither Ctrl-C nor a failed
// command ends it, but the command `exit` does. The session then stays open.
func TestREPLInTerminal(t *testing.T) {
	t.Parallel()
	h := e2e.NewHome(t)
	h.Text(t, "repl", "open", "data:text/html,<title>Typed</title>")
	ctx, cancel := context.WithTimeout(t.Context(), e2e.CommandDeadline)
	defer cancel()
	cmd := h.Prepared(ctx, "repl", "repl")
	cmd.Env = append(cmd.Env, "TERM=xterm")
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	shown := &screenText{}
	go func() { // ends when the terminal is closed
		buffer := make([]byte, 4096)
		for {
			n, err := terminal.Read(buffer)
			_, _ = shown.Write(buffer[:n])
			if bytes.Contains(buffer[:n], []byte("\x1b[6n")) { // the request for the cursor's position
				_, _ = terminal.WriteString("\x1b[1;1R")
			}
			if err != nil {
				return
			}
		}
	}()
	for _, step := range []struct{ types, want string }{
		{"", "abrowser> "},
		{"get tit\t\r", "Typed\r"},           // completed to get title
		{"xyzzy\r", "unknown command xyzzy"}, // does not end repl
		{"half a line\x03", "^C"},
		{"\x1b[A\x1b[A\r", "Typed\r"}, // the line before the last
	} {
		before := len(shown.String())
		if _, err := terminal.WriteString(step.types); err != nil {
			t.Fatal(err)
		}
		if !e2e.Await(20*time.Second, func() bool { return strings.Contains(shown.String()[min(before, len(shown.String())):], step.want) }) {
			t.Fatalf("after %q the terminal does not show %q:\n%q", step.types, step.want, shown.String())
		}
	}
	if _, err := terminal.WriteString("exit\r"); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("repl ended with %v:\n%q", err, shown.String())
	}
	if state := h.Text(t, "repl", "status"); !strings.Contains(state, "ready") {
		t.Errorf("after exit of repl: %s", state)
	}
}
