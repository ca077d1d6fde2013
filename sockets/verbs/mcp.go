package verbs

import (
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// MCPIn is the input of [MCP].
type MCPIn struct {
	Tools []string `json:"tools,omitzero" help:"groups of tools to offer, separated by commas: core, interaction, inspection, tabs, sessions, browser or all"`
}

// MCP serves the other verbs to an MCP client.
var MCP = wire.Verb[MCPIn, Empty]{Spec: wire.Spec{
	Name: "mcp", Group: groupSession, Short: "Serve an MCP client on standard input and output until the input ends",
	Long:    "Every command is a tool there, and takes the session it is for. Without --tools the client is offered the core, and a tool that adds the others.",
	Example: "abrowser mcp --tools all", By: wire.ByCommand, NoStart: true,
}}

// MCPInstallIn is the input of [MCPInstall].
type MCPInstallIn struct {
	Client string   `json:"client,omitzero" arg:"0" enum:"claude-code|claude-desktop|codex|cursor|gemini|vscode|windsurf" help:"the client; without one all are shown"`
	Write  bool     `json:"write,omitzero" help:"add it to the client's file, in which all else stays as it is"`
	Tools  []string `json:"tools,omitzero" help:"groups of tools to offer, as of mcp"`
}

// MCPClient is what belongs in the file of an MCP client.
type MCPClient struct {
	Client  string `json:"client"`
	File    string `json:"file"`
	Config  string `json:"config"`
	Written bool   `json:"written"`
}

// MCPInstallOut is what [MCPInstall] answers.
type MCPInstallOut struct {
	Clients []MCPClient `json:"clients"`
}

// Text is each file with what belongs in it.
func (o MCPInstallOut) Text() string {
	var all []string
	for _, c := range o.Clients {
		text := "# " + c.Client + ": " + c.File + "\n" + strings.TrimRight(c.Config, "\n")
		if c.Written {
			text = "abrowser is in " + c.File + "; " + c.Client + " finds it when it starts again"
		}
		all = append(all, text)
	}
	return strings.Join(all, "\n\n")
}

// MCPInstall tells MCP clients of us.
var MCPInstall = wire.Verb[MCPInstallIn, MCPInstallOut]{Spec: wire.Spec{
	Name: "mcp install", Group: groupSession, Short: "Print, or add with --write, what an MCP client needs to start abrowser",
	Example: "abrowser mcp install cursor --write", By: wire.ByCommand, NoStart: true,
}}
