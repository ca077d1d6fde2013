package history

import (
	"errors"
	"testing"

	"github.com/abrowser/abrowser/sockets/wire"
)

func TestResolve(t *testing.T) {
	for _, tt := range []struct{ at, given, want string }{
		{"https://a.example/x/y?q#h", "/settings", "https://a.example/settings"},
		{"https://a.example/x/y", "z", "https://a.example/x/z"},
		{"https://a.example/x/y", "?page=2", "https://a.example/x/y?page=2"},
		{"https://a.example/x", "https://a.example/z#h", "https://a.example/z#h"},
		{"https://a.example/x", "https://b.example/x", ""},
		{"https://a.example/x", "//b.example/x", ""},
		{"https://a.example/x", "javascript:alert(1)", ""},
		{"https://a.example/x", "http://a.example/x", ""},
		{"https://a.example/x", "https://a.example:444/", ""},
		{"https://a.example/x", "%zz", ""},
		{"about:blank", "/x", ""},
		{"data:text/html,x", "/x", ""},
	} {
		got, err := resolve(tt.at, tt.given)
		if got != tt.want || (err == nil) != (tt.want != "") || err != nil && !errors.Is(err, wire.CodeBadInput) {
			t.Errorf("resolve(%q, %q) = %q, %v, want %q", tt.at, tt.given, got, err, tt.want)
		}
	}
}
