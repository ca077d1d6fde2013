// Package mcpsetup adds abrowser, or another MCP server that drives a session of abrowser, to the
// configuration files of common MCP clients.
//
// It contains the path of each client's file and the format in which the file lists servers. It
// starts no client and no server. Package roles uses it, for abrowser mcp install. The invariant:
// everything else in a file stays as it is, including comments, and a file that cannot be parsed is
// not written.
package mcpsetup

import (
	"encoding/json"
	"path/filepath"
)

// Client is a program that starts MCP servers.
type Client struct {
	Name string
	dir  base
	file string // below dir
	// key is the name of the JSON file's member that lists the servers. It is empty for a TOML
	// file. typed means that the entry of each server names its transport.
	key   string
	typed bool
}

// base is the directory to which the path of a client's file is relative.
type base int

const (
	inHome    base = iota
	inConfig       // the user's directory for configuration
	inProject      // the working directory
)

// Clients returns the known clients, ordered by name.
func Clients() []Client {
	return []Client{
		{Name: "claude-code", dir: inProject, file: ".mcp.json", key: "mcpServers"},
		{Name: "claude-desktop", dir: inConfig, file: "Claude/claude_desktop_config.json", key: "mcpServers"},
		{Name: "codex", file: ".codex/config.toml"},
		{Name: "cursor", file: ".cursor/mcp.json", key: "mcpServers"},
		{Name: "gemini", file: ".gemini/settings.json", key: "mcpServers"},
		{Name: "vscode", dir: inConfig, file: "Code/User/mcp.json", key: "servers", typed: true},
		{Name: "windsurf", file: ".codeium/windsurf/mcp_config.json", key: "mcpServers"},
	}
}

// Dirs are the user's directories. All are absolute.
type Dirs struct{ Home, Config, Project string }

// File returns the path of the client's file.
func (c Client) File(d Dirs) string {
	return filepath.Join(map[base]string{inHome: d.Home, inConfig: d.Config, inProject: d.Project}[c.dir], filepath.FromSlash(c.file))
}

// Server is the command with which a client starts an MCP server.
type Server struct {
	Name    string // its name in the client's file: letters, digits and -
	Command string // the executable, absolute, since clients may have another PATH
	Args    []string
}

// entry is a server in a JSON file.
type entry struct {
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

func (c Client) entry(s Server) entry {
	e := entry{Command: s.Command, Args: s.Args}
	if c.typed {
		e.Type = "stdio"
	}
	return e
}

// Text returns the content of a client's file that lists this server alone.
func (c Client) Text(s Server) (string, error) {
	if c.key == "" {
		return toml(s), nil
	}
	text, err := json.MarshalIndent(map[string]map[string]entry{c.key: {s.Name: c.entry(s)}}, "", "  ")
	return string(text) + "\n", err
}
