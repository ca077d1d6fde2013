//go:build linux

package main_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/wire"
)

// buildOfProtocol builds the command from the same source with another protocol.
func buildOfProtocol(t *testing.T, dir string, protocol int) string {
	t.Helper()
	source, err := filepath.Abs(filepath.Join("..", "..", "sockets", "wire", "message.go"))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(raw), fmt.Sprintf("const Protocol = %d\n", wire.Protocol), fmt.Sprintf("const Protocol = %d\n", protocol), 1)
	if changed == string(raw) {
		t.Fatalf("%s does not say that the protocol is %d", source, wire.Protocol)
	}
	copied, overlay, binary := filepath.Join(dir, "message.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, fmt.Sprintf("abrowser-%d", protocol))
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{source: copied}})
	if err != nil {
		t.Fatal(err)
	}
	for path, content := range map[string][]byte{copied: []byte(changed), overlay: list} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	// Without the race detector: what is looked for is what the two say to each other.
	if out, err := exec.CommandContext(ctx, "go", "build", "-overlay", overlay, "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return binary
}

// runs waits until the session's daemon runs a command.
func runs(t *testing.T, h *home, session, verb string) {
	t.Helper()
	if !await(20*time.Second, func() bool { return ask[wire.StatusOut](t, h, session, "status").Command == verb }) {
		t.Fatalf("session %s does not run %s", session, verb)
	}
}

// A newer build takes over what is idle, and says so of what is not. The browser
// goes on with its broker.
func TestUpgrade(t *testing.T) {
	s := site.Start(t)
	h := newHome(t)
	old := h.binary
	h.text(t, "task", "open", s.URL("/secret"))
	h.text(t, "task", "fill", "#kept", "typed")
	want := markOf(t, h, "task")
	before := ask[wire.BrowserStatusOut](t, h, "", "browser", "status")
	rebuilt := filepath.Join(h.outer, "abrowser")
	if err := build(rebuilt, "rebuilt"); err != nil {
		t.Fatal(err)
	}
	waits := h.begin(t, "task", "wait", "4000")
	runs(t, h, "task", "wait")
	h.binary = rebuilt
	if e := h.fails(t, wire.CodeBuildDiffers, "task", "get", "url"); !strings.Contains(e.Hint, "abrowser --session task close") {
		t.Errorf("the hint for a busy daemon of another build is %q", e.Hint)
	}
	if r := <-waits.ended; r.status != wire.ExitDone {
		t.Errorf("the command that ran: %s", r)
	}
	if got := markOf(t, h, "task"); got != want {
		t.Errorf("the new daemon has %v, want %v", got, want)
	}
	after := h.try("", "--json", "browser", "status")
	e := after.envelope(t)
	var now wire.BrowserStatusOut
	if err := json.Unmarshal(e.Data, &now); err != nil {
		t.Fatal(err)
	}
	if now.BrokerPID != before.BrokerPID || now.BrowserPID != before.BrowserPID || now.Build != before.Build {
		t.Errorf("the browser was %+v and is %+v", before, now)
	}
	if !strings.Contains(e.Warning, "another build") {
		t.Errorf("browser status warns of %q", e.Warning)
	}
	part := func(name string) (detail string) {
		for _, p := range ask[wire.PartsOut](t, h, "", "doctor").Parts {
			if p.Name == name {
				detail += p.Detail
			}
		}
		return detail
	}
	if got := part("broker"); !strings.Contains(got, "of build "+before.Build) {
		t.Errorf("doctor says of the broker %q", got)
	}
	driver := ask[wire.StatusOut](t, h, "task", "status").Driver
	if got, want := part("drivers"), fmt.Sprintf("(pid %d, serves 1 of 16 sessions)", driver.PID); !strings.Contains(got, want) || !driver.Shared || driver.Sessions != 1 {
		t.Errorf("doctor says of the drivers %q, status %+v; want %q", got, driver, want)
	}
	h.binary = old
	if r := h.try("", "browser", "status"); strings.Contains(r.stderr, "build") {
		t.Errorf("the browser's own build warns: %s", r)
	}
}

// A command of an older protocol is told what to do, and can end what it cannot use.
func TestOlderCommand(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := newHome(t)
	current := h.binary
	older := buildOfProtocol(t, h.outer, wire.Protocol-1)
	h.text(t, "task", "open", s.URL("/page/one"))
	waits := h.begin(t, "task", "--json", "wait", "#never", "--timeout", "60000")
	runs(t, h, "task", "wait")
	h.binary = older
	e := h.fails(t, wire.CodeBuildDiffers, "task", "get", "url")
	if !strings.Contains(e.Hint, "update this abrowser") || !strings.Contains(e.Hint, "abrowser --session task close") {
		t.Errorf("the hint for an older command is %q", e.Hint)
	}
	h.text(t, "task", "close")
	if r := <-waits.ended; r.envelope(t).Code != wire.CodeInterrupted {
		t.Errorf("the command that ran: %s", r)
	}
	e = h.fails(t, wire.CodeBuildDiffers, "task", "get", "url")
	if !strings.Contains(e.Hint, "abrowser browser stop") {
		t.Errorf("the hint for a browser of another protocol is %q", e.Hint)
	}
	h.binary = current
	if got := h.text(t, "task", "get", "url"); got != s.URL("/page/one") {
		t.Errorf("after the older command the page is at %s", got)
	}
	h.binary = older
	h.text(t, "task", "browser", "stop")
	h.text(t, "task", "open", s.URL("/page/two"))
	h.binary = current
	e = h.fails(t, wire.CodeBuildDiffers, "next", "open", s.URL("/page/three"))
	if !strings.Contains(e.Hint, "abrowser browser stop") {
		t.Errorf("the hint for a browser of an older protocol is %q", e.Hint)
	}
}
