package mcpsetup

import "slices"

// Through returns the configuration of another MCP server that works in a session of abrowser. MCP
// clients start the server through `abrowser cdp`, which passes the session's endpoint to it. The
// parameter program is the path of abrowser, and flags are flags of abrowser that choose the
// session. Through reports false if the tool is unknown.
func Through(tool, program string, flags []string) (Server, bool) {
	command, ok := throughCommands()[tool]
	return Server{Name: tool, Command: program, Args: slices.Concat(flags, []string{"cdp", "--"}, command)}, ok
}

// throughCommands returns the commands of other MCP servers. Their versions are those that package
// tools tests.
func throughCommands() map[string][]string {
	return map[string][]string{
		"playwright-mcp":      {"npx", "-y", "@playwright/mcp@0.0.83", "--cdp-endpoint", "{cdp}"},
		"chrome-devtools-mcp": {"npx", "-y", "chrome-devtools-mcp@1.11.0", "--wsEndpoint", "{cdp}"},
	}
}
