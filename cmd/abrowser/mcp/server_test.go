package mcp_test

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/abrowser/abrowser/cmd/abrowser/mcp"
	"github.com/abrowser/abrowser/sockets/verbs"
)

// The server offers the tools that users of other browser tools know, with hints. Every tool takes
// session and sessionId.
func TestTools(t *testing.T) {
	r := serve(t, "all")
	known := map[string]*sdk.Tool{}
	for tool, err := range r.client.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		known[tool.Name] = tool
		schema, _ := tool.InputSchema.(map[string]any)
		properties, _ := schema["properties"].(map[string]any)
		if properties["session"] == nil || properties["sessionId"] == nil {
			t.Errorf("%s takes no session", tool.Name)
		}
		if tool.Description == "" || tool.Annotations == nil || tool.Annotations.DestructiveHint == nil {
			t.Errorf("%s has no description or hints", tool.Name)
		}
	}
	reads := strings.Fields("list_sessions get_visible_elements get_slot_requests get_tabs page_state screenshot snapshot get_text")
	changes := strings.Fields("start_browser open_session close_session close_sessions close_all_sessions set_current_session navigate click_element set_value " +
		"execute_sequence set_viewport set_dialog_policy set_permission_policy set_notification_policy set_fs_picker_policy fs_picker_respond start_har " +
		"stop_har request_tab_space grant_tab_space")
	for _, name := range slices.Concat(reads, changes) {
		tool := known[name]
		if tool == nil {
			t.Errorf("tool %s not found", name)
			continue
		}
		if tool.Annotations.ReadOnlyHint != slices.Contains(reads, name) {
			t.Errorf("%s reads only: %v", name, tool.Annotations.ReadOnlyHint)
		}
	}
	if !*known["grant_tab_space"].Annotations.DestructiveHint || *known["click_element"].Annotations.DestructiveHint {
		t.Error("the destructive hint of grant_tab_space or click_element is wrong")
	}
}

// Without a choice of groups the server offers few tools, so that a model's context is not filled.
func TestCoreIsSmall(t *testing.T) {
	r := serve(t)
	list, err := r.client.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if size := len(jsonOf(t, list.Tools)); len(list.Tools) >= 30 || size >= 20_000 || list.NextCursor != "" {
		t.Errorf("the core has %d tools, described in %d bytes; want fewer than 30 in 20,000", len(list.Tools), size)
	} else {
		t.Logf("%d tools, %d bytes", len(list.Tools), size)
	}
}

// The answer to a screenshot has the picture as an image, and everything else as its members, also in
// a sequence.
func TestScreenshotKeepsItsAnnotations(t *testing.T) {
	r := serve(t)
	out := verbs.ScreenshotOut{Image: []byte("\x89PNG"), Annotations: []verbs.Annotation{{Number: 3, Ref: "e3", Role: "button", Name: "Send"}}}
	r.serve = func(_ context.Context, q asked) (any, error) {
		switch q.verb {
		case verbs.Screenshot.Name:
			given := out
			return &given, nil
		case verbs.Batch.Name:
			return &verbs.BatchOut{Results: []verbs.StepResult{{Success: true, Result: []byte(jsonOf(t, out))}}}, nil
		}
		return nil, nil
	}
	for tool, args := range map[string]map[string]any{
		"screenshot":       {"annotate": true},
		"execute_sequence": {"actions": []any{map[string]any{"action": "screenshot", "annotate": true}}},
	} {
		result, err := r.client.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
		if err != nil {
			t.Fatal(err)
		}
		members := jsonOf(t, result.StructuredContent)
		if _, ok := result.Content[0].(*sdk.ImageContent); !ok || !strings.Contains(members, `"ref":"e3"`) || strings.Contains(members, `"image"`) {
			t.Errorf("%s answers a %T and %s", tool, result.Content[0], members)
		}
	}
}

// enable_tools adds the tools of a group, and the server notifies the client.
func TestGroups(t *testing.T) {
	r := serve(t)
	if _, err := r.client.CallTool(t.Context(), &sdk.CallToolParams{Name: "hover"}); err == nil {
		t.Error("the core has hover")
	}
	r.must("enable_tools", map[string]any{"group": "interaction"})
	select {
	case <-r.changed:
	case <-time.After(patience):
		t.Error("the client got no notification that the list of tools changed")
	}
	r.must("hover", map[string]any{"selector": "e1"})
	r.says("unknown group of tools", "enable_tools", map[string]any{"group": "some"})
}

// The server sends progress notifications for a long call, and the call ends when the client
// cancels it.
func TestProgressAndCancellation(t *testing.T) {
	r := serve(t)
	given := make(chan error, 1)
	r.serve = func(ctx context.Context, q asked) (any, error) {
		if q.verb != verbs.Wait.Name {
			return nil, nil
		}
		select {
		case <-ctx.Done():
			given <- ctx.Err()
		case <-time.After(patience):
			given <- nil
		}
		return nil, ctx.Err()
	}
	ctx, cancel := context.WithCancel(t.Context())
	params := &sdk.CallToolParams{Name: "wait", Arguments: map[string]any{"what": "9000"}}
	params.SetProgressToken("p1")
	answered := make(chan error, 1)
	go func() {
		_, err := r.client.CallTool(ctx, params)
		answered <- err
	}()
	select {
	case p := <-r.told:
		if p.ProgressToken != "p1" || p.Progress <= 0 || !strings.Contains(p.Message, "wait") {
			t.Errorf("the progress is %+v", p)
		}
	case <-time.After(patience):
		t.Error("the client got no progress notification")
	}
	cancel()
	if err := <-answered; err == nil {
		t.Error("a cancelled call has an answer")
	}
	if err := <-given; err == nil {
		t.Error("a cancelled call continues")
	}
	r.must("get_text", map[string]any{"selector": "h1"}) // the connection still works
}

