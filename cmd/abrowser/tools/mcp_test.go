//go:build linux

package tools

import (
	"context"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
)

// caller calls a tool of an MCP server and returns the text of the result.
type caller func(tool string, args map[string]any) string

// serveMCP runs an MCP server in a session until the test ends. The server is the program of
// `abrowser cdp`, which passes standard input and output through, as in the configuration of a
// client.
func (r *rig) serveMCP(t *testing.T, session, dir string, command ...string) caller {
	t.Helper()
	cmd := r.run(t, session, dir, command...)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	s, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	return func(tool string, args map[string]any) string {
		t.Helper()
		if args == nil {
			args = map[string]any{} // the servers refuse a call without arguments
		}
		ctx, cancel := context.WithTimeout(t.Context(), e2e.CommandDeadline)
		defer cancel()
		result, err := s.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
		if err != nil {
			t.Fatalf("%s: %v", tool, err)
		}
		var text strings.Builder
		for _, part := range result.Content {
			if said, ok := part.(*mcp.TextContent); ok {
				text.WriteString(said.Text + "\n")
			}
		}
		if result.IsError {
			t.Fatalf("%s: %s", tool, &text)
		}
		return text.String()
	}
}

// playwrightMCP uses @playwright/mcp. This tool does not fetch downloads, so a command of abrowser
// fetches the file.
func playwrightMCP(t *testing.T, r *rig, session, dir string) (f found) {
	call := r.serveMCP(t, session, dir, "node", filepath.Join(r.modules, "@playwright", "mcp", "cli.js"), "--cdp-endpoint", "{cdp}", "--output-dir", dir)
	open := func(path string) { call("browser_navigate", map[string]any{"url": r.site.URL(path)}) }
	click := func(selector string) string {
		return call("browser_click", map[string]any{"target": selector, "element": selector})
	}
	f.Before = addresses(call("browser_tabs", map[string]any{"action": "list"}))
	open("/form")
	f.Snapshot = call("browser_snapshot", nil)
	call("browser_type", map[string]any{"target": "#name", "element": "name", "text": "Ada"})
	click("#agree")
	click("#send")
	f.Sent = call("browser_snapshot", nil)
	call("browser_take_screenshot", map[string]any{"filename": "page.png"})
	f.Screenshot = size(t, filepath.Join(dir, "page.png"))
	open("/popups")
	click("#open")
	call("browser_tabs", map[string]any{"action": "select", "index": 1})
	f.Popup = call("browser_snapshot", nil)
	call("browser_tabs", map[string]any{"action": "select", "index": 0})
	open("/downloads")
	click("#a")
	f.Download = r.download(t, session, dir)
	open("/me")
	f.User = call("browser_snapshot", nil)
	f.After = addresses(call("browser_tabs", map[string]any{"action": "list"}))
	return f
}

// devtoolsMCP uses chrome-devtools-mcp. A command of abrowser fetches the download, since this tool
// does not.
func devtoolsMCP(t *testing.T, r *rig, session, dir string) (f found) {
	call := r.serveMCP(t, session, dir, "node", filepath.Join(r.modules, "chrome-devtools-mcp", "build", "src", "bin", "chrome-devtools-mcp.js"),
		"--wsEndpoint", "{cdp}", "--workspace", dir)
	page := func(number int, args map[string]any) map[string]any {
		if args == nil {
			args = map[string]any{}
		}
		args["pageId"] = number
		return args
	}
	open := func(path string) {
		call("navigate_page", page(1, map[string]any{"type": "url", "url": r.site.URL(path)}))
	}
	// uid returns the id of an element in the newest snapshot.
	uid := func(label string) string {
		snapshot := call("take_snapshot", page(1, nil))
		match := regexp.MustCompile(`uid=(\S+) [a-z]+ " ?` + label + ` ?"`).FindStringSubmatch(snapshot) // Chromium 148 keeps the space beside a label
		if match == nil {
			t.Fatalf("no %s in the snapshot\n%s", label, snapshot)
		}
		return match[1]
	}
	click := func(label string) { call("click", page(1, map[string]any{"uid": uid(label)})) }
	f.Before = addresses(call("list_pages", nil))
	call("new_page", map[string]any{"url": r.site.URL("/form")})
	f.Snapshot = call("take_snapshot", page(1, nil))
	call("fill", page(1, map[string]any{"uid": uid("Name"), "value": "Ada"}))
	click("I agree")
	click("Send")
	f.Sent = call("take_snapshot", page(1, nil))
	call("take_screenshot", page(1, map[string]any{"filePath": filepath.Join(dir, "page.png")}))
	f.Screenshot = size(t, filepath.Join(dir, "page.png"))
	open("/popups")
	click("window.open")
	// click does not wait for the page that it opens.
	if !e2e.Await(e2e.CommandDeadline/2, func() bool { return strings.Contains(call("list_pages", nil), "2: ") }) {
		t.Fatal("no second page")
	}
	f.Popup = call("take_snapshot", page(2, nil))
	open("/downloads")
	click("Report A")
	f.Download = r.download(t, session, dir)
	open("/me")
	f.User = call("take_snapshot", page(1, nil))
	f.After = addresses(call("list_pages", nil))
	return f
}

// download returns the content of the file that the session's page has downloaded.
func (r *rig) download(t *testing.T, session, dir string) string {
	t.Helper()
	file := filepath.Join(dir, "report.txt")
	r.Text(t, session, "wait", "--download", file)
	return content(t, file)
}
