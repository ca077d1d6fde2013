//go:build linux

package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
)

// MCP tools can set policies, emulate a device and record a HAR. Some clients send objects and
// numbers as text, and the tools accept these too. A policy says how a request of the page is
// answered, for example a request for the camera. If no policy answers the request, the result of
// the tool call has "ok": false.
func TestMCPPolicies(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	har := filepath.Join(h.Outer, "a.har")
	c := dialMCP(t, h, "--tools", "all")
	c.must("start_browser", map[string]any{
		"sessionId": "a", "device": "Pixel 7", "viewport": map[string]any{"width": 500, "height": 400}, "har": har, "navigationUrl": s.URL("/asks"),
	})
	act := func(button, told string) map[string]any {
		t.Helper()
		members := c.must("click", map[string]any{"session": "a", "selector": "#" + button})
		next := c.must("wait", map[string]any{"session": "a", "text": button + ": " + told})
		if members["records"] == nil {
			members = next
		}
		return members
	}
	raised := act("camera", "NotAllowedError")
	records, _ := raised["records"].([]any)
	if raised["ok"] != false || len(records) != 1 || !strings.Contains(raised["warning"].(string), "abrowser policy permission allow camera") {
		t.Errorf("raised: %v", raised)
	}
	set := func(tool string, args map[string]any) map[string]any {
		t.Helper()
		args["session"] = "a"
		return c.must(tool, args)
	}
	set("set_permission_policy", map[string]any{"mode": "raise", "perPermission": map[string]any{"camera": "allow"}})
	set("set_notification_policy", map[string]any{"mode": "allow"})
	set("set_fs_picker_policy", map[string]any{"mode": "raise", "perAPI": `{"showSaveFilePicker":"deny"}`})
	set("fs_picker_respond", map[string]any{"api": "showOpenFilePicker", "files": []any{map[string]any{"name": "a.txt", "contents": "given"}}})
	set("set_dialog_policy", map[string]any{"mode": "accept-prompt-with", "text": "Ada"})
	if allowed := act("camera", "video"); allowed["ok"] != true {
		t.Errorf("allowed: %v", allowed)
	}
	act("notify", "shown true")
	act("pick", "a.txt given")
	act("save", "AbortError")
	if got := c.must("set_viewport", map[string]any{"session": "a", "width": "600", "height": 300})["width"]; got != float64(600) {
		t.Errorf("the width is %v", got)
	}
	c.must("open", map[string]any{"session": "a", "url": s.URL("/dialogs")})
	c.must("click", map[string]any{"session": "a", "selector": "#prompt"})
	c.must("wait", map[string]any{"session": "a", "text": "prompt Ada"})
	if got := c.must("stop_har", map[string]any{"session": "a"}); got["path"] != har || got["requestCount"].(float64) < 2 {
		t.Errorf("stop_har: %v", got)
	}
	if _, text, failed := c.call("set_dialog_policy", map[string]any{"session": "a", "mode": "accept-prompt-with"}); !failed || !strings.Contains(text, "requires text") {
		t.Errorf("without a text: %s", text)
	}
	if _, text, failed := c.call("open_session", map[string]any{"session": "b", "hars": []any{"none.har"}}); !failed || !strings.Contains(text, "HAR replay file not found") {
		t.Errorf("hars that are not there: %s", text)
	}
	// The failed open_session has not created session b, so b can be opened now. The sequence sets
	// the same policies and does similar actions in a single call.
	c.must("open_session", map[string]any{"session": "b", "navigationUrl": s.URL("/asks")})
	picture := filepath.Join(h.Outer, "b.png")
	out := c.must("execute_sequence", map[string]any{"session": "b", "actions": []any{
		map[string]any{"action": "set_permission_policy", "mode": "raise", "perPermission": map[string]any{"camera": "allow"}},
		map[string]any{"action": "set_notification_policy", "mode": "allow"},
		map[string]any{"action": "set_dialog_policy", "mode": "accept"},
		map[string]any{"action": "set_fs_picker_policy", "mode": "allow"},
		map[string]any{"action": "fs_picker_respond", "api": "showOpenFilePicker", "files": []any{map[string]any{"name": "b.txt", "contents": "more"}}},
		map[string]any{"action": "click_element", "selector": "#camera"},
		map[string]any{"action": "wait", "text": "camera: video"},
		map[string]any{"action": "click_element", "selector": "#notify"},
		map[string]any{"action": "wait", "text": "notify: shown true"},
		map[string]any{"action": "click_element", "selector": "#pick"},
		map[string]any{"action": "wait", "text": "pick: b.txt more"},
		map[string]any{"action": "screenshot", "path": picture},
	}})
	if made, err := os.ReadFile(picture); out["completed"] != 12.0 || out["ok"] != true || len(out["records"].([]any)) != 3 || err != nil || !strings.HasPrefix(string(made), "\x89PNG") {
		t.Errorf("the sequence answers %v; the picture: %v", out, err)
	}
}
