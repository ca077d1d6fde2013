package verbs

import (
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// MCPIn is the input of [MCP].
type MCPIn struct {
	Tools []string `json:"tools,omitzero" help:"groups of tools to offer, separated by commas: core, interaction, inspection, tabs, state, sessions, browser or all"`
}

// MCP serves the other verbs to an MCP client.
var MCP = wire.Verb[MCPIn, Empty]{Spec: wire.Spec{
	Name: "mcp", NoPolicy: true, Group: groupSession, Short: "Serve an MCP client on standard input and output until the input ends",
	Long:    "Every command is a tool with a parameter for the session. Without --tools the server offers the core tools, and a tool that adds the others.",
	Example: "abrowser mcp --tools all", By: wire.ByCommand, NoStart: true,
}}

// MCPInstallIn is the input of [MCPInstall].
type MCPInstallIn struct {
	Client string   `json:"client,omitzero" arg:"0" enum:"claude-code|claude-desktop|codex|cursor|gemini|vscode|windsurf" help:"the client; the default is to show all"`
	Write  bool     `json:"write,omitzero" help:"add abrowser to the client's file; the rest of the file is not changed"`
	Tools  []string `json:"tools,omitzero" help:"groups of tools to offer, as for abrowser mcp"`
	// Through is the name of an MCP server that does not belong to abrowser. That server uses a
	// session of abrowser as its browser.
	Through string `json:"through,omitzero" enum:"playwright-mcp|chrome-devtools-mcp" help:"another MCP server, which drives a session of abrowser by CDP"`
}

// MCPClient is the configuration of an MCP client.
type MCPClient struct {
	Client  string `json:"client"`
	Server  string `json:"server"` // the server's name in the file
	File    string `json:"file"`
	Config  string `json:"config"`
	Written bool   `json:"written"`
}

// MCPInstallOut is the output of [MCPInstall].
type MCPInstallOut struct {
	Clients []MCPClient `json:"clients"`
}

// Text returns, for each client, the path of its file and the configuration. If the file was
// changed, Text says so instead.
func (o MCPInstallOut) Text() string {
	var all []string
	for _, c := range o.Clients {
		text := "# " + c.Client + ": " + c.File + "\n" + strings.TrimRight(c.Config, "\n")
		if c.Written {
			text = "added " + c.Server + " to " + c.File + "; restart " + c.Client
		}
		all = append(all, text)
	}
	return strings.Join(all, "\n\n")
}

// MCPInstall prints the configuration of MCP clients for abrowser, or adds it to their files.
var MCPInstall = wire.Verb[MCPInstallIn, MCPInstallOut]{Spec: wire.Spec{
	Name: "mcp install", Group: groupSession, Short: "Print the configuration of an MCP client, or add it with --write",
	Example: "abrowser mcp install cursor --write", By: wire.ByCommand, NoStart: true,
}}
