package broker

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/abrowser/abrowser/sockets/wire"
)

// A client attaches to targets with sessions that are not flat, and uses them by
// Target.sendMessageToTarget. It gets the same messages as from a browser without abrowser.
func TestSessionsThatAreNotFlat(t *testing.T) {
	t.Parallel()
	r := start(t, wire.Settings{})
	o, err := keeperOptions(t.Context(), r.root, wire.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	plain, _, err := websocket.Dial(t.Context(), startPlain(t, o), nil) //nolint:bodyclose // the dialer has closed it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = plain.CloseNow() })
	want, got := useNested(&bareConn{t, plain}), useNested(r.bare("a"))
	for i := range want {
		if want[i] != got[i] {
			t.Errorf("step %d:\n%s\nin a browser without abrowser:\n%s", i+1, got[i], want[i])
		}
	}
	for i, text := range []string{"P1", "42", "wasn't found", "data:text/javascript,", "48"} {
		if !strings.Contains(strings.Join(want, "\n"), text) {
			t.Errorf("text %d, %s, is missing:\n%s", i, text, strings.Join(want, "\n"))
		}
	}
	conn := r.bare("b")
	conn.send(websocket.MessageText, `{"id":1,"method":"Target.exposeDevToolsProtocol","params":{"targetId":"x"}}`)
	if got := conn.read(); !strings.Contains(got, "would give the page the whole browser") {
		t.Errorf("Target.exposeDevToolsProtocol: %s", got)
	}
}

// awaitTitle waits until the browser knows the title of the target's document, because the messages
// contain it.
func awaitTitle(l *bareConn, target string) {
	l.t.Helper()
	until(l.t, "the target has its title", func() bool {
		l.send(websocket.MessageText, `{"id":0,"method":"Target.getTargetInfo","params":{"targetId":"`+target+`"}}`)
		return strings.Contains(l.read(), `"title":"one"`)
	})
}

// useNested sends messages and returns the messages that come after each of them, in alphabetical
// order. Ids are replaced by names.
func useNested(l *bareConn) (steps []string) {
	l.t.Helper()
	names := map[string]string{}
	name := func(prefix, message, member string) {
		match := regexp.MustCompile(`\\*"` + member + `\\*":\\*"(\w+)`).FindStringSubmatch(message)
		if match == nil {
			l.t.Fatalf("no %s in %s", member, message)
		}
		names[match[1]] = fmt.Sprint(prefix, len(names)+1)
	}
	// call sends a call with the session and target ids that it names, and reads n messages.
	call := func(n int, method string, params any) string {
		l.t.Helper()
		raw, err := json.Marshal(map[string]any{"id": len(steps) + 1, "method": method, "params": params})
		if err != nil {
			l.t.Fatal(err)
		}
		l.send(websocket.MessageText, string(raw))
		var all []string
		for len(all) < n {
			if message := l.read(); !strings.Contains(message, "Inspector.workerScriptLoaded") { // comes at any time
				all = append(all, message)
			}
		}
		slices.Sort(all)
		text := strings.Join(all, "\n")
		steps = append(steps, text)
		return text
	}
	type params = map[string]any
	inner := func(method string, p params) string {
		raw, err := json.Marshal(params{"id": 7, "method": method, "params": p})
		if err != nil {
			l.t.Fatal(err)
		}
		return string(raw)
	}
	id := func(name string) string {
		for id, n := range names {
			if n == name {
				return id
			}
		}
		l.t.Fatalf("no %s", name)
		return ""
	}
	evaluate := func(text string) string { return inner("Runtime.evaluate", params{"expression": text}) }

	name("P", call(1, "Target.createTarget", params{"url": "data:text/html,<title>one</title>"}), "targetId")
	page := id("P1")
	awaitTitle(l, page)
	made := call(2, "Target.attachToTarget", params{"targetId": page})
	name("C", made, "browserContextId")
	name("S", made, "sessionId")
	nested := id("S3")
	send := func(n int, message string) string {
		l.t.Helper()
		return call(n, "Target.sendMessageToTarget", params{"sessionId": nested, "message": message})
	}
	send(2, evaluate("6*7"))
	send(2, inner("Nope.nope", nil))
	send(2, strings.Replace(evaluate("1"), "{", `{"sessionId":"`+nested+`",`, 1))
	made = call(2, "Target.attachToTarget", params{"targetId": page, "flatten": true})
	names[regexp.MustCompile(`"result":{"sessionId":"(\w+)`).FindStringSubmatch(made)[1]] = "S4"
	call(1, "Target.sendMessageToTarget", params{"sessionId": id("S4"), "message": evaluate("1")})
	call(1, "Target.sendMessageToTarget", params{"targetId": page, "message": evaluate("1")})
	call(1, "Target.sendMessageToTarget", params{"sessionId": "unknown", "message": evaluate("1")})
	call(1, "Target.sendMessageToTarget", params{"targetId": "unknown", "message": evaluate("1")})
	call(1, "Target.sendMessageToTarget", params{"message": evaluate("1")})
	send(2, inner("Target.setAutoAttach", params{"autoAttach": true, "waitForDebuggerOnStart": false, "flatten": false}))
	worker := send(3, evaluate("void new Worker('data:text/javascript,')"))
	worker = worker[strings.Index(worker, "attachedToTarget"):]
	name("W", worker, "targetId")
	name("S", worker, "sessionId")
	send(3, inner("Target.sendMessageToTarget", params{"sessionId": id("S6"), "message": evaluate("6*8")}))
	send(3, inner("Target.detachFromTarget", params{"sessionId": id("S6")}))
	call(2, "Target.detachFromTarget", params{"sessionId": nested})
	call(1, "Target.sendMessageToTarget", params{"sessionId": nested, "message": evaluate("1")})
	call(2, "Target.detachFromTarget", params{"targetId": page})
	call(1, "Target.detachFromTarget", params{"targetId": page})
	call(1, "Target.detachFromTarget", params{})
	call(1, "Target.setAutoAttach", params{"autoAttach": true, "waitForDebuggerOnStart": false, "flatten": false})
	call(1, "Target.attachToTarget", params{"targetId": "unknown"})
	for i := range steps {
		for id, n := range names {
			steps[i] = strings.ReplaceAll(steps[i], id, n)
		}
	}
	return steps
}
