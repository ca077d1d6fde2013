package home

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/sockets/wire"
)

func TestCheckName(t *testing.T) {
	for _, good := range []string{
		"a", "default", "task_123", "A.b-C_9", "...", ".hidden", "-", strings.Repeat("x", 128), "550e8400-e29b-41d4-a716-446655440000",
	} {
		if err := CheckName(good); err != nil {
			t.Errorf("CheckName(%q) = %v, want none", good, err)
		}
	}
	for _, bad := range []string{
		"", ".", "..", "../x", "a/b", "/", `a\b`, "a b", " ", "a\n", "a\x00", "äöü", "日本", "a:b", "a\xff", "～", strings.Repeat("x", 129), strings.Repeat("x", 200),
	} {
		err := CheckName(bad)
		if !errors.Is(err, wire.CodeBadInput) {
			t.Errorf("CheckName(%q) = %v, want %s", bad, err, wire.CodeBadInput)
		} else if wire.AsError(err).Hint == "" {
			t.Errorf("CheckName(%q) has no hint", bad)
		}
	}
}

func TestFileNames(t *testing.T) {
	tests := []struct {
		name    string
		literal bool
	}{
		{"default", true},
		{"task_1-2", true},
		{strings.Repeat("x", 64), true},
		{strings.Repeat("x", 65), false},
		{"Task", false},
		{"a.b", false},
		{"...", false},
	}
	seen := map[string]string{}
	for _, tt := range tests {
		got := fileName(tt.name)
		if (got == tt.name) != tt.literal {
			t.Errorf("fileName(%q) = %q, want literal: %t", tt.name, got, tt.literal)
		}
		if !tt.literal && isLiteral(got) {
			t.Errorf("fileName(%q) = %q, which is another session's literal name", tt.name, got)
		}
		folded := strings.ToLower(got)
		if other, ok := seen[folded]; ok {
			t.Errorf("fileName(%q) and fileName(%q) are the same on a case-insensitive file system", tt.name, other)
		}
		seen[folded] = tt.name
	}
	if fileName("task") == fileName("Task") {
		t.Error("task and Task share a file")
	}
}

func FuzzCheckName(f *testing.F) {
	for _, s := range []string{"", ".", "..", "../x", "a b", "ä", "task_1", "Task", strings.Repeat("x", 200), "a\x00b"} {
		f.Add(s)
	}
	r := Root{Dir: "/r"}
	f.Fuzz(func(t *testing.T, name string) {
		p, err := r.Session(name)
		if err != nil {
			if !errors.Is(err, wire.CodeBadInput) {
				t.Fatalf("Session(%q) = %v, want %s", name, err, wire.CodeBadInput)
			}
			return
		}
		b, err := r.Browser(name)
		if err != nil {
			t.Fatalf("Browser(%q) = %v, but Session accepts the name", name, err)
		}
		for path, dir := range map[string]string{
			p.Socket: "/r/run/s", p.Lock: "/r/run/s", p.Start: "/r/run/s", p.Log: "/r/log",
			b.Socket: "/r/run/b", b.Start: "/r/run/b", b.Log: "/r/log",
		} {
			if filepath.Dir(path) != dir || filepath.Clean(path) != path || len(filepath.Base(path)) > 255 {
				t.Fatalf("%q leads to %q, want a file of %s", name, path, dir)
			}
		}
		if filepath.Dir(filepath.Dir(b.Lock)) != "/r/profiles" {
			t.Fatalf("%q leads to %q", name, b.Lock)
		}
	})
}
