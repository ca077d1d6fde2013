package wire

// MCPIn is the input of [MCP].
type MCPIn struct {
	Tools []string `json:"tools,omitzero" help:"groups of tools to offer, separated by commas: core, interaction, inspection, tabs, sessions, browser or all"`
}

// MCP serves the other verbs to an MCP client.
var MCP = Verb[MCPIn, Nothing]{Doc{
	Name: "mcp", Group: groupSession, Short: "Serve an MCP client on standard input and output until the input ends",
	Long:    "Every command is a tool there, and takes the session it is for. Without --tools the client is offered the core, and a tool that adds the others.",
	Example: "abrowser mcp --tools all", By: ByCommand, Idle: true,
}}
