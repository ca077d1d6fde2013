package cli

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/abrowser/abrowser/cmd/abrowser/args"
	"github.com/abrowser/abrowser/cmd/abrowser/config"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

//nolint:gochecknoglobals // a flag of the test binary has no other place
var update = flag.Bool("update", false, "rewrite the golden files and the tables of the documents")

func typed() []wire.AnyVerb {
	return slices.DeleteFunc(verbs.All(), func(v wire.AnyVerb) bool { return v.Describe().Hidden })
}

func TestHelpIsWrittenAlike(t *testing.T) {
	for _, v := range typed() {
		doc := v.Describe()
		if first := []rune(doc.Short); len(first) == 0 || !unicode.IsUpper(first[0]) || strings.HasSuffix(doc.Short, ".") {
			t.Errorf("%s: short is %q", doc.Name, doc.Short)
		}
		if doc.Group == "" {
			t.Errorf("%s has no group", doc.Name)
		}
		for _, f := range v.Fields() {
			if f.Flag == "" && f.Arg < 0 {
				continue
			}
			if first := []rune(f.Help); len(first) == 0 || !isLower(first) || strings.HasSuffix(f.Help, ".") {
				t.Errorf("%s: the help of %s is %q", doc.Name, f.Name, f.Help)
			}
		}
	}
	for _, f := range config.Fields() {
		if !isLower([]rune(f.Help)) {
			t.Errorf("the help of --%s is %q", f.Flag, f.Help)
		}
	}
}

// isLower reports whether help begins with a lower-case letter or with the name JavaScript.
func isLower(help []rune) bool {
	word, _, _ := strings.Cut(string(help), " ")
	return unicode.IsLower(help[0]) || strings.HasPrefix(word, "JavaScript")
}

func TestHelp(t *testing.T) {
	tests := []struct{ file, args string }{
		{"screen", ""},
		{"screen", "help"},
		{"help", "help all"},
		{"help-flags", "help flags"},
		{"help-reading", "help reading"},
		{"help-mcp", "help mcp"},
		{"help-screenshot", "help screenshot"},
		{"help-get", "get --help"},
		{"help-tab", "help tab"},
		{"help-click", "click --help"},
	}
	b := newBench(t)
	for _, tt := range tests {
		stdout, stderr, status := b.run(words(t, tt.args)...)
		if stderr != "" || status != 0 {
			t.Errorf("%s: %q, %d", tt.args, stderr, status)
		}
		golden(t, "testdata/"+tt.file+".txt", stdout)
		for line := range strings.Lines(stdout) {
			if len([]rune(strings.TrimRight(line, "\n"))) > width {
				t.Errorf("%s: %q is wider than %d", tt.args, line, width)
			}
		}
	}
	if stdout, _, _ := b.run(); strings.Count(stdout, "\n") > screenHeight {
		t.Errorf("the help of abrowser alone has %d lines, more than a screen", strings.Count(stdout, "\n"))
	}
	for _, args := range []string{"--help", "help help", "-h", "version -h", "--json help"} {
		if stdout, _, status := b.run(words(t, args)...); !strings.Contains(stdout, "The first commands") || status != 0 {
			t.Errorf("%s: %q, %d", args, stdout, status)
		}
	}
	if _, stderr, status := b.run("help", "nope"); !strings.Contains(stderr, "unknown command nope") || status != wire.ExitUsage {
		t.Errorf("help nope: %q, %d", stderr, status)
	}
	if _, stderr, status := b.run("get"); !strings.Contains(stderr, "get needs one of attr, attributes, box") || status != wire.ExitUsage {
		t.Errorf("get: %q, %d", stderr, status)
	}
}

// screenHeight is the number of lines of a small terminal.
const screenHeight = 24

// The words after "abrowser help" are distinct, and each of them lists its group.
func TestHelpTopics(t *testing.T) {
	b := newBench(t)
	seen := map[string]bool{topicAll: true, topicFlags: true}
	for _, topic := range topics(verbs.All()) {
		if seen[topic] {
			t.Errorf("two groups have the topic %s", topic)
		}
		seen[topic] = true
		if stdout, stderr, status := b.run("help", topic); stdout == "" || stderr != "" || status != 0 {
			t.Errorf("help %s: %q, %q, %d", topic, stdout, stderr, status)
		}
	}
	for _, c := range firstCommands() {
		if _, err := args.Parse(words(t, c[0])); err != nil {
			t.Errorf("the help begins with %s: %v", c[0], err)
		}
	}
	if stdout, _, _ := b.run("help", "mcp"); !strings.Contains(stdout, "--tools") || !strings.Contains(stdout, "mcp install") {
		t.Errorf("help mcp: %s", stdout)
	}
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is not what is printed (go test -update):\n%s", path, got)
	}
}
