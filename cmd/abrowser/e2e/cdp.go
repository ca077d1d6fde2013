//go:build linux

package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/abrowser/abrowser/sockets/verbs"
)

// CDPServer is a running `abrowser cdp` of a session.
type CDPServer struct {
	verbs.CDPOut
	Process *exec.Cmd

	input io.Closer
	mu    sync.Mutex // guards log
	log   strings.Builder
}

// StartCDP runs `abrowser cdp` with the given arguments until the test ends, or until
// [CDPServer.End] is called.
func (h *Home) StartCDP(t testing.TB, session string, args ...string) *CDPServer {
	t.Helper()
	s := &CDPServer{Process: h.Prepared(context.WithoutCancel(t.Context()), session, append([]string{"--json", "cdp"}, args...)...)}
	s.Process.Stderr = s
	in, err := s.Process.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.Process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.input = in
	if err := s.Process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.End() }) // a test that needs the status has called End itself
	line, err := bufio.NewReader(out).ReadBytes('\n')
	var answer struct {
		Success bool
		Data    verbs.CDPOut
	}
	if err != nil || json.Unmarshal(line, &answer) != nil || !answer.Success {
		t.Fatalf("abrowser cdp printed %q (%v), and %s", line, err, s.Log())
	}
	s.CDPOut = answer.Data
	return s
}

// End closes the command's input, and waits until the command has ended. It returns an error if the
// command did not succeed. If the command had ended before, End does nothing and returns nil.
func (s *CDPServer) End() error {
	if s.Process.ProcessState != nil {
		return nil
	}
	s.input.Close()
	return s.Process.Wait()
}

// Log returns what the command has written to its standard error.
func (s *CDPServer) Log() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.String()
}

// Write adds to the log.
func (s *CDPServer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.Write(p)
}
