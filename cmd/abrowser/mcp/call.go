package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/abrowser/abrowser/cmd/abrowser/ask"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// call is one use of a tool.
type call struct {
	ctx     context.Context
	tool    tool
	session string
	chosen  bool           // the session was named by the caller
	in      map[string]any // the verb's fields
	extra   map[string]any // what the tool takes beyond them
}

// answer is what a tool says: an output of a verb, or one of the tool's own.
type answer struct {
	out     any
	aside   ask.Aside
	session string // who answered, where the tool chose it
	// pictures are those of several actions; a picture that is all of out is not here.
	pictures [][]byte
}

// call answers a use of a tool. Everything that goes wrong is told to the model.
func (s *server) call(ctx context.Context, t tool, r *mcp.CallToolRequest) *mcp.CallToolResult {
	s.running.Add(1)
	defer s.running.Add(-1)
	c, err := s.read(ctx, t, r.Params.Arguments)
	if err != nil {
		return failure(c, err, ask.Aside{})
	}
	done := s.tellProgress(ctx, r)
	defer done()
	if err := s.exists(c); err != nil {
		return failure(c, err, ask.Aside{})
	}
	serve := t.serve
	if serve == nil {
		serve = (*server).ask
	}
	a, err := serve(s, c)
	if t.verb.Describe().Name == verbs.Close.Name {
		s.forget()
	}
	if a.session != "" {
		c.session, c.chosen = a.session, true
	}
	if err != nil {
		return failure(c, err, a.aside)
	}
	return success(c, a)
}

func (s *server) ask(c call) (answer, error) {
	out, aside, err := s.Asker.Ask(c.ctx, c.session, c.tool.verb, c.in)
	return answer{out: out, aside: aside}, err
}

// exists refuses a session that was named and is not known, for tools that need a
// page. Without a name the current one is made as it is needed.
func (s *server) exists(c call) error {
	doc := c.tool.verb.Describe()
	if !c.chosen || c.tool.opens || doc.NoStart || doc.By == wire.ByCommand || c.session == s.Session || s.knows(c.session) {
		return nil
	}
	list, err := s.sessions(c.ctx)
	if err != nil {
		return err
	}
	for _, known := range list.Sessions {
		if known.ID == c.session {
			s.learn(c.session)
			return nil
		}
	}
	return wire.Errorf(wire.CodeNotFound, "No session: %s", c.session).WithHint("open_session makes it, list_sessions lists those there are")
}

func (s *server) sessions(ctx context.Context) (*verbs.SessionListOut, error) {
	out, _, err := s.Asker.Ask(ctx, s.now(), verbs.SessionList, nil)
	if err != nil {
		return nil, err
	}
	list, _ := out.(*verbs.SessionListOut)
	return list, nil
}

func (s *server) knows(session string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known[session]
}

func (s *server) learn(session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known[session] = true
}

// forget is for when sessions end.
func (s *server) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.known)
}

// now is the current session of the connection.
func (s *server) now() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

// read takes a call's arguments apart. Numbers and booleans may be strings, and
// objects and lists may be the JSON of one, as some clients send them.
func (s *server) read(ctx context.Context, t tool, raw json.RawMessage) (call, error) {
	c := call{ctx: ctx, tool: t, session: s.now(), in: map[string]any{}, extra: map[string]any{}}
	given := map[string]any{}
	if len(bytes.TrimSpace(raw)) > 0 {
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.UseNumber()
		if err := dec.Decode(&given); err != nil {
			return c, wire.Errorf(wire.CodeBadInput, "the arguments are no JSON object")
		}
	}
	if err := c.whose(given); err != nil {
		return c, err
	}
	kinds := t.kinds()
	for name, value := range given {
		kind, known := kinds[name]
		if !known {
			return c, wire.Errorf(wire.CodeBadInput, "%s takes no %q", t.name, name).WithHint("tools/list shows what each tool takes")
		}
		value, err := coerce(name, value, kind)
		switch field := t.inside(name); {
		case err != nil:
			return c, err
		case value == nil:
		case field == "":
			c.extra[name] = value
		default:
			c.in[field] = value
		}
	}
	for name, value := range t.fixed {
		c.in[name] = value
	}
	return c, nil
}

// whose takes the session out of the arguments.
func (c *call) whose(given map[string]any) error {
	var names []string
	for _, key := range []string{"session", "sessionId"} {
		value, ok := given[key]
		delete(given, key)
		if !ok || value == nil {
			continue
		}
		name, isText := value.(string)
		if !isText || name == "" {
			return wire.Errorf(wire.CodeBadInput, "%s is %v; it takes a session's name", key, value)
		}
		names = append(names, name)
	}
	if len(names) == 2 && names[0] != names[1] {
		return wire.Errorf(wire.CodeBadInput, "session is %q and sessionId is %q; give one of them", names[0], names[1])
	}
	if len(names) > 0 {
		c.session, c.chosen = names[0], true
	}
	return nil
}

// kinds are the JSON schema types of the tool's arguments.
func (t tool) kinds() map[string]string {
	kinds := map[string]string{}
	properties, _ := t.schema()["properties"].(map[string]any)
	for name, p := range properties {
		described, _ := p.(map[string]any)
		kinds[name], _ = described["type"].(string)
	}
	delete(kinds, "session")
	delete(kinds, "sessionId")
	return kinds
}

// inside is the verb's field for an argument, empty for one of the tool's own.
func (t tool) inside(name string) string {
	for _, p := range t.extra {
		if p.name == name {
			return ""
		}
	}
	for field, outside := range t.fields {
		if outside == name {
			return field
		}
	}
	return name
}

// coerce makes a value of the kind out of one that was sent as a string.
func coerce(name string, value any, kind string) (any, error) {
	text, isText := value.(string)
	if !isText || kind == "string" {
		return value, nil
	}
	trimmed := strings.TrimSpace(text)
	switch kind {
	case "boolean":
		if b, err := strconv.ParseBool(trimmed); err == nil {
			return b, nil
		}
	case "integer", "number":
		if _, err := strconv.ParseFloat(trimmed, 64); err == nil {
			return json.Number(trimmed), nil
		}
	default:
		var v any
		if err := json.Unmarshal([]byte(trimmed), &v); err == nil {
			return v, nil
		}
		if kind == "array" {
			return []any{text}, nil
		}
	}
	return nil, wire.Errorf(wire.CodeBadInput, "%s is %q; it takes a %s", name, text, kind)
}

// progressEvery is the time between two signs of life to a client that asked.
const progressEvery = 2 * time.Second

// tellProgress tells a client that asked for it that its call goes on, until the
// function it returns is called.
func (s *server) tellProgress(ctx context.Context, r *mcp.CallToolRequest) func() {
	token := r.Params.GetProgressToken()
	if token == nil || r.Session == nil {
		return func() {}
	}
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(progressEvery)
		defer tick.Stop()
		for began := time.Now(); ; {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				_ = r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ // a client that has gone ends the call
					ProgressToken: token, Progress: time.Since(began).Seconds(), Message: r.Params.Name + " goes on",
				})
			}
		}
	}()
	return func() { stop(); <-ended }
}
