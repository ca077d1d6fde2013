//go:build linux

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

// CommandDeadline is the time after which a command counts as hanging. The slowest command, a
// cold start on a busy machine, takes a tenth of this time.
const CommandDeadline = 90 * time.Second

// Result is the outcome of a command.
type Result struct {
	args           []string
	Stdout, Stderr string
	Status         int
	Took           time.Duration
	Err            error // set if the command could not be run or was killed
}

func (r Result) String() string {
	return fmt.Sprintf("abrowser %s: exit %d after %s\nstdout: %s\nstderr: %s\nerr: %v",
		strings.Join(r.args, " "), r.Status, r.Took.Round(time.Millisecond), r.Stdout, r.Stderr, r.Err)
}

// Prepared returns a command that runs in the session and is not started yet.
func (h *Home) Prepared(ctx context.Context, session string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, h.Binary, args...)
	cmd.Env, cmd.Dir = h.Environ(session), h.Cwd
	if cmd.Dir == "" {
		cmd.Dir = filepath.Join(h.Outer, "h")
	}
	// A process that has inherited the command's output must not keep the test waiting. Other
	// tests check that no process inherits the output.
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// Command runs a command of the session and waits for its end.
func (h *Home) Command(ctx context.Context, session string, args ...string) Result {
	return Finish(h.Prepared(ctx, session, args...), args)
}

// Finish runs the command cmd and waits for its end. The parameter args is not executed. It is
// only printed in the text of the result, as the command's arguments.
func Finish(cmd *exec.Cmd, args []string) Result {
	r, err := Start(cmd, args)
	if err != nil {
		return Result{args: args, Status: -1, Err: err}
	}
	return <-r.Ended
}

// Running is a command that was started.
type Running struct {
	PID   int
	Ended chan Result // receives the result when the command ends
}

// Start starts the command cmd without waiting for its end. The parameter args is not executed. It
// is only printed in the text of the result, as the command's arguments.
func Start(cmd *exec.Cmd, args []string) (Running, error) {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return Running{}, err
	}
	r := Running{PID: cmd.Process.Pid, Ended: make(chan Result, 1)}
	go func() {
		err := cmd.Wait()
		ended := Result{args: args, Stdout: stdout.String(), Stderr: stderr.String(), Took: time.Since(began)}
		var exit *exec.ExitError
		if errors.As(err, &exit) && exit.Exited() {
			ended.Status, err = exit.ExitCode(), nil
		}
		if err != nil {
			ended.Status, ended.Err = -1, err
		}
		r.Ended <- ended
	}()
	return r, nil
}

// Begin starts a command of the session without waiting for its end.
func (h *Home) Begin(t *testing.T, session string, args ...string) Running {
	t.Helper()
	r, err := Start(h.Prepared(t.Context(), session, args...), args)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Try runs a command of the session and returns its outcome. It may be called from any
// goroutine.
func (h *Home) Try(session string, args ...string) Result {
	ctx, cancel := context.WithTimeout(context.Background(), CommandDeadline)
	defer cancel()
	return h.Command(ctx, session, args...)
}

// Text runs a command that must succeed, and returns its standard output without the final
// newline.
func (h *Home) Text(t testing.TB, session string, args ...string) string {
	t.Helper()
	r := h.Try(session, args...)
	if r.Status != wire.ExitDone {
		t.Fatalf("%s", r)
	}
	return strings.TrimSuffix(r.Stdout, "\n")
}

// Fails runs a command with --json. The command must fail with the given code and with the exit
// status of that code. Fails returns the command's answer.
func (h *Home) Fails(t testing.TB, code wire.Code, session string, args ...string) Envelope {
	t.Helper()
	r := h.Try(session, append([]string{"--json"}, args...)...)
	e := r.Envelope(t)
	if e.Success || e.Code != code || r.Status != wire.ExitStatus(code) {
		t.Errorf("%s\nwant code %s and exit %d", r, code, wire.ExitStatus(code))
	}
	return e
}

// Envelope is the JSON answer of a command.
type Envelope struct {
	Success   bool            `json:"success"`
	Data      json.RawMessage `json:"data"`
	Error     *string         `json:"error"`
	Code      wire.Code       `json:"code"`
	Hint      string          `json:"hint"`
	Details   map[string]any  `json:"details"`
	Warning   string          `json:"warning"`
	SessionID string          `json:"sessionId"`
}

// Envelope decodes the answer of a command with --json.
func (r Result) Envelope(t testing.TB) Envelope {
	t.Helper()
	var e Envelope
	if err := json.Unmarshal([]byte(r.Stdout), &e); err != nil {
		t.Fatalf("the answer is not JSON (%v): %s", err, r)
	}
	return e
}

// Ask runs a command with --json, which must succeed, and returns the data of its answer.
func Ask[Out any](t testing.TB, h *Home, session string, args ...string) Out {
	t.Helper()
	out, err := TryAsk[Out](h, session, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TryAsk runs a command with --json. It returns the data of the answer, or an error if the command
// fails. It may be called from any goroutine.
func TryAsk[Out any](h *Home, session string, args ...string) (Out, error) {
	var out Out
	var e Envelope
	r := h.Try(session, append([]string{"--json"}, args...)...)
	if err := json.Unmarshal([]byte(r.Stdout), &e); err != nil {
		return out, fmt.Errorf("the answer is not JSON (%w): %s", err, r)
	}
	if r.Status != wire.ExitDone || !e.Success {
		return out, fmt.Errorf("%s", r)
	}
	if err := json.Unmarshal(e.Data, &out); err != nil {
		return out, fmt.Errorf("%w: %s", err, r)
	}
	return out, nil
}