// A server ends with its input, even if the client does not read a response.
func TestEndAlthoughTheClientDoesNotRead(t *testing.T) {
	in, toServer := io.Pipe()
	_, out := io.Pipe() // a write blocks for ever
	ended := make(chan error, 1)
	go func() { ended <- mcp.Serve(t.Context(), mcp.Options{In: in, Out: out, Session: "default"}) }()
	if _, err := io.WriteString(toServer, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	_ = toServer.Close() // which never fails
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("the server ended with %v", err)
		}
	case <-time.After(patience):
		t.Error("the server does not end")
	}
}

// Numbers, booleans and lists may be sent as strings. A call with an invalid argument is refused
// before it runs a command.
func TestLooseArguments(t *testing.T) {
	r := serve(t, "all")
	r.must("wait", map[string]any{"session": "a", "what": "1", "timeout": "5000"})
	r.must("snapshot", map[string]any{"sessionId": "a", "interactive": "true"})
	r.must("open", map[string]any{"session": "a", "url": "x.example", "hars": `["/a.har"]`, "viewport": map[string]any{"width": 5, "height": 6}})
	r.must("select", map[string]any{"session": "a", "sessionId": "a", "selector": "e1", "values": "one"})
	for verb, want := range map[string]string{
		"wait": `{"timeout":5000,"what":"1"}`, "snapshot": `{"interactive":true}`,
		"open": `{"hars":["/a.har"],"url":"x.example","viewport":{"height":6,"width":5}}`, "select": `{"selector":"e1","values":["one"]}`,
	} {
		if got := r.of(verb); len(got) != 1 || jsonOf(t, got[0].in) != want {
			t.Errorf("the requests of %s are %+v, want %s", verb, got, want)
		}
	}
	before := len(r.of("wait"))
	for want, args := range map[string]map[string]any{
		`timeout is "soon"; it takes a integer`:              {"what": "1", "timeout": "soon"},
		`give one of them`:                                   {"session": "a", "sessionId": "b"},
		`session is ; it takes a session's name`:             {"session": ""},
		`wait takes no "bogus"`:                              {"bogus": true},
		`No session: nobody`:                                 {"session": "nobody"},
		`sessionId is 7; it takes a session's name`:          {"sessionId": 7},
		`session is "a" and sessionId is "b"; give one of t`: {"session": "a", "sessionId": "b", "what": "1"},
	} {
		r.says(want, "wait", args)
	}
	if after := len(r.of("wait")); after != before {
		t.Errorf("%d refused calls ran a command", after-before)
	}
}

// The structured content always contains the session that answered. The text contains it only if
// the call names neither a session nor another session's tab.
func TestAnswerNamesTheSession(t *testing.T) {
	r := serve(t, "all")
	tell := func(args map[string]any, id string, inText bool) {
		t.Helper()
		members, text, _ := r.call("get_title", args)
		if members["sessionId"] != id || members["sessionType"] != "browser" || strings.Contains(text, "[session ") != inText {
			t.Errorf("get_title(%v): %v %q", args, members, text)
		}
	}
	tell(nil, "default", true)
	tell(map[string]any{"session": "a"}, "a", false)
	r.must("set_current_session", map[string]any{"session": "a"})
	tell(nil, "a", true)
	if list := r.must("list_sessions", nil); list["currentSession"] != "a" {
		t.Errorf("the list is %v", list)
	}
	r.says("No session: nobody", "set_current_session", map[string]any{"session": "nobody"})
	r.says("session is missing", "set_current_session", nil)
	tell(map[string]any{"tab": "b/t1"}, "b", false)
}

// The resources are the list of sessions, and the page and log of each session.
func TestResources(t *testing.T) {
	r := serve(t)
	r.serve = func(_ context.Context, q asked) (any, error) {
		switch q.verb {
		case verbs.Snapshot.Name:
			return &verbs.SnapshotOut{Snapshot: "- heading " + q.session}, nil
		case verbs.SessionLog.Name:
			return &verbs.SessionLogOut{Commands: []verbs.Activity{{Verb: "click", MS: 1}}}, nil
		}
		return nil, nil
	}
	for uri, want := range map[string]string{
		"abrowser://sessions":           `"id":"a"`,
		"abrowser://session/a/snapshot": "- heading a",
		"abrowser://session/a/log":      `"verb":"click"`,
	} {
		read, err := r.client.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		if err != nil || len(read.Contents) != 1 || !strings.Contains(read.Contents[0].Text, want) {
			t.Errorf("%s is %+v, %v", uri, read, err)
		}
	}
	if _, err := r.client.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "abrowser://session/nobody/snapshot"}); err == nil {
		t.Error("a session that does not exist has a snapshot")
	}
}
