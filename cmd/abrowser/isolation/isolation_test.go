//go:build linux

package isolation_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
)

// A Playwright program makes settings on the page and context of a session. The settings never
// apply to another session, no matter which of the two sessions was opened first. When the
// program's connection is closed, the settings do not apply to the program's session any more.
func TestSettingsStayInTheirSession(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	address := s.URL("/page/seen")
	h.Text(t, "as-it-is", "open", address)
	base := observed(t, h, "as-it-is")

	h.Text(t, "before", "open", address)
	h.Text(t, "set", "open", address)
	program := settingsOf(t, h, "set")
	for name, value := range program.seen {
		// abrowser does not let the program grant permissions, so these two stay unchanged. The
		// program must have changed every other setting.
		if reflect.DeepEqual(value, base[name]) && !(name == "geolocation" || name == "notifications") {
			t.Errorf("the program has not changed the setting %s, which is %v: the test checks nothing", name, value)
		}
	}
	if program.refused != "refused" {
		t.Errorf("permissions for all sessions were %s", program.refused)
	}
	sees(t, h, "before", base)
	h.Text(t, "before", "reload")
	sees(t, h, "before", base)
	h.Text(t, "after", "open", address)
	sees(t, h, "after", base)

	// The program is killed while its settings are in effect.
	if err := program.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = program.cmd.Wait() // the error is that it was killed
	var now map[string]any
	if !e2e.Await(e2e.CommandDeadline/3, func() bool {
		h.Text(t, "set", "reload")
		now = observed(t, h, "set")
		return reflect.DeepEqual(now, base)
	}) {
		t.Errorf("after the program's end its session's page differs: %s", differing(now, base))
	}
}

// observed returns the settings that the session's page observes, by name.
func observed(t *testing.T, h *e2e.Home, session string) map[string]any {
	t.Helper()
	script, err := os.ReadFile(filepath.Join("testdata", "isolation", "observe.js"))
	if err != nil {
		t.Fatal(err)
	}
	var seen map[string]any
	if err := json.Unmarshal(e2e.Ask[verbs.EvalOut](t, h, session, "eval", string(script)).Result, &seen); err != nil {
		t.Fatal(err)
	}
	return seen
}

// sees checks that the session's page observes the settings in the map want.
func sees(t *testing.T, h *e2e.Home, session string, want map[string]any) {
	t.Helper()
	if seen := observed(t, h, session); !reflect.DeepEqual(seen, want) {
		t.Errorf("session %s sees another's settings: %s", session, differing(seen, want))
	}
}

// differing describes the settings that differ from those in the map want.
func differing(got, want map[string]any) string {
	text := ""
	for name := range want {
		if !reflect.DeepEqual(got[name], want[name]) {
			text += fmt.Sprintf("%s is %v, want %v; ", name, got[name], want[name])
		}
	}
	return text
}

// setting is the running program testdata/isolation/settings.js, and what it has reported.
type setting struct {
	cmd     *exec.Cmd
	seen    map[string]any // the settings that its page observes
	refused string         // the outcome of its grantPermissions: "refused" or "granted"
}

// settingsOf starts the program at a session's endpoint and waits until it has made its settings.
// The program is killed when the test ends.
func settingsOf(t *testing.T, h *e2e.Home, session string) setting {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("testdata", "isolation"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", filepath.Join(dir, "settings.js"),
		filepath.Join(os.Getenv(e2e.EnvDriver), "package"), h.Text(t, session, "get", "cdp-url"), filepath.Join(dir, "observe.js"))
	cmd.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
	cmd.Stderr = os.Stderr
	cmd.WaitDelay = 5 * time.Second
	if _, err := cmd.StdinPipe(); err != nil { // the program runs until its input is closed
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := make(chan []byte, 1)
	go func() {
		line, _ := bufio.NewReader(out).ReadBytes('\n') // a partial line is not valid JSON
		said <- line
	}()
	program := setting{cmd: cmd}
	select {
	case line := <-said:
		var all struct {
			Seen    map[string]any
			Refused string
		}
		if err := json.Unmarshal(line, &all); err != nil {
			t.Fatalf("the program said %q: %v", line, err)
		}
		program.seen, program.refused = all.Seen, all.Refused
	case <-time.After(e2e.CommandDeadline):
		t.Fatal("the program does not report its settings")
	}
	return program
}
