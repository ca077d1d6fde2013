package commands

import (
	"context"
	"runtime/debug"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Program is the executable that runs the commands: the thin program or the full one.
type Program interface {
	// Build returns the build ID that the daemons of sessions must have.
	Build() (string, error)
	// Full returns the functions that only the full program has. The thin program does not return
	// from Full: it replaces its process by the full program, with the same command line. If that
	// fails, Full returns an error.
	Full(ctx context.Context, root home.Root) (FullProgram, error)
}

// FullProgram does what commands need beyond requests to a socket. For example, it starts and
// kills processes, and installs the browser.
type FullProgram interface {
	// Start starts the session's daemon if it does not run, and returns where it listens.
	Start(ctx context.Context, session string, s wire.Settings) (home.Endpoint, error)
	// Kill kills the process that listens at the endpoint, and reports whether a process listened.
	Kill(ctx context.Context, p home.Endpoint) (bool, error)
	// Sweep removes the files that killed drivers and daemons left.
	Sweep() error
	// ClosesAtEnd reports whether the tabs of a session must be closed when the session ends
	// while its daemon does not run.
	ClosesAtEnd(session string) bool
	// FinishRecording writes the HAR file of a session that ends while its daemon does not run.
	// It returns the file's path, or "" if the session was not recording its requests.
	FinishRecording(session string) (string, error)
	// WriteHAR writes requests as a HAR file.
	WriteHAR(path string, requests []verbs.Request) error
	// Install downloads the missing parts of the installation.
	Install(ctx context.Context, s wire.Settings, in verbs.InstallIn) ([]verbs.Part, error)
	// Library returns the path of the script of an npm package that runs in pages. It downloads the
	// package if necessary.
	Library(ctx context.Context, name string) (string, error)
	// Check checks every part of the installation.
	Check(ctx context.Context, s wire.Settings) []verbs.Part
	// ServeMCP serves an MCP client on standard input and output until the client disconnects.
	ServeMCP(ctx context.Context, r *Runner, session string, groups []string) error
	// ServeCDP serves the session's CDP endpoint on a TCP port until ctx ends, and returns 0. With a
	// program to run, it serves until the program ends, and returns the program's exit status.
	ServeCDP(ctx context.Context, s CDPServer) (status int, err error)
	// ServeReview serves the review page until ctx ends.
	ServeReview(ctx context.Context, s ReviewServer) error
	// InstallMCP returns the configuration with which MCP clients start abrowser. If in.Write is
	// true, it also adds the configuration to a client's file.
	InstallMCP(in verbs.MCPInstallIn, session string) (out *verbs.MCPInstallOut, warnings []string, err error)
	// Seal encrypts content with a key, and Unseal decrypts it. A decrypted content that is longer
	// than limit bytes is an error.
	Seal(content []byte, key string) ([]byte, error)
	Unseal(sealed []byte, key string, limit int64) ([]byte, error)
	// Complete returns what a shell's completion command prints.
	Complete(words []string) ([]byte, error)
	// EditLines returns the lines that a person types in the terminal, with history and completion.
	EditLines(prompt string) (LineReader, error)
}

// LineReader reads lines that a person types.
type LineReader interface {
	// ReadLine returns the next line. It returns io.EOF at the end of the input, and
	// [wire.CodeInterrupted] if the person has discarded the line.
	ReadLine() (string, error)
	// Close restores the terminal.
	Close() error
}

// Version returns the module's version from the build information, or "devel".
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}
