package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// A sequence can contain every tool whose verb a daemon answers, including the tools for policies.
// The action has the tool's name and takes the tool's arguments.
func TestSequence(t *testing.T) {
	r := serve(t)
	r.serve = func(_ context.Context, q asked) (any, error) {
		if q.verb != verbs.Batch.Name {
			return nil, nil
		}
		out := &verbs.BatchOut{}
		for _, a := range q.actions {
			verb := a.Verb.Describe().Name
			result := verbs.StepResult{Success: true, Result: json.RawMessage("{}"), Records: []wire.Record{{Kind: verb, Unhandled: verb == "click"}}}
			if verb == verbs.Screenshot.Name {
				result.Result = json.RawMessage(`{"path":"","image":"aVZCT1J3MEtHZ28="}`)
			}
			if verb == verbs.GetURL.Name {
				message := "gone"
				result = verbs.StepResult{Error: &message, Code: wire.CodePageClosed}
			}
			out.Results = append(out.Results, result)
			if result.Error != nil {
				break
			}
		}
		return out, nil
	}
	result, err := r.client.CallTool(t.Context(), &sdk.CallToolParams{Name: "execute_sequence", Arguments: map[string]any{"session": "a", "actions": []any{
		map[string]any{"action": "set_value", "selector": "#i", "value": "x", "timeout": "300"},
		map[string]any{"action": "set_dialog_policy", "mode": "accept"},
		map[string]any{"action": "set_permission_policy", "mode": "raise", "perPermission": `{"camera":"allow"}`},
		map[string]any{"action": "set_notification_policy", "mode": "allow"},
		map[string]any{"action": "set_fs_picker_policy", "mode": "allow", "perAPI": map[string]any{"showSaveFilePicker": "deny"}},
		map[string]any{"action": "fs_picker_respond", "api": "showOpenFilePicker", "files": []any{map[string]any{"contents": "x"}}},
		map[string]any{"action": "click_element", "selector": "#i"},
		map[string]any{"action": "screenshot"},
		map[string]any{"action": "get_url"},
		map[string]any{"action": "get title"},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	members := result.StructuredContent.(map[string]any)
	failed, _ := members["failed"].(map[string]any)
	if !result.IsError {
		t.Error("a sequence with a failed action is not an error")
	}
	if members["completed"] != 8.0 || members["total"] != 10.0 || failed["index"] != 8.0 || failed["action"] != "get_url" || failed["error"] != "gone" || failed["code"] != "page_closed" {
		t.Errorf("execute_sequence answers %v", members)
	}
	if members["ok"] != false || len(members["records"].([]any)) != 8 || len(members["results"].([]any)) != 9 {
		t.Errorf("the records are %v", members["records"])
	}
	if picture, ok := result.Content[0].(*sdk.ImageContent); !ok || len(picture.Data) == 0 {
		t.Errorf("the picture is %T", result.Content[0])
	}
	batch := r.of("batch")[0]
	want := []string{
		`action 1: set_value fill {"selector":"#i","text":"x","timeout":300}`,
		`action 2: set_dialog_policy policy dialog {"mode":"accept"}`,
		`action 3: set_permission_policy policy permission {"mode":"raise","perPermission":{"camera":"allow"}}`,
		`action 4: set_notification_policy policy notification {"mode":"allow"}`,
		`action 5: set_fs_picker_policy policy file-picker {"mode":"allow","perAPI":{"showSaveFilePicker":"deny"}}`,
		`action 6: fs_picker_respond policy respond {"api":"showOpenFilePicker","files":[{"contents":"x"}]}`,
		`action 7: click_element click {"selector":"#i"}`,
		`action 8: screenshot screenshot {}`,
		`action 9: get_url get url {}`,
		`action 10: get title get title {}`,
	}
	for i, a := range batch.actions {
		if got := fmt.Sprintf("%s: %s %s %s", a.Label, a.Words[0], a.Verb.Describe().Name, jsonOf(t, a.Params)); i >= len(want) || got != want[i] {
			t.Errorf("an action is\n%s, want\n%s", got, want[min(i, len(want)-1)])
		}
	}
	if len(batch.actions) != len(want) || batch.in["bail"] != true {
		t.Errorf("%d actions with %v", len(batch.actions), batch.in)
	}
	for _, tt := range []struct {
		want string
		step map[string]any
	}{
		{`action 1: there is no action "list_sessions"`, map[string]any{"action": "list_sessions"}},
		{`action 1: there is no action "grant_tab_space"`, map[string]any{"action": "grant_tab_space"}},
		{`action 1: not an object with "action"`, map[string]any{"click": "x"}},
		{`action 1: a sequence is for one session`, map[string]any{"action": "click", "selector": "x", "session": "b"}},
		{`action 1: click takes no "bogus"`, map[string]any{"action": "click", "bogus": 1}},
	} {
		r.says(tt.want, "execute_sequence", map[string]any{"session": "a", "actions": []any{tt.step}})
	}
}
