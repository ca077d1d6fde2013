package broker

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/abrowser/abrowser/sockets/wire"
)

// A dialog goes to the client that has set the page up, also while a call of Page.enable is
// unanswered. Playwright makes such a call after each input.
func TestDialogWhileThePageIsEnabledAgain(t *testing.T) {
	t.Parallel()
	r := start(t, wire.Settings{})
	conn := r.bare("a")
	last := 0
	send := func(session, method string, params any) int {
		last++
		raw, err := json.Marshal(map[string]any{"id": last, "sessionId": session, "method": method, "params": params})
		if err != nil {
			t.Fatal(err)
		}
		conn.send(websocket.MessageText, strings.Replace(string(raw), `"sessionId":"",`, "", 1))
		return last
	}
	type params = map[string]any
	await := func(what string) (message struct {
		Result struct {
			TargetID  string
			SessionID string
			Result    struct{ Value bool }
		}
	},
	) {
		t.Helper()
		for {
			raw := conn.read()
			if strings.Contains(raw, what) {
				if err := json.Unmarshal([]byte(raw), &message); err != nil {
					t.Fatal(err)
				}
				return message
			}
		}
	}
	answer := func(id int) string { return fmt.Sprintf(`{"id":%d,`, id) }
	target := await(answer(send("", "Target.createTarget", params{"url": "data:text/html,page"}))).Result.TargetID
	session := await(answer(send("", "Target.attachToTarget", params{"targetId": target, "flatten": true}))).Result.SessionID
	send(session, "Page.enable", nil)
	await(answer(send(session, "Page.getFrameTree", nil)))

	asked := send(session, "Runtime.evaluate", params{"expression": "confirm('sure?')", "returnByValue": true})
	send(session, "Page.enable", nil) // its response comes after the dialog
	await("Page.javascriptDialogOpening")
	send(session, "Page.handleJavaScriptDialog", params{"accept": true})
	if !await(answer(asked)).Result.Result.Value {
		t.Error("the dialog was dismissed")
	}
}
