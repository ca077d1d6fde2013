package verbs

import (
	"encoding/json"
	"testing"
)

func TestEvalText(t *testing.T) {
	for _, tt := range []struct{ name, result, want string }{
		{"order", `{"b":1,"a":2}`, "{\n  \"b\": 1,\n  \"a\": 2\n}"},
		{"large number", `12345678901234567890`, `12345678901234567890`},
		{"markup", `"\u003ca href=\u0026\u003e"`, `"<a href=&>"`},
		{"a backslash before it", `"\\u003c"`, `"\\u003c"`},
		{"other escapes", `"\"\n\u2028"`, `"\"\n\u2028"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := (EvalOut{Result: json.RawMessage(tt.result)}).Text(); got != tt.want {
				t.Errorf("Text of %s = %s, want %s", tt.result, got, tt.want)
			}
		})
	}
}
