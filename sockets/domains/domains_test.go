package domains

import (
	"errors"
	"slices"
	"testing"

	"github.com/abrowser/abrowser/sockets/wire"
)

func TestNormalize(t *testing.T) {
	t.Parallel()
	got, err := Normalize([]string{"B.example.", "*.Example.com", "b.example", "127.0.0.1", "[::1]", "::ffff:10.0.0.1"})
	if want := []string{"*.example.com", "10.0.0.1", "127.0.0.1", "::1", "b.example"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("Normalize() = %q, %v, want %q", got, err, want)
	}
	for _, bad := range []string{"", " ", "*", "*.", "a..b", "http://a", "a/b", "a:80", "a.*.b", "a b", "ä.example", "a@b", "*.*.a", "*.0.0.1", "1.2.3", "*.127.0.0.1"} {
		if got, err := Normalize([]string{"good.example", bad}); !errors.Is(err, wire.CodeBadInput) {
			t.Errorf("Normalize(%q) = %q, %v, want %s", bad, got, err, wire.CodeBadInput)
		}
	}
}

func TestAllows(t *testing.T) {
	t.Parallel()
	list, err := Normalize([]string{"example.com", "*.example.org", "127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"example.com", "EXAMPLE.com.", "example.org", "a.example.org", "a.b.example.org", "127.0.0.1", "::ffff:127.0.0.1"} {
		if !list.Allows(host) {
			t.Errorf("%s is not allowed", host)
		}
	}
	for _, host := range []string{"", ".", "a.example.com", "example.com.evil.test", "xexample.org", "badexample.com", "localhost", "127.0.0.2", "::1", "*.example.org.evil"} {
		if list.Allows(host) {
			t.Errorf("%s is allowed", host)
		}
	}
	if (List{}).Allows("example.com") {
		t.Error("an empty list allows a host")
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	list := List{"example.com"}
	for _, url := range []string{"https://example.com/x", "http://example.com:8080", "about:blank", "data:text/html,x", "blob:https://example.com/1"} {
		if err := list.Check(url); err != nil {
			t.Errorf("Check(%s) = %v", url, err)
		}
	}
	for _, url := range []string{"https://evil.test/", "https://example.com@evil.test/", "http://evil.test#example.com", "file:///etc/passwd"} {
		if err := list.Check(url); !errors.Is(err, wire.CodeDenied) {
			t.Errorf("Check(%s) = %v, want %s", url, err, wire.CodeDenied)
		}
	}
	if err := (List)(nil).Check("https://evil.test/"); err != nil {
		t.Errorf("without a list: %v", err)
	}
}
