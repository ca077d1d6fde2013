package mcp_test

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/abrowser/abrowser/cmd/abrowser/commands"
	"github.com/abrowser/abrowser/cmd/abrowser/mcp"
	"github.com/abrowser/abrowser/sockets/verbs"
)

// patience is the time limit for events that usually take milliseconds.
const patience = 20 * time.Second

// asked is a command that the server has run.
type asked struct {
	session, verb string
	in            map[string]any
	settings      map[string]any
	actions       []commands.Action
}

// answers replaces the [commands.Runner]. Its sessions have only a name and a state.
type answers struct {
	serve    func(context.Context, asked) (any, error) // a nil result means an empty output
	warnings map[string][]string                       // by verb

	mu       sync.Mutex // guards the fields below
	all      []asked
	sessions map[string]string // the state of each session
}

// do runs a command of the server. It is [mcp.Options.Do].
func (a *answers) do(ctx context.Context, c commands.Command) (commands.Result, error) {
	q := asked{c.Session, c.Verb.Describe().Name, c.Params, c.Settings, c.Actions}
	a.mu.Lock()
	a.all = append(a.all, q)
	a.mu.Unlock()
	result := commands.Result{Session: c.Session}
	if tab, _ := c.Params["tab"].(string); strings.Contains(tab, "/") {
		result.Session, _, _ = strings.Cut(tab, "/")
	}
	var out any
	var err error
	if a.serve != nil {
		out, err = a.serve(ctx, q)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case q.verb == verbs.SessionList.Name:
		list := &verbs.SessionListOut{}
		for id, state := range a.sessions {
			list.Sessions = append(list.Sessions, verbs.SessionEntry{ID: id, State: state})
		}
		result.Output = list
		return result, err
	case q.verb == verbs.Close.Name:
		delete(a.sessions, c.Session)
	case q.verb == verbs.Open.Name:
		a.sessions[c.Session] = "ready" // the daemon runs even if the page cannot be opened
	}
	if result.Output = out; out == nil {
		result.Output = c.Verb.NewOut()
	}
	result.Warnings = a.warnings[q.verb]
	return result, err
}

// of returns the commands with this verb in the order in which they were run.
func (a *answers) of(verb string) []asked {
	a.mu.Lock()
	defer a.mu.Unlock()
	var all []asked
	for _, q := range a.all {
		if q.verb == verb {
			all = append(all, q)
		}
	}
	return all
}

// rig is an MCP server and a client that is connected to it.
type rig struct {
	*answers
	t       *testing.T
	client  *sdk.ClientSession
	changed chan struct{}
	told    chan *sdk.ProgressNotificationParams
}

func serve(t *testing.T, groups ...string) *rig {
	t.Helper()
	r := &rig{
		answers: &answers{sessions: map[string]string{"a": "ready"}}, t: t,
		changed: make(chan struct{}, 9), told: make(chan *sdk.ProgressNotificationParams, 9),
	}
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- mcp.Serve(context.WithoutCancel(t.Context()), mcp.Options{Do: r.do, In: in, Out: out, Session: "default", Groups: groups})
		_ = out.Close() // which never fails
	}()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ClientOptions{
		ToolListChangedHandler:      func(context.Context, *sdk.ToolListChangedRequest) { r.changed <- struct{}{} },
		ProgressNotificationHandler: func(_ context.Context, p *sdk.ProgressNotificationClientRequest) { r.told <- p.Params },
	})
	var err error
	if r.client, err = client.Connect(t.Context(), &sdk.IOTransport{Reader: io.NopCloser(fromServer), Writer: toServer}, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = r.client.Close() // the pipes close with it
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("the server ended with %v", err)
			}
		case <-time.After(patience):
			t.Error("the server does not end with its input")
		}
	})
	return r
}

// call calls a tool and returns its structured content and its text.
func (r *rig) call(tool string, args any) (members map[string]any, text string, failed bool) {
	r.t.Helper()
	result, err := r.client.CallTool(r.t.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		r.t.Errorf("%s: %v", tool, err)
		return nil, "", true
	}
	members, _ = result.StructuredContent.(map[string]any)
	var all []string
	for _, part := range result.Content {
		if said, ok := part.(*sdk.TextContent); ok {
			all = append(all, said.Text)
		}
	}
	return members, strings.Join(all, "\n"), result.IsError
}

// must calls a tool that must succeed.
func (r *rig) must(tool string, args any) map[string]any {
	r.t.Helper()
	members, text, failed := r.call(tool, args)
	if failed {
		r.t.Errorf("%s(%v): %s", tool, args, text)
	}
	return members
}

// says calls a tool that must fail with this text in its message.
func (r *rig) says(want, tool string, args any) {
	r.t.Helper()
	members, text, failed := r.call(tool, args)
	if message, _ := members["error"].(string); !failed || !strings.Contains(message, want) || !strings.HasPrefix(text, message) {
		r.t.Errorf("%s(%v): %v %q, want %q", tool, args, failed, text, want)
	}
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
