//go:build linux

package main_test

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
)

// mcpClient is an MCP client and the process `abrowser mcp` that serves only this client.
type mcpClient struct {
	t       *testing.T
	session *mcp.ClientSession
	process *exec.Cmd
	changed chan struct{} // receives a value when the list of tools changes
}

// dialMCP starts `abrowser mcp` outside of any task, and connects a client to it.
func dialMCP(t *testing.T, h *e2e.Home, args ...string) *mcpClient {
	t.Helper()
	return dialMCPOf(t, h, "", args...)
}

// dialMCPOf starts `abrowser mcp` with the given arguments in the environment of a task, and
// connects a client to it.
func dialMCPOf(t *testing.T, h *e2e.Home, task string, args ...string) *mcpClient {
	t.Helper()
	c := &mcpClient{t: t, process: h.Prepared(context.WithoutCancel(t.Context()), task, append([]string{"mcp"}, args...)...), changed: make(chan struct{}, 1)}
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {
			select {
			case c.changed <- struct{}{}:
			default:
			}
		},
	})
	var err error
	if c.session, err = client.Connect(t.Context(), &mcp.CommandTransport{Command: c.process}, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.leave)
	return c
}

// leave disconnects the client by closing the server's input, and waits until the server has
// ended. It does nothing if the server has already ended.
func (c *mcpClient) leave() {
	if c.process.ProcessState != nil {
		return
	}
	if err := c.session.Close(); err != nil {
		c.t.Errorf("the server ended with %v", err)
	}
}

// call calls a tool. It returns the structured content and the text of the result, and whether the
// result is an error.
func (c *mcpClient) call(tool string, args map[string]any) (members map[string]any, text string, failed bool) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.t.Context()), e2e.CommandDeadline)
	defer cancel()
	result, err := c.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		c.t.Errorf("%s: %v", tool, err)
		return nil, "", true
	}
	for _, part := range result.Content {
		if said, ok := part.(*mcp.TextContent); ok {
			text += said.Text
		}
	}
	members, _ = result.StructuredContent.(map[string]any)
	return members, text, result.IsError
}

func (c *mcpClient) must(tool string, args map[string]any) map[string]any {
	c.t.Helper()
	members, text, failed := c.call(tool, args)
	if failed {
		c.t.Fatalf("%s(%v): %s", tool, args, text)
	}
	return members
}

func (c *mcpClient) tools() []string {
	c.t.Helper()
	var names []string
	for tool, err := range c.session.Tools(c.t.Context(), nil) {
		if err != nil {
			c.t.Fatal(err)
		}
		names = append(names, tool.Name)
	}
	return names
}

// Two callers can use one MCP server at the same time, if they name different sessions: each
// session has its own page.
func TestMCPSessionsSideBySide(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewRacedHome(t)
	c := dialMCP(t, h)
	var work sync.WaitGroup
	for _, session := range []string{"alice", "bob"} {
		work.Go(func() {
			c.must("open_session", map[string]any{"session": session, "navigationUrl": s.URL("/page/" + session)})
			for range 5 {
				_, text, failed := c.call("eval", map[string]any{"sessionId": session, "script": "location.pathname"})
				if failed || text != `"/page/`+session+`"` {
					t.Errorf("%s is at %s", session, text)
				}
			}
		})
	}
	work.Wait()
	list := c.must("list_sessions", nil)
	if n := len(list["sessions"].([]any)); n != 2 {
		t.Errorf("%d sessions, want 2: %v", n, list)
	}
	if url := h.Text(t, "alice", "get", "url"); url != s.URL("/page/alice") {
		t.Errorf("from the command line alice is at %s", url)
	}
}

