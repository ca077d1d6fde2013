package mcp

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/abrowser/abrowser/cmd/abrowser/commands"
)

// Options of a server. Do, In and Out are required.
type Options struct {
	Do      func(context.Context, commands.Command) (commands.Result, error) // [commands.Runner.Do]
	In      io.Reader                                                        // the server ends with this input
	Out     io.Writer
	Session string   // the session of calls that name no session
	Groups  []string // the groups of tools to offer, see [Groups]; empty means core
	Version string
}

// server is one connection of an MCP client.
type server struct {
	Options
	mcp   *mcp.Server
	tools []tool

	running atomic.Int64 // calls that are not answered yet

	mu      sync.Mutex // guards the fields below
	current string
	on      map[string]bool // groups whose tools are offered
	known   map[string]bool // sessions that existed when a call named them
	opening map[string]bool // sessions that a call is opening
}

// Serve answers an MCP client until its input or ctx ends. After the input has ended, Serve waits a
// bounded time until the running calls are answered. It returns [wire.CodeBadInput] for an unknown
// group of tools.
func Serve(ctx context.Context, o Options) error {
	s := &server{Options: o, current: o.Session, on: map[string]bool{}, known: map[string]bool{}, opening: map[string]bool{}, tools: allTools()}
	s.mcp = mcp.NewServer(&mcp.Implementation{Name: "abrowser", Title: "abrowser", Version: o.Version}, &mcp.ServerOptions{
		Instructions: instructions, Capabilities: &mcp.ServerCapabilities{},
	})
	groups := o.Groups
	if len(groups) == 0 {
		groups = []string{groupCore}
	}
	for _, g := range groups {
		if err := s.enable(g); err != nil {
			return err
		}
	}
	s.addSwitch()
	s.addResources()
	in, out := newInput(o.In, &s.running), &output{Writer: o.Out}
	ended := make(chan error, 1)
	over := make(chan struct{})
	defer close(over)
	go func() { // ends with Serve, or with the process if the client does not read
		for {
			select {
			case refusal := <-in.refusals:
				_, _ = out.Write(refusal) // a client that is gone misses nothing
			case <-over:
				return
			}
		}
	}()
	go func() { // ends with the session, or with the process if the client does not read
		ended <- s.mcp.Run(ctx, &mcp.IOTransport{Reader: in, Writer: out})
	}()
	var err error
	select {
	case err = <-ended:
	case <-in.over:
		select {
		case err = <-ended:
		case <-time.After(drainTimeout): // a response is being written to a client that does not read it
		}
	}
	if errors.Is(err, io.EOF) || ctx.Err() != nil {
		return nil
	}
	return err
}

const instructions = "Each session has its own page in one shared, logged-in browser. Give every call of a task the same session; " +
	"different sessions work in parallel and never see each other. Start with open, then snapshot -> act on a ref (e3) -> snapshot. " +
	"A session's page stays open after close_session, and the same session finds it again."

// enable adds a group's tools. The client is notified of the change.
func (s *server) enable(group string) error {
	if err := CheckGroups(group); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.tools {
		if s.on[t.group] || group != groupAll && t.group != group {
			continue
		}
		s.mcp.AddTool(t.declare(), func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return s.call(ctx, t, r), nil
		})
	}
	for _, t := range s.tools {
		if group == groupAll || t.group == group {
			s.on[t.group] = true
		}
	}
	return nil
}
