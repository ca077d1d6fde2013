package address

import (
	"errors"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/sockets/wire"
)

func TestComplete(t *testing.T) {
	t.Parallel()
	tests := []struct{ given, want string }{
		{"https://example.com/a?b#c", "https://example.com/a?b#c"},
		{"  http://example.com  ", "http://example.com"},
		{"HTTPS://Example.com", "HTTPS://Example.com"},
		{"example.com", "https://example.com"},
		{"example.com:8080/path", "https://example.com:8080/path"},
		{"//example.com/x", "https://example.com/x"},
		{"localhost", "http://localhost"},
		{"localhost:3000/a", "http://localhost:3000/a"},
		{"app.localhost:3000", "http://app.localhost:3000"},
		{"127.0.0.1:8080", "http://127.0.0.1:8080"},
		{"127.9.9.9", "http://127.9.9.9"},
		{"[::1]:8080/x", "http://[::1]:8080/x"},
		{"0.0.0.0:80", "http://0.0.0.0:80"},
		{"128.0.0.1", "https://128.0.0.1"},
		{"notlocalhost", "https://notlocalhost"},
		{"about:blank", "about:blank"},
		{"ABOUT:BLANK", "about:blank"},
		{"data:text/html,<h1>x</h1>", "data:text/html,<h1>x</h1>"},
		{"data:0,1", "data:0,1"},
		{"file:///tmp/x.html", "file:///tmp/x.html"},
		{"blob:https://example.com/1", "blob:https://example.com/1"},
	}
	for _, tt := range tests {
		if got, err := Complete(tt.given); err != nil || got != tt.want {
			t.Errorf("Complete(%q) = %q, %v, want %q", tt.given, got, err, tt.want)
		}
	}
}

func TestCompleteRefuses(t *testing.T) {
	t.Parallel()
	for _, given := range []string{
		"", " ", "javascript:alert(1)", "JavaScript:alert(1)", "javascript:1", "tel:112", "java\tscript:alert(1)", "chrome://settings", "chrome-extension://x/y",
		"chrome-untrusted://x", "devtools://devtools", "view-source:https://example.com", "about:config", "about:srcdoc", "mailto:a@b.c", "ftp://x.y/",
		"ws://example.com", "intent://x", "http://", "https:///path", "http://exa mple.com", "/etc/passwd", "https://" + strings.Repeat("x", maxURL),
		"http://example.com/\x00", "http://..", "./page.html",
	} {
		got, err := Complete(given)
		if !errors.Is(err, wire.CodeBadInput) {
			t.Errorf("Complete(%.40q) = %.40q, %v, want %s", given, got, err, wire.CodeBadInput)
		}
	}
}
