package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/abrowser/abrowser/cmd/abrowser/commands"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// call is one use of a tool.
type call struct {
	ctx     context.Context
	tool    tool
	session string
	named   bool           // the caller or the tool has named the session
	params  map[string]any // the arguments for the verb
	extra   map[string]any // the arguments for the tool itself
}

// answer is the answer of a tool: the result of a verb, or an output that the tool has made.
type answer struct {
	commands.Result
	pictures   [][]byte // from the actions of a sequence; the picture of a single verb is in Output
	incomplete bool     // an action of a sequence has failed
}

// call runs a tool and returns the result. An error is part of the result, so that the model can
// read it.
func (s *server) call(ctx context.Context, t tool, r *mcp.CallToolRequest) *mcp.CallToolResult {
	s.running.Add(1)
	defer s.running.Add(-1)
	c, err := s.parse(ctx, t, r.Params.Arguments)
	if err != nil {
		return s.failure(c, err, commands.Result{})
	}
	stop := s.notifyProgress(ctx, r)
	defer stop()
	if err := s.checkExists(c); err != nil {
		return s.failure(c, err, commands.Result{})
	}
	serve := t.serve
	if serve == nil {
		serve = (*server).do
	}
	a, err := serve(s, &c)
	if t.verb.Describe().Name == verbs.Close.Name {
		s.forget()
	}
	if err != nil {
		return s.failure(c, err, a.Result)
	}
	return s.success(c, a)
}

// do runs the tool's verb.
func (s *server) do(c *call) (answer, error) {
	return s.run(c.ctx, commands.Command{Session: c.session, Verb: c.tool.verb, Params: c.params})
}

// run runs a command. If the command failed but still has an output, run returns both.
func (s *server) run(ctx context.Context, cmd commands.Command) (answer, error) {
	result, err := s.Do(ctx, cmd)
	if err == nil {
		err = result.Failure
	}
	return answer{Result: result}, err
}

// checkExists returns an error if a call names a session that does not exist, and the tool needs
// an existing session. It accepts two sessions without a check, because they are started if
// necessary: the current session, if the call names no session, and the session in the server's
// options.
func (s *server) checkExists(c call) error {
	spec := c.tool.verb.Describe()
	if !c.named || c.tool.opens || spec.NoStart || spec.By == wire.ByCommand || c.session == s.Session || s.knows(c.session) {
		return nil
	}
	list, err := s.sessions(c.ctx)
	if err != nil {
		return err
	}
	for _, known := range list.Sessions {
		if known.ID == c.session {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.known[c.session] = true
			return nil
		}
	}
	return unknownSession(c.session)
}

func unknownSession(name string) error {
	return wire.Errorf(wire.CodeNotFound, "No session: %s", name).WithHint("open_session makes it, list_sessions lists the existing ones")
}

func (s *server) sessions(ctx context.Context) (*verbs.SessionListOut, error) {
	a, err := s.run(ctx, commands.Command{Session: s.currentSession(), Verb: verbs.SessionList})
	if err != nil {
		return nil, err
	}
	list, _ := a.Output.(*verbs.SessionListOut)
	return list, nil
}

func (s *server) knows(session string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known[session]
}

// forget clears the set of sessions that are known to exist. It is called when sessions may have
// ended.
func (s *server) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.known)
}

// currentSession returns the session of calls that name no session.
func (s *server) currentSession() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

// parse parses a call's arguments.
func (s *server) parse(ctx context.Context, t tool, raw json.RawMessage) (call, error) {
	c := call{ctx: ctx, tool: t, session: s.currentSession()}
	given := map[string]any{}
	if len(bytes.TrimSpace(raw)) > 0 {
		decoded, err := decode(raw)
		object, ok := decoded.(map[string]any)
		if err != nil || !ok && decoded != nil {
			return c, wire.Errorf(wire.CodeBadInput, "the arguments are not a JSON object")
		}
		given = object
	}
	return c, c.assign(given)
}

// decode decodes one JSON value. Numbers in it become [json.Number].
func decode(raw []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("data after the JSON value")
	}
	return v, nil
}

// assign sets session, params and extra from the arguments. Since some clients send strings only,
// numbers and booleans may be strings, and objects and lists may be JSON in a string.
func (c *call) assign(given map[string]any) error {
	c.params, c.extra = map[string]any{}, map[string]any{}
	if err := c.assignSession(given); err != nil {
		return err
	}
	types := c.tool.argumentTypes()
	for name, value := range given {
		if name == "session" || name == "sessionId" {
			continue
		}
		kind, known := types[name]
		if !known {
			return wire.Errorf(wire.CodeBadInput, "%s takes no %q", c.tool.name, name).WithHint("tools/list shows what each tool takes")
		}
		value, err := coerce(name, value, kind)
		switch field := c.tool.fieldName(name); {
		case err != nil:
			return err
		case value == nil:
		case field == "":
			c.extra[name] = value
		default:
			c.params[field] = typed(value)
		}
	}
	maps.Copy(c.params, c.tool.fixed)
	return nil
}

// assignSession sets the session that the arguments name.
func (c *call) assignSession(given map[string]any) error {
	var names []string
	for _, key := range []string{"session", "sessionId"} {
		value := given[key]
		if value == nil {
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
		c.session, c.named = names[0], true
	}
	return nil
}

// argumentTypes returns the JSON schema types of the tool's arguments.
func (t tool) argumentTypes() map[string]string {
	types := map[string]string{}
	properties, _ := t.schema()["properties"].(map[string]any)
	for name, p := range properties {
		described, _ := p.(map[string]any)
		types[name], _ = described["type"].(string)
	}
	return types
}

// fieldName returns the name of the verb's field that an argument sets, or "" if the argument is
// for the tool itself.
func (t tool) fieldName(argument string) string {
	for _, p := range t.extraArgs {
		if p.name == argument {
			return ""
		}
	}
	for field, name := range t.fields {
		if name == argument {
			return field
		}
	}
	return argument
}

// coerce converts a value that the client has sent as a string, as some clients do with all
// values. The parameter kind is the JSON schema type that the result must have. coerce returns a
// value that is not a string unchanged.
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
		if v, err := decode([]byte(trimmed)); err == nil {
			return v, nil
		}
		if kind == "array" {
			return []any{text}, nil
		}
	}
	return nil, wire.Errorf(wire.CodeBadInput, "%s is %q; it takes a %s", name, text, kind)
}

// typed converts a value to the types that [commands.Command] requires: a whole number to an int,
// and a list of texts to a []string. It returns any other value unchanged.
func typed(value any) any {
	switch v := value.(type) {
	case json.Number:
		if whole, err := v.Int64(); err == nil {
			return int(whole)
		}
	case []any:
		words := make([]string, 0, len(v))
		for _, one := range v {
			word, ok := one.(string)
			if !ok {
				return value
			}
			words = append(words, word)
		}
		return words
	}
	return value
}

// progressEvery is the time between two progress notifications.
const progressEvery = 2 * time.Second

// notifyProgress sends progress notifications for a call until stop is called. It sends none if
// the client has not asked for them.
func (s *server) notifyProgress(ctx context.Context, r *mcp.CallToolRequest) (stop func()) {
	token := r.Params.GetProgressToken()
	if token == nil || r.Session == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
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
				// This fails if the client has disconnected, which also cancels the call.
				_ = r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
					ProgressToken: token, Progress: time.Since(began).Seconds(), Message: r.Params.Name + " goes on",
				})
			}
		}
	}()
	return func() { cancel(); <-ended }
}
