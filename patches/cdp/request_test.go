package cdp

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestParseRequest(t *testing.T) {
	tests := []struct {
		name, msg string
		want      Request
		err       error
	}{
		{
			"plain", `{"id":1,"method":"A.b","params":{"x":[1,{"y":"}"}]},"sessionId":"S"}`,
			Request{ID: 1, Method: "A.b", Params: []byte(`{"x":[1,{"y":"}"}]}`), Session: "S", HasID: true},
			nil,
		},
		{"other order and spaces", " { \"method\" : \"A.b\" ,\t\"id\" : -9999 } ", Request{ID: -9999, Method: "A.b", HasID: true}, nil},
		{"id too large for Chromium", `{"id":2147483648,"method":"A.b"}`, Request{}, errID},
		{"NUL inside", "{\"id\":1,\"method\":\"A.b\",\"params\":{\"x\":\"\x00\"}}", Request{}, errJSON},
		{"two messages", `{"id":1,"method":"A.b"}{"id":2,"method":"B.c"}`, Request{}, errJSON},
		{"comment", `{"id":1,/* */"method":"A.b"}`, Request{}, errJSON},
		{"trailing comma", `{"id":1,"method":"A.b",}`, Request{}, errJSON},
		{"too deep", `{"id":1,"method":"A.b","params":{"x":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}}`, Request{}, errJSON},
		{"params are null", `{"id":1,"method":"A.b","params":null}`, Request{ID: 1, Method: "A.b", HasID: true}, nil},
		{"params are a list", `{"id":1,"method":"A.b","params":[]}`, Request{}, errParams},
		{"params are null and an object", `{"id":1,"method":"A.b","params":null,"params":{}}`, Request{}, errProperties},
		{"empty", ``, Request{}, errJSON},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ParseRequest([]byte(tt.msg))
			if err != tt.err { //nolint:errorlint // the exact values are the contract
				t.Fatalf("ParseRequest(%q) error = %v, want %v", tt.msg, err, tt.err)
			}
			if err == nil && (got.ID != tt.want.ID || got.Method != tt.want.Method || got.Session != tt.want.Session || string(got.Params) != string(tt.want.Params)) {
				t.Errorf("ParseRequest(%q) = %+v, want %+v", tt.msg, got, tt.want)
			}
		})
	}
}

// FuzzParseRequest compares [ParseRequest] with encoding/json. If ParseRequest accepts a message,
// the message must be valid JSON, and both must read the same values.
func FuzzParseRequest(f *testing.F) {
	for _, seed := range []string{
		`{"id":1,"method":"A.b","params":{"x":[1.5e-3,true,null,"\u00e9\n"]},"sessionId":"S"}`,
		`{"id":1,"method":"A.b","params":{}}`, `{"id":1,"method":"A.b","params":null}`, `[]`, `{`, `{"id":01,"method":""}`, "{\"id\":1,\"method\":\"\x7f\x00\"}",
		"{\"id\":0,\"method\":\"\xd3\xf3\"}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, msg []byte) {
		r, err := ParseRequest(msg)
		if err != nil {
			return
		}
		var want struct {
			ID        int64            `json:"id"`
			Method    string           `json:"method"`
			SessionID string           `json:"sessionId"`
			Params    *json.RawMessage `json:"params"` // nil for null
		}
		if err := json.Unmarshal(msg, &want); err != nil {
			t.Fatalf("ParseRequest(%q) accepts invalid JSON: %v", msg, err)
		}
		params := ""
		if want.Params != nil {
			params = string(*want.Params)
		}
		if r.Method != want.Method || r.ID != want.ID || r.Session != want.SessionID || string(r.Params) != params {
			t.Fatalf("ParseRequest(%q) = %+v, encoding/json reads %+v", msg, r, want)
		}
		if out := r.Encode(); !json.Valid(out) || strings.IndexByte(string(out), 0) >= 0 {
			t.Fatalf("%q was encoded as %q", msg, out)
		}
	})
}
