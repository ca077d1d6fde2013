package roles

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/abrowser/abrowser/cmd/abrowser/mcp"
	"github.com/abrowser/abrowser/cmd/abrowser/mcpsetup"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// InstallMCP returns the configuration with which MCP clients start abrowser, or with which they
// start another MCP server in a session of abrowser. If in.Write is true, it also adds the
// configuration to a client's file. The parameter session is the session in which the other server
// works. If it is empty, the server's environment chooses the session.
func (f *full) InstallMCP(in verbs.MCPInstallIn, session string) (out *verbs.MCPInstallOut, warnings []string, err error) {
	if err := mcp.CheckGroups(in.Tools...); err != nil {
		return nil, nil, err
	}
	program, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	if in.Through != "" && len(in.Tools) > 0 {
		return nil, nil, wire.Errorf(wire.CodeBadInput, "--tools is about abrowser's own tools, and %s has its own", in.Through).WithHint("abrowser mcp install --through %s", in.Through)
	}
	if in.Write && in.Client == "" {
		return nil, nil, wire.Errorf(wire.CodeBadInput, "--write needs the name of a client").WithHint("abrowser mcp install claude-code --write")
	}
	if ofGoRun(program) {
		if in.Write {
			return nil, nil, wire.Errorf(wire.CodeBadInput, "go run removes this abrowser when it ends: no client would find it").
				WithHint("CGO_ENABLED=0 go install ./cmd/abrowser && abrowser mcp install %s --write", in.Client)
		}
		warnings = append(warnings, "go run removes this abrowser when it ends: go install ./cmd/abrowser installs a permanent one")
	}
	out, err = f.inClients(in, serverFor(in, program, session))
	return out, warnings, err
}

func serverFor(in verbs.MCPInstallIn, program, session string) mcpsetup.Server {
	if in.Through != "" {
		var flags []string
		if session != "" {
			flags = []string{"--session", session}
		}
		server, _ := mcpsetup.Through(in.Through, program, flags) // the declaration admits only those that exist
		return server
	}
	server := mcpsetup.Server{Name: "abrowser", Command: program, Args: []string{"mcp"}}
	if len(in.Tools) > 0 {
		server.Args = append(server.Args, "--tools", strings.Join(in.Tools, ","))
	}
	return server
}

func (f *full) inClients(in verbs.MCPInstallIn, server mcpsetup.Server) (*verbs.MCPInstallOut, error) {
	dirs, err := f.userDirs()
	if err != nil {
		return nil, err
	}
	out := &verbs.MCPInstallOut{}
	for _, c := range mcpsetup.Clients() {
		if in.Client != "" && c.Name != in.Client {
			continue
		}
		text, err := c.Text(server)
		if err != nil {
			return nil, err
		}
		if in.Write {
			if err := c.Write(dirs, server); err != nil {
				return nil, err
			}
		}
		out.Clients = append(out.Clients, verbs.MCPClient{Client: c.Name, Server: server.Name, File: c.File(dirs), Config: text, Written: in.Write})
	}
	return out, nil
}

// ofGoRun reports whether `go run` has built the program at this path. Such a program is in a
// temporary directory, or in Go's build cache if `go run` has kept it there for the next start.
func ofGoRun(program string) bool {
	dir := filepath.Dir(program)
	cached, err := regexp.MatchString(`^[0-9a-f]{64}-d$`, filepath.Base(dir))
	return err == nil && cached || filepath.Base(dir) == "exe" && strings.HasPrefix(filepath.Base(filepath.Dir(filepath.Dir(dir))), "go-build")
}

func (f *full) userDirs() (mcpsetup.Dirs, error) {
	home, ok := f.sys.Lookup("HOME")
	if !ok || !filepath.IsAbs(home) {
		return mcpsetup.Dirs{}, wire.Errorf(wire.CodeBadInput, "HOME is not set, so the clients' files cannot be found").WithHint("HOME=/home/you abrowser mcp install")
	}
	project, err := f.sys.Dir()
	if err != nil {
		return mcpsetup.Dirs{}, err
	}
	config, err := os.UserConfigDir()
	return mcpsetup.Dirs{Home: home, Config: config, Project: project}, err
}
