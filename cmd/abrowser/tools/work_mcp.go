package tools

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// toolCall calls a tool of an MCP server and returns the text of the result.
type toolCall func(tool string, args map[string]any) (string, error)

// withMCP starts an MCP server, and ends it after use has returned.
func (w Work) withMCP(ctx context.Context, use func(toolCall) error, command ...string) error {
	client := mcp.NewClient(&mcp.Implementation{Name: "work", Version: "1"}, nil)
	s, err := client.Connect(ctx, &mcp.CommandTransport{Command: w.command(ctx, command[0], command[1:]...)}, nil)
	if err != nil {
		return err
	}
	err = use(func(tool string, args map[string]any) (string, error) {
		if args == nil {
			args = map[string]any{} // the servers refuse a call without arguments
		}
		result, err := s.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
		if err != nil {
			return "", fmt.Errorf("%s: %w", tool, err)
		}
		var text strings.Builder
		for _, part := range result.Content {
			if said, ok := part.(*mcp.TextContent); ok {
				text.WriteString(said.Text + "\n")
			}
		}
		if result.IsError {
			return "", fmt.Errorf("%s: %s", tool, &text)
		}
		return text.String(), nil
	})
	if closing := s.Close(); err == nil {
		err = closing
	}
	return err
}

func (w Work) runPlaywrightMCP(ctx context.Context) (took []time.Duration, err error) {
	err = w.withMCP(ctx, func(call toolCall) error {
		took, err = w.repeat(func(text string) error {
			for _, step := range []struct {
				tool string
				args map[string]any
			}{
				{"browser_navigate", map[string]any{"url": w.Form}},
				{"browser_snapshot", nil},
				{"browser_type", map[string]any{"target": "#name", "element": "name", "text": text}},
				{"browser_click", map[string]any{"target": "#" + w.Button, "element": "button"}},
			} {
				if _, err := call(step.tool, step.args); err != nil {
					return err
				}
			}
			page, err := call("browser_snapshot", nil)
			if err == nil {
				err = shows(page, text)
			}
			if err == nil {
				_, err = call("browser_take_screenshot", map[string]any{"filename": "page.png"})
			}
			return err
		})
		if err != nil {
			return err
		}
		list, err := call("browser_tabs", map[string]any{"action": "list"})
		if err != nil {
			return err
		}
		return w.onlyOwn(list)
	}, "node", filepath.Join(w.Modules, "@playwright", "mcp", "cli.js"), "--cdp-endpoint", w.Endpoint, "--output-dir", w.Dir)
	return took, err
}

func (w Work) runDevToolsMCP(ctx context.Context) (took []time.Duration, err error) {
	err = w.withMCP(ctx, func(call toolCall) error {
		made, err := call("new_page", map[string]any{"url": w.Form})
		if err != nil {
			return err
		}
		match := regexp.MustCompile(`(?m)^(\d+): .*\[selected\]`).FindStringSubmatch(made)
		if match == nil {
			return fmt.Errorf("new_page: no page is selected in\n%s", made)
		}
		number, err := strconv.Atoi(match[1])
		if err != nil {
			return err
		}
		on := func(args map[string]any) map[string]any {
			args["pageId"] = number
			return args
		}
		took, err = w.repeat(func(text string) error {
			if _, err := call("navigate_page", on(map[string]any{"type": "url", "url": w.Form})); err != nil {
				return err
			}
			page, err := call("take_snapshot", on(map[string]any{}))
			if err != nil {
				return err
			}
			field, button := uid(page, "textbox", "name"), uid(page, "", w.Label)
			if _, err := call("fill", on(map[string]any{"uid": field, "value": text})); err != nil {
				return err
			}
			if _, err := call("click", on(map[string]any{"uid": button})); err != nil {
				return err
			}
			if page, err = call("take_snapshot", on(map[string]any{})); err == nil {
				err = shows(page, text)
			}
			if err == nil {
				_, err = call("take_screenshot", on(map[string]any{"filePath": filepath.Join(w.Dir, "page.png")}))
			}
			return err
		})
		if err != nil {
			return err
		}
		list, err := call("list_pages", nil)
		if err != nil {
			return err
		}
		return w.onlyOwn(list)
	}, "node", filepath.Join(w.Modules, "chrome-devtools-mcp", "build", "src", "bin", "chrome-devtools-mcp.js"), "--wsEndpoint", w.Endpoint, "--workspace", w.Dir)
	return took, err
}

// uid returns the id of an element in a snapshot of chrome-devtools-mcp, or "". role may be empty.
func uid(snapshot, role, label string) string {
	if role == "" {
		role = "[a-z]+"
	}
	match := regexp.MustCompile(`(?i)uid=(\S+) ` + role + ` "` + regexp.QuoteMeta(label) + `"`).FindStringSubmatch(snapshot)
	if match == nil {
		return ""
	}
	return match[1]
}
