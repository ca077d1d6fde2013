package cli

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/spf13/pflag"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

//nolint:gochecknoglobals // a flag of the test binary has no other place
var update = flag.Bool("update", false, "rewrite the golden files and the tables of the documents")

func typed() []wire.AnyVerb {
	return slices.DeleteFunc(verbs.All(), func(v wire.AnyVerb) bool { return v.Describe().Hidden })
}

func TestEveryVerbHasACommand(t *testing.T) {
	root := newTree(verbs.All())
	n := namesOf(verbs.All())
	for _, v := range typed() {
		doc := v.Describe()
		words := strings.Fields(doc.Name)
		cmd, rest, err := root.Find(words)
		if err != nil || len(rest) > 0 || cmd.CommandPath() != "abrowser "+doc.Name {
			t.Errorf("%s: Find is %s, %v, %v", doc.Name, cmd.CommandPath(), rest, err)
			continue
		}
		for _, f := range v.Fields() {
			if f.Flag != "" && cmd.Flags().Lookup(f.Flag) == nil {
				t.Errorf("%s has no flag --%s", doc.Name, f.Flag)
			}
		}
		if cmd.Short != doc.Short || cmd.Example != doc.Example {
			t.Errorf("%s: short %q, example %q", doc.Name, cmd.Short, cmd.Example)
		}
		for _, name := range append([]string{doc.Name}, doc.Aliases...) {
			if !slices.ContainsFunc(n.called(name), func(v wire.AnyVerb) bool { return v.Describe().Name == doc.Name }) {
				t.Errorf("%s is not found as %s", doc.Name, name)
			}
		}
	}
	for _, word := range specials() {
		if n.begins(word) && word != "broker" {
			t.Errorf("%s is a verb's word, too", word)
		}
	}
}

// No two verbs claim one name, but where one takes arguments and the other none.
func TestNamesAreUnique(t *testing.T) {
	n := namesOf(verbs.All())
	for name := range n.all() {
		verbs := n.called(name)
		needs := map[bool]string{}
		for _, v := range verbs {
			key := leastTexts(v.Fields()) > 0
			if other, taken := needs[key]; taken {
				t.Errorf("%s is both %s and %s", name, other, v.Describe().Name)
			}
			needs[key] = v.Describe().Name
		}
		if len(verbs) > 1 && len(needs) < 2 {
			t.Errorf("%s is several verbs'", name)
		}
	}
}

func TestFlagsAreUnique(t *testing.T) {
	global := globalFlags(members{})
	for _, v := range typed() {
		flags := newCommand(v, members{}).Flags() // panics where a verb declares one twice
		flags.VisitAll(func(f *pflag.Flag) {
			if global.Lookup(f.Name) != nil || f.Shorthand != "" && global.ShorthandLookup(f.Shorthand) != nil {
				t.Errorf("%s: --%s -%s is every command's", v.Describe().Name, f.Name, f.Shorthand)
			}
		})
	}
}

func TestExamplesParse(t *testing.T) {
	n := namesOf(verbs.All())
	for _, v := range typed() {
		doc := v.Describe()
		words := words(t, doc.Example)
		if len(words) == 0 || words[0] != "abrowser" {
			t.Errorf("%s: the example is %q", doc.Name, doc.Example)
			continue
		}
		l, err := read(n, words[1:])
		if err != nil {
			t.Errorf("%s: the example %q: %v", doc.Name, doc.Example, err)
			continue
		}
		if got := l.verb.Describe().Name; got != doc.Name {
			t.Errorf("the example of %s is one of %s", doc.Name, got)
		}
		if doc.Name == verbs.Batch.Name {
			continue // its request is made of its commands
		}
		if _, err := l.request(); err != nil {
			t.Errorf("%s: the example %q: %v", doc.Name, doc.Example, err)
		}
	}
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
	for _, f := range globalFields() {
		if !isLower([]rune(f.Help)) {
			t.Errorf("the help of --%s is %q", f.Flag, f.Help)
		}
	}
}

// isLower reports whether help begins in lower case; a name (JavaScript) may not.
func isLower(help []rune) bool {
	word, _, _ := strings.Cut(string(help), " ")
	return unicode.IsLower(help[0]) || strings.HasPrefix(word, "JavaScript")
}

func TestHelp(t *testing.T) {
	tests := []struct{ file, args string }{
		{"screen", ""},
		{"help", "help"},
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
	if stdout, _, _ := b.run(); strings.Count(stdout, "\n") > 24 {
		t.Errorf("the help of abrowser alone has %d lines, more than a screen", strings.Count(stdout, "\n"))
	}
	for _, args := range []string{"--help", "help help", "-h", "version -h", "--json help"} {
		if stdout, _, status := b.run(words(t, args)...); !strings.Contains(stdout, "Flags of all commands") || status != 0 {
			t.Errorf("%s: %q, %d", args, stdout, status)
		}
	}
	if _, stderr, status := b.run("help", "nope"); !strings.Contains(stderr, "unknown command nope") || status != wire.ExitUsage {
		t.Errorf("help nope: %q, %d", stderr, status)
	}
	if _, stderr, status := b.run("get"); !strings.Contains(stderr, "get needs one of attr, box") || status != wire.ExitUsage {
		t.Errorf("get: %q, %d", stderr, status)
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

func TestCompletion(t *testing.T) {
	b := newBench(t)
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if stdout, stderr, status := b.run("completion", shell); !strings.Contains(stdout, "__complete") || stderr != "" || status != 0 {
			t.Errorf("completion %s: %d bytes, %q, %d", shell, len(stdout), stderr, status)
		}
	}
	tests := []struct {
		args []string
		want string
	}{
		{[]string{"scroll", ""}, "up\ndown\nleft\nright\n"},
		{[]string{"wait", "--state", ""}, "visible\nhidden\nattached\ndetached\n"},
		{[]string{"dialog", ""}, "accept\tAccept the next JavaScript dialog, whatever the policy\ndismiss\tDismiss"},
		{[]string{"click", "--new"}, "--new-tab\topen the link in a new tab\n"},
	}
	for _, tt := range tests {
		stdout, _, status := b.run(append([]string{"__complete"}, tt.args...)...)
		if !strings.HasPrefix(stdout, tt.want) || status != 0 {
			t.Errorf("completing %q: %q, %d, want %q", tt.args, stdout, status, tt.want)
		}
	}
	if _, stderr, status := b.run("completion", "tcsh"); status != wire.ExitUsage {
		t.Errorf("completion tcsh: %q, %d", stderr, status)
	}
}
