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

// CDPServer is a running `abrowser cdp` or `abrowser inspect` of a session.
type CDPServer struct {
	verbs.CDPOut // of `abrowser cdp`
	Process      *exec.Cmd

	input io.Closer
	mu    sync.Mutex // guards log
	log   strings.Builder
}

// StartCDP runs `abrowser cdp` with the given arguments until the test ends, or until
// [CDPServer.End] is called.
func (h *Home) StartCDP(t testing.TB, session string, args ...string) *CDPServer {
	t.Helper()
	s, out := startServer[verbs.CDPOut](t, h, session, append([]string{"cdp"}, args...)...)
	s.CDPOut = out
	return s
}

// StartInspect runs `abrowser inspect` with the given arguments, as [Home.StartCDP] runs `abrowser
// cdp`.
func (h *Home) StartInspect(t testing.TB, session string, args ...string) (*CDPServer, verbs.InspectOut) {
	t.Helper()
	return startServer[verbs.InspectOut](t, h, session, append([]string{"inspect"}, args...)...)
}

// startServer runs a command that prints its output and then goes on, until the test ends, or until
// [CDPServer.End] is called.
func startServer[Out any](t testing.TB, h *Home, session string, args ...string) (*CDPServer, Out) {
	t.Helper()
	s := &CDPServer{Process: h.Prepared(context.WithoutCancel(t.Context()), session, append([]string{"--json"}, args...)...)}
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
		Data    Out
	}
	if err != nil || json.Unmarshal(line, &answer) != nil || !answer.Success {
		t.Fatalf("abrowser %s printed %q (%v), and %s", args[0], line, err, s.Log())
	}
	return s, answer.Data
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
