package cdp

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestParseMessage(t *testing.T) {
	tests := []struct {
		name, msg string
		ok        bool
		want      Message
	}{
		{"reply on a session", `{"id":7,"result":{"sessionId":"no"},"sessionId":"S"}`, true, Message{IsReply: true, ID: 7, comma: 7, Session: "S", tail: 35}},
		{"reply on the root", `{"id":7,"result":{"sessionId":"no"}}`, true, Message{IsReply: true, ID: 7, comma: 7}},
		{"event on the root that ends with a sessionId", `{"method":"A.b","params":{"x":1,"sessionId":"no"}}`, true, Message{Method: "A.b"}},
		{"event on a session", `{"method":"A.b","params":{},"sessionId":"S"}`, true, Message{Method: "A.b", Session: "S", tail: 27}},
		{"error without an id", `{"error":{"code":-32700,"message":"JSON"}}`, false, Message{}},
		{"second half of a message", `b","params":{}}`, false, Message{}},
		{"empty", ``, false, Message{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := ParseMessage([]byte(tt.msg))
			if ok != tt.ok {
				t.Fatalf("ParseMessage(%q) = %v, want %v", tt.msg, ok, tt.ok)
			}
			if ok && (got.IsReply != tt.want.IsReply || got.ID != tt.want.ID || got.comma != tt.want.comma ||
				got.Method != tt.want.Method || got.Session != tt.want.Session || got.tail != tt.want.tail) {
				t.Errorf("ParseMessage(%q) = %+v, want %+v", tt.msg, got, tt.want)
			}
		})
	}
}

func TestWithID(t *testing.T) {
	for _, tt := range []struct {
		msg  string
		id   int64
		want string
	}{
		{`{"id":1000000001,"result":{}}`, 5, `{"id":5,"result":{}}`},
		{`{"id":1000000001,"result":{}}`, 2147483647, `{"id":2147483647,"result":{}}`},
		{`{"id":1000000001,"result":{}}`, -2147483648, `{"id":-2147483648,"result":{}}`},
	} {
		in, _ := ParseMessage([]byte(tt.msg))
		if got := string(in.WithID(tt.id)); got != tt.want {
			t.Errorf("WithID(%s, %d) = %s, want %s", tt.msg, tt.id, got, tt.want)
		}
	}
}

// FuzzParseMessage checks that ParseMessage and RawParams do not panic, and that
// ParseMessage and encoding/json find the same session.
func FuzzParseMessage(f *testing.F) {
	f.Add([]byte(`{"id":7,"result":{"sessionId":"no"},"sessionId":"S"}`))
	f.Add([]byte(`{"method":"A.b","params":{},"sessionId":"S"}`))
	f.Add([]byte(`{"id":7`))
	f.Fuzz(func(t *testing.T, msg []byte) {
		in, ok := ParseMessage(append([]byte(nil), msg...))
		if !ok || !json.Valid(msg) {
			return
		}
		_ = in.RawParams()
		var all map[string]json.RawMessage
		if json.Unmarshal(msg, &all) != nil || in.Session == "" {
			return
		}
		if got := string(all["sessionId"]); got != `"`+in.Session+`"` && !strings.Contains(got, `\`) {
			t.Fatalf("ParseMessage(%q) finds session %q, encoding/json %s", msg, in.Session, got)
		}
	})
}

// TestReplyForClient checks the reply that a client gets to a request on its root session: it has
// the client's id and no sessionId.
func TestReplyForClient(t *testing.T) {
	for _, tt := range []struct{ msg, want string }{
		{`{"id":1000000001,"result":{"a":"}"},"sessionId":"R"}`, `{"id":7,"result":{"a":"}"}}`},
		{`{"id":1000000001,"result":{}}`, `{"id":7,"result":{}}`},
	} {
		in, ok := ParseMessage([]byte(tt.msg))
		if got := string(in.WithoutSession().WithID(7)); !ok || got != tt.want {
			t.Errorf("the client's reply to %s is %s, want %s", tt.msg, got, tt.want)
		}
	}
}

func TestResult(t *testing.T) {
	var v struct{ A int }
	if in, _ := ParseMessage([]byte(`{"id":1,"result":{"a":2}}`)); in.Result(&v) != nil || v.A != 2 {
		t.Errorf("the result is %+v", v)
	}
	in, _ := ParseMessage([]byte(`{"id":1,"error":{"code":-32000,"message":"no"}}`))
	var refusal *Error
	if err := in.Result(nil); !errors.As(err, &refusal) || refusal.Code != -32000 || err.Error() != "no" {
		t.Errorf("the error is %v", err)
	}
}
