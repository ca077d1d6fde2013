package patches

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"strings"
	"testing"
)

func TestScanRequest(t *testing.T) {
	tests := []struct {
		name, msg string
		want      request
		err       error
	}{
		{
			"plain", `{"id":1,"method":"A.b","params":{"x":[1,{"y":"}"}]},"sessionId":"S"}`,
			request{id: 1, method: "A.b", params: []byte(`{"x":[1,{"y":"}"}]}`), session: "S", named: true},
			nil,
		},
		{"other order and spaces", " { \"method\" : \"A.b\" ,\t\"id\" : -9999 } ", request{id: -9999, method: "A.b", named: true}, nil},
		{"id too large for Chromium", `{"id":2147483648,"method":"A.b"}`, request{}, errID},
		{"NUL inside", "{\"id\":1,\"method\":\"A.b\",\"params\":{\"x\":\"\x00\"}}", request{}, errJSON},
		{"two messages", `{"id":1,"method":"A.b"}{"id":2,"method":"B.c"}`, request{}, errJSON},
		{"comment", `{"id":1,/* */"method":"A.b"}`, request{}, errJSON},
		{"trailing comma", `{"id":1,"method":"A.b",}`, request{}, errJSON},
		{"too deep", `{"id":1,"method":"A.b","params":{"x":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}}`, request{}, errJSON},
		{"params are null", `{"id":1,"method":"A.b","params":null}`, request{}, errParams},
		{"empty", ``, request{}, errJSON},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := scanRequest([]byte(tt.msg))
			if err != tt.err { //nolint:errorlint // the very values are promised
				t.Fatalf("scanRequest(%q) error = %v, want %v", tt.msg, err, tt.err)
			}
			if err == nil && (got.id != tt.want.id || got.method != tt.want.method || got.session != tt.want.session || string(got.params) != string(tt.want.params)) {
				t.Errorf("scanRequest(%q) = %+v, want %+v", tt.msg, got, tt.want)
			}
		})
	}
}

// Eight bytes of a string are passed over at once where none of them ends it, begins
// an escape, or is none that a string may have; wherever it stands, whatever is beside.
func TestPlain(t *testing.T) {
	for c := range 256 {
		for _, beside := range []byte{' ', '!', '#', '[', ']', 0x7f, 0x80, 0xff} {
			for at := range 8 {
				text := bytes.Repeat([]byte{beside}, 8)
				text[at] = byte(c)
				want := c >= ' ' && c != '"' && c != '\\'
				if got := plain(binary.LittleEndian.Uint64(text)); got != want {
					t.Fatalf("plain(%q) = %t", text, got)
				}
			}
		}
	}
}

func TestScanIncoming(t *testing.T) {
	tests := []struct {
		name, msg string
		ok        bool
		want      incoming
	}{
		{"reply on a session", `{"id":7,"result":{"sessionId":"no"},"sessionId":"S"}`, true, incoming{isReply: true, id: 7, comma: 7, session: "S", tail: 35}},
		{"reply on the root", `{"id":7,"result":{"sessionId":"no"}}`, true, incoming{isReply: true, id: 7, comma: 7}},
		{"event on the root that ends like one", `{"method":"A.b","params":{"x":1,"sessionId":"no"}}`, true, incoming{method: "A.b"}},
		{"event on a session", `{"method":"A.b","params":{},"sessionId":"S"}`, true, incoming{method: "A.b", session: "S", tail: 27}},
		{"error to nobody", `{"error":{"code":-32700,"message":"JSON"}}`, false, incoming{}},
		{"rest of a half message", `b","params":{}}`, false, incoming{}},
		{"nothing", ``, false, incoming{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := scanIncoming([]byte(tt.msg))
			if ok != tt.ok {
				t.Fatalf("scanIncoming(%q) = %v, want %v", tt.msg, ok, tt.ok)
			}
			if ok && (got.isReply != tt.want.isReply || got.id != tt.want.id || got.comma != tt.want.comma ||
				got.method != tt.want.method || got.session != tt.want.session || got.tail != tt.want.tail) {
				t.Errorf("scanIncoming(%q) = %+v, want %+v", tt.msg, got, tt.want)
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
		in, _ := scanIncoming([]byte(tt.msg))
		if got := string(withID(in.raw, in.comma, tt.id)); got != tt.want {
			t.Errorf("withID(%s, %d) = %s, want %s", tt.msg, tt.id, got, tt.want)
		}
	}
}

// FuzzScanRequest holds [Read] against encoding/json: what it lets through
// is JSON, and read the same.
func FuzzScanRequest(f *testing.F) {
	for _, seed := range []string{
		`{"id":1,"method":"A.b","params":{"x":[1.5e-3,true,null,"\u00e9\n"]},"sessionId":"S"}`,
		`{"id":1,"method":"A.b","params":{}}`, `[]`, `{`, `{"id":01,"method":""}`, "{\"id\":1,\"method\":\"\x7f\x00\"}",
		"{\"id\":0,\"method\":\"\xd3\xf3\"}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, msg []byte) {
		m := Read(msg)
		if m.err != nil {
			return
		}
		r := m.request
		var want struct {
			ID        int64           `json:"id"`
			Method    string          `json:"method"`
			SessionID string          `json:"sessionId"`
			Params    json.RawMessage `json:"params"`
		}
		if err := json.Unmarshal(msg, &want); err != nil {
			t.Fatalf("Read(%q) accepts what is no JSON: %v", msg, err)
		}
		if r.method != want.Method || r.id != want.ID || r.session != want.SessionID || string(r.params) != string(want.Params) {
			t.Fatalf("Read(%q) = %+v, encoding/json reads %+v", msg, r, want)
		}
		if out := command(1, r.method, r.params, r.session); !json.Valid(out) || strings.IndexByte(string(out), 0) >= 0 {
			t.Fatalf("from %q came %q", msg, out)
		}
	})
}

// FuzzScanIncoming wants that no message of the browser, whole or half, makes
// the scanner fail, and that the session it finds is the one that is there.
func FuzzScanIncoming(f *testing.F) {
	f.Add([]byte(`{"id":7,"result":{"sessionId":"no"},"sessionId":"S"}`))
	f.Add([]byte(`{"method":"A.b","params":{},"sessionId":"S"}`))
	f.Add([]byte(`{"id":7`))
	f.Fuzz(func(t *testing.T, msg []byte) {
		in, ok := scanIncoming(append([]byte(nil), msg...))
		if !ok || !json.Valid(msg) {
			return
		}
		_ = in.rawParams()
		var all map[string]json.RawMessage
		if json.Unmarshal(msg, &all) != nil || in.session == "" {
			return
		}
		if got := string(all["sessionId"]); got != `"`+in.session+`"` && !strings.Contains(got, `\`) {
			t.Fatalf("scanIncoming(%q) finds session %q, encoding/json %s", msg, in.session, got)
		}
	})
}