func TestMCPTools(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	c := dialMCP(t, h)
	if names := c.tools(); !slices.Contains(names, "snapshot") || slices.Contains(names, "hover") {
		t.Errorf("the core is %q", names)
	}
	c.must("enable_tools", map[string]any{"group": "all"})
	select {
	case <-c.changed:
	case <-time.After(e2e.CommandDeadline):
		t.Error("the client got no notification that the list of tools changed")
	}
	if names := c.tools(); !slices.Contains(names, "hover") || !slices.Contains(names, "get_visible_elements") {
		t.Errorf("all are %q", names)
	}
	c.must("navigate", map[string]any{"url": s.URL("/form")})
	if got := c.must("get_title", nil)["sessionId"]; got != "default" {
		t.Errorf("a call without a session was answered by %v", got)
	}
	for _, tt := range []struct {
		tool string
		args map[string]any
		want string // part of the text; "error: " at its beginning means that the call must fail
	}{
		{"get_title", map[string]any{"session": "nobody"}, "error: No session: nobody"},
		{"get_title", map[string]any{"session": "a", "sessionId": "b"}, "error: give one of them"},
		{"get_title", map[string]any{"session": "../x"}, "error: ../x"},
		{"get_title", map[string]any{"bogus": 1}, `error: get_title takes no "bogus"`},
		{"click", nil, "error: selector is missing"},
		{"set_current_session", map[string]any{"session": "nobody"}, "error: No session: nobody"},
		{"wait", map[string]any{"what": "1", "timeout": "5000"}, ""},
		{"wait", map[string]any{"what": "1", "timeout": "soon"}, "error: timeout"},
		{"snapshot", map[string]any{"interactive": "true"}, "[session default]"},
		{"open_session", map[string]any{"session": "default"}, "error: Session 'default' already exists"},
		{"open_session", map[string]any{"session": "odd", "mode": "secret"}, `error: mode is "secret"; it takes shared, incognito, persistent, attached`},
		// The refused open_session has not started the session.
		{"get_title", map[string]any{"session": "odd"}, "error: No session: odd"},
		{"start_browser", nil, "session browser-1 is open"},
		{"start_browser", nil, "session browser-2 is open"},
		{"set_current_session", map[string]any{"session": "browser-2"}, "browser-2"},
		{"get_url", nil, "[session browser-2]"},
		{"execute_sequence", map[string]any{"session": "default", "actions": []any{
			map[string]any{"action": "get_title"}, map[string]any{"action": "click", "selector": "#none", "timeout": 300}, map[string]any{"action": "get_url"},
		}}, "error: 1 of 3 done; action 2 (click) failed"},
		{"execute_sequence", map[string]any{"actions": `[{"action":"get_url"}]`}, "1 of 1 done"},
		{"execute_sequence", map[string]any{"actions": []any{map[string]any{"action": "fly"}}}, `error: action 1: there is no action "fly"`},
		{"close_sessions", map[string]any{"prefix": "browser-", "idleMs": "3600000"}, "skipped: browser-1, browser-2"},
		{"enable_tools", map[string]any{"group": "some"}, "error: unknown group"},
	} {
		_, text, failed := c.call(tt.tool, tt.args)
		want, fails := strings.CutPrefix(tt.want, "error: ")
		if failed != fails || !strings.Contains(text, want) {
			t.Errorf("%s(%v): %v %q, want %q", tt.tool, tt.args, failed, text, tt.want)
		}
	}
	t.Run("a cancelled call ends in the daemon", func(t *testing.T) {
		running := func() string { return e2e.Ask[verbs.StatusOut](t, h, "default", "status").Command }
		ctx, cancel := context.WithCancel(t.Context())
		answered := make(chan error, 1)
		go func() {
			_, err := c.session.CallTool(ctx, &mcp.CallToolParams{Name: "click", Arguments: map[string]any{"session": "default", "selector": "#none", "timeout": 600_000}})
			answered <- err
		}()
		if !e2e.Await(e2e.CommandDeadline, func() bool { return running() == "click" }) {
			t.Error("the click does not run")
		}
		cancel()
		if err := <-answered; err == nil {
			t.Error("the cancelled call has an answer")
		}
		if !e2e.Await(e2e.CommandDeadline, func() bool { return running() == "" }) {
			t.Error("the cancelled click continues")
		}
		c.must("get_title", map[string]any{"session": "default"})
	})
	result, err := c.session.CallTool(t.Context(), &mcp.CallToolParams{Name: "screenshot"})
	if err != nil || len(result.Content) == 0 {
		t.Fatalf("screenshot: %v %v", result, err)
	}
	if picture, ok := result.Content[0].(*mcp.ImageContent); !ok || picture.MIMEType != "image/png" || len(picture.Data) < 100 {
		t.Errorf("the screenshot is %T", result.Content[0])
	}
	read, err := c.session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "abrowser://session/default/snapshot"})
	if err != nil || !strings.Contains(read.Contents[0].Text, "textbox") {
		t.Errorf("the snapshot's resource: %+v %v", read, err)
	}
	began := time.Now()
	c.leave()
	if took := time.Since(began); took > 8*time.Second {
		t.Errorf("the server took %v to end with its input", took)
	}
}
