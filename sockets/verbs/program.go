package verbs

import (
	"fmt"

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
