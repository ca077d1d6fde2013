package web

import (
	"errors"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/sockets/wire"
)

func TestParseSelector(t *testing.T) {
	t.Parallel()
	tests := []struct {
		given, query string
		ref          int
	}{
		{"@e1", "", 1},
		{"e12", "", 12},
		{"ref=e3", "", 3},
		{" e4 ", "", 4},
		{"e0", "e0", 0},
		{"em", "em", 0},
		{"#e1", "#e1", 0},
		{"xpath=//a", "xpath=//a", 0},
		{"//a[1]", "//a[1]", 0},
		{"text=Go on", "text=Go on", 0},
		{"role=button[name='x']", "role=button[name='x']", 0},
		{"iframe >> internal", "iframe >> internal", 0},
		{"a, b > c", "a, b > c", 0},
	}
	for _, tt := range tests {
		got, err := parseSelector(tt.given)
		if err != nil || got.query != tt.query || got.ref != tt.ref || got.given != tt.given {
			t.Errorf("parseSelector(%q) = %+v, %v, want the query %q and the ref %d", tt.given, got, err, tt.query, tt.ref)
		}
	}
	for _, given := range []string{"", "  ", "@x1", "@e", "@e1x", "aria-ref=e1", "div >> aria-ref=e1", "internal:control=enter-frame", strings.Repeat("a", maxSelector+1)} {
		if got, err := parseSelector(given); !errors.Is(err, wire.CodeBadInput) {
			t.Errorf("parseSelector(%.40q) = %+v, %v, want %s", given, got, err, wire.CodeBadInput)
		}
	}
}

func TestIsImagePath(t *testing.T) {
	t.Parallel()
	for arg, want := range map[string]bool{
		"page.png": true, "x.JPG": true, "./out": true, "../out": true, "/tmp/x": true, "dir/x": true, "a/b.png": true,
		"#id": false, ".class": false, "@e1": false, "h1": false, "button": false, ".a.png": false, "e3": false,
	} {
		if got := isImagePath(arg); got != want {
			t.Errorf("isImagePath(%q) = %v, want %v", arg, got, want)
		}
	}
}

func TestURLPattern(t *testing.T) {
	t.Parallel()
	tests := []struct {
		pattern, url string
		want         bool
	}{
		{"index", "http://x.test/index.html", true},
		{"nope", "http://x.test/index.html", false},
		{"**/index.html", "http://x.test/a/index.html", true},
		{"**/index.html", "http://x.test/a/index.html?q", false},
		{"http://x.test/*", "http://x.test/a/b", true},
		{"*", "http://x.test/", true},
		{"http://x.test/*/c", "http://x.test/a/b/c", true},
		{"x.test/*", "http://x.test/a", false},
		{"**/a?b=1*", "http://x.test/a?b=1&c", true},
		{"**/a.b", "http://x.test/axb", false},
	}
	for _, tt := range tests {
		if got := urlPattern(tt.pattern)(tt.url); got != tt.want {
			t.Errorf("urlPattern(%q)(%q) = %v, want %v", tt.pattern, tt.url, got, tt.want)
		}
	}
}
