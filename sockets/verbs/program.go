package verbs

import (
	"fmt"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

const groupProgram = "Program"

// SessionIDIn is the input of [SessionID].
type SessionIDIn struct {
	Scope  string `json:"scope,omitzero" default:"worktree" enum:"worktree|cwd|git-root" help:"the directory that the name stands for: the git worktree, the working directory, or the repository that worktrees share"`
	Prefix string `json:"prefix,omitzero" help:"a word to begin the name with"`
}

// SessionIDOut is the output of [SessionID].
type SessionIDOut struct {
	Session string `json:"session"`
	Hash    string `json:"hash"`
	Scope   string `json:"scope"`
	Path    string `json:"path"`
}

// Text returns the name for the session.
func (o SessionIDOut) Text() string { return o.Session }

// SessionID returns a name for a session that depends only on a directory.
var SessionID = wire.Verb[SessionIDIn, SessionIDOut]{Spec: wire.Spec{
	Name: "session id", NoPolicy: true, Group: groupSession, Short: "Print a session's name that stands for a directory",
	Long:    "The name is the same for each call in that directory, and another one for every other directory. It names no session by itself: export ABROWSER_SESSION=$(abrowser session id)",
	Example: "abrowser session id --scope cwd --prefix shop", By: wire.ByCommand, NoStart: true, ReadOnly: true,
}}

// ManOut is the output of [Man].
type ManOut struct {
	Page string `json:"page"`
}

// Text returns the page in the format of man(7).
func (o ManOut) Text() string { return o.Page }

// Man returns the manual page.
var Man = wire.Verb[Empty, ManOut]{Spec: wire.Spec{
	Name: "man", NoPolicy: true, Group: groupProgram, Short: "Print the manual page, for man -l -", Example: "abrowser man",
	By: wire.ByCommand, NoStart: true, ReadOnly: true,
}}

// UpgradeOut is the output of [Upgrade].
type UpgradeOut struct {
	Version string   `json:"version"`
	Program string   `json:"program"`
	Steps   []string `json:"steps"`
}

// Text returns the version, and then each step on its own line.
func (o UpgradeOut) Text() string {
	return lines(append([]string{fmt.Sprintf("abrowser %s, %s", o.Version, o.Program)}, o.Steps...)...)
}

// Upgrade returns how to install a newer abrowser.
var Upgrade = wire.Verb[Empty, UpgradeOut]{Spec: wire.Spec{
	Name: "upgrade", NoPolicy: true, Group: groupProgram, Short: "Print how to install a newer abrowser", Example: "abrowser upgrade",
	Long: "It changes nothing. Sessions and tabs survive an upgrade: the next command of a session replaces the session's daemon.",
	By:   wire.ByCommand, NoStart: true, ReadOnly: true,
}}

// REPL runs the commands in standard input. Each line contains one command.
var REPL = wire.Verb[Empty, Empty]{Spec: wire.Spec{
	Name: "repl", NoPolicy: true, Group: groupSession, Short: "Run the commands that are typed or piped in, one a line",
	Long: "A line is a command without the word abrowser, or a JSON array of its words. The flags of repl apply to all lines. " +
		"All commands use one connection, and each prints its answer before the next line is read; with --json an answer is one line. " +
		"A command that fails does not end repl. The exit status is 1 if one has failed. " +
		"In a terminal, the tab key completes a word, and exit or Ctrl-D leaves repl and not the session.",
	Example: "abrowser --json repl", By: wire.ByCommand, NoStart: true,
}}

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

// Skill is a set of instructions for an agent.
type Skill struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// SkillsOut is the output of [SkillsList].
type SkillsOut struct {
	Skills []Skill `json:"skills"`
}

// Text returns one line for each skill.
func (o SkillsOut) Text() string {
	var all []string
	for _, s := range o.Skills {
		all = append(all, fmt.Sprintf("%-10s %s", s.Name, s.Description))
	}
	return lines(all...)
}

// SkillsList lists the skills.
var SkillsList = wire.Verb[Empty, SkillsOut]{Spec: wire.Spec{
	Name: "skills list", NoPolicy: true, Aliases: []string{"skills"}, Group: groupProgram, Short: "List the instructions for agents", Example: "abrowser skills list",
	By: wire.ByCommand, NoStart: true, ReadOnly: true,
}}

// SkillsGetIn is the input of [SkillsGet].
type SkillsGetIn struct {
	Name string `json:"name,omitzero" arg:"0" default:"core" enum:"core|parallel" help:"the skill"`
}

// SkillsGetOut is the output of [SkillsGet].
type SkillsGetOut struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Content string `json:"content"`
}

// Text returns the instructions.
func (o SkillsGetOut) Text() string { return o.Content }

// SkillsGet returns a skill.
var SkillsGet = wire.Verb[SkillsGetIn, SkillsGetOut]{Spec: wire.Spec{
	Name: "skills get", NoPolicy: true, Group: groupProgram, Short: "Print instructions for an agent, of this version", Example: "abrowser skills get core",
	By: wire.ByCommand, NoStart: true, ReadOnly: true,
}}

// SkillsInstallIn is the input of [SkillsInstall].
type SkillsInstallIn struct {
	Agent   string `json:"agent,omitzero" arg:"0" enum:"agents|claude|codex|cursor|gemini" help:"the agent; the default is every agent that has a directory already"`
	Project bool   `json:"project,omitzero" help:"write into the working directory, not into the home directory"`
}

// InstalledSkill is a file that contains a skill for an agent.
type InstalledSkill struct {
	Agent   string `json:"agent"`
	File    string `json:"file"`
	Written bool   `json:"written"`
	Reason  string `json:"reason,omitzero"` // why the file was not written
}

// SkillsInstallOut is the output of [SkillsInstall].
type SkillsInstallOut struct {
	Files []InstalledSkill `json:"files"`
}

// Text returns one line for each file.
func (o SkillsInstallOut) Text() string {
	var all []string
	for _, f := range o.Files {
		line := "wrote " + f.File
		if !f.Written {
			line = "left " + f.File + ": " + f.Reason
		}
		all = append(all, line)
	}
	return lines(all...)
}

// SkillsInstall writes the skill "core" to the directories in which agents look for skills.
var SkillsInstall = wire.Verb[SkillsInstallIn, SkillsInstallOut]{Spec: wire.Spec{
	Name: "skills install", Group: groupProgram, Short: "Write the instructions where agents look for them",
	Long:    "The file is skills/abrowser/SKILL.md in the agent's directory, such as ~/.claude. A file that abrowser has not written stays as it is.",
	Example: "abrowser skills install claude", By: wire.ByCommand, NoStart: true,
}}
