package mcp_test

import (
	"context"
	"encoding/json"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Whatever a daemon does for a session stands in a sequence under its tool's name,
// the policies too, with arguments as the tool takes them.
func TestSequence(t *testing.T) {
	r := serve(t)
	r.serve = func(_ context.Context, q asked) (any, error) {
		steps, _ := q.in["steps"].([]verbs.Step)
		if q.verb != verbs.Batch.Name {
			return nil, nil
		}
		out := &verbs.BatchOut{}
		for _, s := range steps {
			result := verbs.StepResult{Success: true, Result: json.RawMessage("{}"), Records: []wire.Record{{Kind: s.Verb, Unhandled: s.Verb == "click"}}}
			if s.Verb == verbs.Screenshot.Name {
				result.Result = json.RawMessage(`{"path":"","image":"aVZCT1J3MEtHZ28="}`)
			}
			if s.Verb == verbs.GetURL.Name {
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
	if members["completed"] != 8.0 || members["total"] != 10.0 || failed["index"] != 8.0 || failed["action"] != "get_url" || failed["error"] != "gone" || failed["code"] != "page_closed" {
		t.Errorf("it answers %v", members)
	}
	if members["ok"] != false || len(members["records"].([]any)) != 8 || len(members["results"].([]any)) != 9 {
		t.Errorf("the records are %v", members["records"])
	}
	if picture, ok := result.Content[0].(*sdk.ImageContent); !ok || len(picture.Data) == 0 {
		t.Errorf("the picture is %T", result.Content[0])
	}
	in := r.of("batch")[0].in
	want := `[{"command":["set_value"],"verb":"fill","in":{"selector":"#i","text":"x","timeout":300}},` +
		`{"command":["set_dialog_policy"],"verb":"policy dialog","in":{"mode":"accept"}},` +
		`{"command":["set_permission_policy"],"verb":"policy permission","in":{"mode":"raise","perPermission":{"camera":"allow"}}},` +
		`{"command":["set_notification_policy"],"verb":"policy notification","in":{"mode":"allow"}},` +
		`{"command":["set_fs_picker_policy"],"verb":"policy file-picker","in":{"mode":"allow","perAPI":{"showSaveFilePicker":"deny"}}},` +
		`{"command":["fs_picker_respond"],"verb":"policy respond","in":{"api":"showOpenFilePicker","files":[{"contents":"x"}]}},` +
		`{"command":["click_element"],"verb":"click","in":{"selector":"#i"}},{"command":["screenshot"],"verb":"screenshot","in":{}},` +
		`{"command":["get_url"],"verb":"get url","in":{}},{"command":["get title"],"verb":"get title","in":{}}]`
	if got := jsonOf(t, in["steps"]); got != want || in["bail"] != true {
		t.Errorf("the steps are\n%s, want\n%s", got, want)
	}
	for _, tt := range []struct {
		want string
		step map[string]any
	}{
		{`action 1: there is no action "list_sessions"`, map[string]any{"action": "list_sessions"}},
		{`action 1: there is no action "grant_tab_space"`, map[string]any{"action": "grant_tab_space"}},
		{`action 1: it is no object with "action"`, map[string]any{"click": "x"}},
		{`action 1: a sequence is of one session`, map[string]any{"action": "click", "selector": "x", "session": "b"}},
		{`action 1: click takes no "bogus"`, map[string]any{"action": "click", "bogus": 1}},
	} {
		r.says(tt.want, "execute_sequence", map[string]any{"session": "a", "actions": []any{tt.step}})
	}
}
