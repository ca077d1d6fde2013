// Package mcpsetup knows where the common MCP clients keep which servers they start,
// and adds abrowser there.
package mcpsetup

import (
	"encoding/json"
	"path/filepath"
)

// Name is what the server is called in a client's file.
const Name = "abrowser"

// Client is a program that starts MCP servers.
type Client struct {
	Name string
	dir  base
	file string // below dir
	// key is the member of the file that holds the servers; typed says that each
	// says how it is spoken to. The file of one without a key is TOML.
	key   string
	typed bool
}

// base is the directory that a client's file is found from.
type base int

const (
	inHome    base = iota
	inConfig       // the user's directory for configuration
	inProject      // the working directory
)

// Clients are those that are known, by name.
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

// Dirs are the directories of the user whose clients are meant. All are absolute.
type Dirs struct{ Home, Config, Project string }

// File is where the client reads which servers there are.
func (c Client) File(d Dirs) string {
	return filepath.Join(map[base]string{inHome: d.Home, inConfig: d.Config, inProject: d.Project}[c.dir], filepath.FromSlash(c.file))
}

// Server is how a client starts abrowser.
type Server struct {
	Command string // the executable, absolute: clients have a PATH of their own
	Args    []string
}

// entry is a server as JSON files have it.
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

// Text is what belongs in the client's file, when nothing else is in it.
func (c Client) Text(s Server) (string, error) {
	if c.key == "" {
		return toml(s), nil
	}
	text, err := json.MarshalIndent(map[string]map[string]entry{c.key: {Name: c.entry(s)}}, "", "  ")
	return string(text) + "\n", err
}
