package cdp

import (
	"encoding/json"
	"testing"
)

func TestEncode(t *testing.T) {
	for _, tt := range []struct {
		name string
		got  []byte
		want string
	}{
		{"request", Request{ID: 1, Method: "A.b", Params: []byte(`{"x":1}`), Session: "S"}.Encode(), `{"id":1,"method":"A.b","params":{"x":1},"sessionId":"S"}`},
		{"request on the root", Request{ID: -1, Method: "A.b"}.Encode(), `{"id":-1,"method":"A.b"}`},
		{"response", Response(1, "", []byte(`{}`)), `{"id":1,"result":{}}`},
		{"error", (&Error{-32000, `a "b"`}).Response(1, "S"), `{"id":1,"error":{"code":-32000,"message":"a \"b\""},"sessionId":"S"}`},
		{
			"message in an event", Received("P", "S", "T", []byte(`{"id":1,"x":"\"\\"}`)),
			`{"method":"Target.receivedMessageFromTarget","params":{"sessionId":"S","message":"{\"id\":1,\"x\":\"\\\"\\\\\"}","targetId":"T"},"sessionId":"P"}`,
		},
		{"event", Event("A.b", "S", []byte(`{}`)), `{"method":"A.b","params":{},"sessionId":"S"}`},
	} {
		if string(tt.got) != tt.want {
			t.Errorf("%s = %s, want %s", tt.name, tt.got, tt.want)
		}
	}
}

// FuzzReceived checks that a message can be read from the event that contains it.
func FuzzReceived(f *testing.F) {
	f.Add(`{"a":"\u0001\n\"\\é"}`)
	f.Add("\x00\x1f\t\u2028")
	f.Fuzz(func(t *testing.T, message string) {
		event, ok := ParseMessage(Received("P", "S", "T", []byte(message)))
		var got struct{ Message string }
		if err := event.Params(&got); !ok || event.Session != "P" || err != nil {
			t.Fatalf("%q: %s, %v", message, event.Raw, err)
		}
		want := ""
		raw, err := json.Marshal(message) // replaces bytes that are not UTF-8, as reading them does
		if err != nil || json.Unmarshal(raw, &want) != nil || got.Message != want {
			t.Fatalf("%q came as %q", message, got.Message)
		}
	})
}
