package skills

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/cmd/abrowser/args"
)

// The skills are short, and every command in them exists.
func TestSkillsAreShortAndTrue(t *testing.T) {
	command := regexp.MustCompile("(?m)(?:^    |`|; )(abrowser [^`#;\n]*)")
	for _, s := range All() {
		text, err := Get(s.Name, "v1")
		if err != nil || strings.Contains(text, "{{") {
			t.Fatalf("Get(%q) = %v, %q", s.Name, err, text)
		}
		if n := len(text); n > 4000 {
			t.Errorf("%s has %d bytes, too many to be read whole", s.Name, n)
		}
		found := command.FindAllStringSubmatch(text, -1)
		for _, match := range found {
			words, err := args.Split(match[1])
			if err == nil {
				_, err = args.Parse(words[1:])
			}
			if err != nil {
				t.Errorf("%s: %s: %v", s.Name, match[1], err)
			}
		}
		if len(found) < 5 {
			t.Errorf("%s shows %d commands", s.Name, len(found))
		}
	}
	if _, err := Get("../skills", "v1"); err == nil {
		t.Error("Get(../skills) succeeds")
	}
}

// Install replaces a file that an earlier version has written, and no other.
func TestInstall(t *testing.T) {
	dir := t.TempDir()
	for i, want := range []bool{true, true, false} {
		files, err := Install(dir, "claude", "v1")
		if err != nil || len(files) != 1 || files[0].Written != want {
			t.Fatalf("Install() = %+v, %v, want written %t", files, err, want)
		}
		if i == 1 {
			if err := os.WriteFile(filepath.Join(dir, ".claude/skills/abrowser/SKILL.md"), []byte("mine"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if raw, err := os.ReadFile(filepath.Join(dir, ".claude/skills/abrowser/SKILL.md")); err != nil || string(raw) != "mine" {
		t.Errorf("the file is %q, %v", raw, err)
	}
}
