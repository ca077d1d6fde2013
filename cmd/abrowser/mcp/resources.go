package mcp

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/abrowser/abrowser/cmd/abrowser/ask"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// addSwitch adds the tool that brings more tools.
func (s *server) addSwitch() {
	schema := map[string]any{
		"type": "object", "required": []string{"group"}, "additionalProperties": false,
		"properties": map[string]any{
			"group":   map[string]any{"type": "string", "enum": Groups(), "description": "which tools to add"},
			"session": map[string]any{"type": "string", "description": "accepted; the tools are there for all"}, "sessionId": map[string]any{"type": "string", "description": "the same as session"},
		},
	}
	no := false
	s.mcp.AddTool(&mcp.Tool{
		Name: "enable_tools", InputSchema: schema, Annotations: &mcp.ToolAnnotations{DestructiveHint: &no, IdempotentHint: true},
		Description: "Add a group of tools: interaction, inspection, tabs, sessions, browser, or all",
	}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var in struct{ Group string }
		_ = json.Unmarshal(r.Params.Arguments, &in) // an empty group is refused
		if err := s.enable(in.Group); err != nil {
			return failure(call{session: s.now()}, err, ask.Aside{}), nil
		}
		return success(call{session: s.now(), chosen: true}, answer{out: said{map[string]any{"group": in.Group}, "the tools of " + in.Group + " are there"}}), nil
	})
}

const (
	resourceSessions = "abrowser://sessions"
	resourceSession  = "abrowser://session/"
)

// addResources adds what a person would look at: the sessions, and the page of one.
func (s *server) addResources() {
	s.mcp.AddResource(&mcp.Resource{
		URI: resourceSessions, Name: "sessions", MIMEType: "application/json", Description: "all sessions, with those that left tabs for review",
	}, func(ctx context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		list, err := s.sessions(ctx)
		if err != nil {
			return nil, err
		}
		list.CurrentSession = s.now()
		raw, err := json.Marshal(list)
		return contents(r.Params.URI, "application/json", string(raw)), err
	})
	s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: resourceSession + "{session}/snapshot", Name: "snapshot", MIMEType: "text/plain", Description: "what is on a session's page",
	}, func(ctx context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		name, _ := strings.CutSuffix(strings.TrimPrefix(r.Params.URI, resourceSession), "/snapshot")
		c := call{ctx: ctx, tool: tool{verb: verbs.Snapshot}, session: name, chosen: true}
		if err := s.exists(c); err != nil {
			return nil, mcp.ResourceNotFoundError(r.Params.URI)
		}
		a, err := s.ask(c)
		if err != nil {
			return nil, err
		}
		text, _ := a.out.(wire.Texter)
		return contents(r.Params.URI, "text/plain", text.Text()), nil
	})
	s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: resourceSession + "{session}/log", Name: "log", MIMEType: "application/jsonl", Description: "what a session was asked for, a line a command",
	}, func(ctx context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		name, _ := strings.CutSuffix(strings.TrimPrefix(r.Params.URI, resourceSession), "/log")
		a, err := s.ask(call{ctx: ctx, tool: tool{verb: verbs.SessionLog}, session: name, chosen: true})
		if err != nil {
			return nil, mcp.ResourceNotFoundError(r.Params.URI)
		}
		text, _ := a.out.(wire.Texter)
		return contents(r.Params.URI, "application/jsonl", text.Text()), nil
	})
}

func contents(uri, kind, text string) *mcp.ReadResourceResult {
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: kind, Text: text}}}
}
