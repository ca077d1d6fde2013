package sockets

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

func TestProcessWait(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() })
	p, err := FindProcess(cmd.Process.Pid)
	if err != nil || !p.IsAlive() {
		t.Fatalf("FindProcess = %v, %v", p, err)
	}
	if again, err := ParseProcess(p.String()); err != nil || again != p {
		t.Errorf("ParseProcess(%q) = %v, %v", p, again, err)
	}
	short, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if err := p.Wait(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Wait for a running process = %v, want the context's error", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- p.Wait(t.Context()) }()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	select { // the killed process is a zombie until cmd.Wait
	case err := <-ended:
		if err != nil {
			t.Errorf("Wait = %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("Wait does not return when the process has ended")
	}
	if p.IsAlive() {
		t.Error("a killed process is alive")
	}
	// A process with the same pid and another start time is another process.
	own, err := FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	own.Started--
	if own.IsAlive() || own.Wait(t.Context()) != nil {
		t.Error("a process with a reused pid counts as the old one")
	}
}

func TestInvalidProcesses(t *testing.T) {
	for _, pid := range []int{0, -1, 1 << 30} {
		if p, err := FindProcess(pid); !errors.Is(err, wire.CodeNotFound) {
			t.Errorf("FindProcess(%d) = %v, %v, want %s", pid, p, err, wire.CodeNotFound)
		}
	}
	for _, text := range []string{"", "1", "1:", ":1", "a:1", "1:b", "-1:1", "0:0"} {
		if p, err := ParseProcess(text); !errors.Is(err, wire.CodeBadInput) {
			t.Errorf("ParseProcess(%q) = %v, %v, want %s", text, p, err, wire.CodeBadInput)
		}
	}
}
