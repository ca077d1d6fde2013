package mcpsetup

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// The versions of the other servers are the ones that are tested with abrowser.
func TestThroughVersions(t *testing.T) {
	raw, err := os.ReadFile("../tools/testdata/package.json")
	if err != nil {
		t.Fatal(err)
	}
	var tested struct{ Dependencies map[string]string }
	if err := json.Unmarshal(raw, &tested); err != nil {
		t.Fatal(err)
	}
	for tool, command := range throughCommands() {
		at := strings.LastIndex(command[2], "@")
		if name, version := command[2][:at], command[2][at+1:]; tested.Dependencies[name] != version {
			t.Errorf("%s is %s@%s, tested with %q", tool, name, version, tested.Dependencies[name])
		}
	}
}

// In the configuration that Through returns, the MCP client starts another MCP server, such as
// Playwright's, through `abrowser cdp`, in the session that the flags choose.
func TestThrough(t *testing.T) {
	s, ok := Through("playwright-mcp", "/opt/abrowser", []string{"--session", "a"})
	text, err := client(t, "cursor").Text(s)
	want := []string{"--session", "a", "cdp", "--", "npx", "-y", "@playwright/mcp@0.0.83", "--cdp-endpoint", "{cdp}"}
	if !ok || err != nil || !slices.Equal(s.Args, want) || !strings.Contains(text, `"playwright-mcp": {`) {
		t.Errorf("Through = %v, %t, and the file %s (%v)", s, ok, text, err)
	}
	if _, ok := Through("emacs", "/opt/abrowser", nil); ok {
		t.Error("an unknown tool was found")
	}
}
