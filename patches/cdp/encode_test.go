package cdp

import "testing"

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
		{"event", Event("A.b", "S", []byte(`{}`)), `{"method":"A.b","params":{},"sessionId":"S"}`},
	} {
		if string(tt.got) != tt.want {
			t.Errorf("%s = %s, want %s", tt.name, tt.got, tt.want)
		}
	}
}
