package mcp

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/abrowser/abrowser/cmd/abrowser/commands"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// addSwitch adds the tool enable_tools, which adds a group of tools.
func (s *server) addSwitch() {
	schema := map[string]any{
		"type": "object", "required": []string{"group"}, "additionalProperties": false,
		"properties": map[string]any{
			"group":   map[string]any{"type": "string", "enum": Groups(), "description": "which tools to add"},
			"session": map[string]any{"type": "string", "description": "accepted; the tools are added for all sessions"}, "sessionId": map[string]any{"type": "string", "description": "the same as session"},
		},
	}
	no := false
	s.mcp.AddTool(&mcp.Tool{
		Name: "enable_tools", InputSchema: schema, Annotations: &mcp.ToolAnnotations{DestructiveHint: &no, IdempotentHint: true},
		Description: "Add a group of tools: interaction, inspection, tabs, state, sessions, browser, or all",
	}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var in struct{ Group string }
		_ = json.Unmarshal(r.Params.Arguments, &in) // an empty group is refused
		if err := s.enable(in.Group); err != nil {
			return s.failure(call{session: s.currentSession()}, err, commands.Result{}), nil
		}
		out := customOutput{map[string]any{"group": in.Group}, "the tools of " + in.Group + " were added"}
		return s.success(call{session: s.currentSession(), named: true}, answer{Result: commands.Result{Output: out}}), nil
	})
}

const (
	resourceSessions = "abrowser://sessions"
	resourceSession  = "abrowser://session/"
)

// addResources adds the resources, which are for people: the list of sessions, and the page and log
// of each session.
func (s *server) addResources() {
	s.mcp.AddResource(&mcp.Resource{
		URI: resourceSessions, Name: "sessions", MIMEType: "application/json", Description: "all sessions, also those that have ended and left tabs for review",
	}, func(ctx context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		list, err := s.sessions(ctx)
		if err != nil {
			return nil, err
		}
		list.CurrentSession = s.currentSession()
		raw, err := json.Marshal(list)
		return contents(r.Params.URI, "application/json", string(raw)), err
	})
	s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: resourceSession + "{session}/snapshot", Name: "snapshot", MIMEType: "text/plain", Description: "the content of a session's page",
	}, func(ctx context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		name, _ := strings.CutSuffix(strings.TrimPrefix(r.Params.URI, resourceSession), "/snapshot")
		c := call{ctx: ctx, tool: tool{verb: verbs.Snapshot}, session: name, named: true}
		if err := s.checkExists(c); err != nil {
			return nil, mcp.ResourceNotFoundError(r.Params.URI)
		}
		a, err := s.do(&c)
		if err != nil {
			return nil, err
		}
		text, _ := a.Output.(wire.Texter)
		return contents(r.Params.URI, "text/plain", text.Text()), nil
	})
	s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: resourceSession + "{session}/log", Name: "log", MIMEType: "application/jsonl", Description: "the commands of a session, one a line",
	}, func(ctx context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		name, _ := strings.CutSuffix(strings.TrimPrefix(r.Params.URI, resourceSession), "/log")
		a, err := s.run(ctx, commands.Command{Session: name, Verb: verbs.SessionLog})
		if err != nil {
			return nil, mcp.ResourceNotFoundError(r.Params.URI)
		}
		text, _ := a.Output.(wire.Texter)
		return contents(r.Params.URI, "application/jsonl", text.Text()), nil
	})
}

func contents(uri, kind, text string) *mcp.ReadResourceResult {
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: kind, Text: text}}}
}
