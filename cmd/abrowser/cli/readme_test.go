package cli

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/cmd/abrowser/args"
	"github.com/abrowser/abrowser/cmd/abrowser/config"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	readme      = "../../../README.md"
	commandsDoc = "../COMMANDS.md"
)

// firstVerbs returns the commands that the README shows.
func firstVerbs() []string {
	return []string{
		"open", "back", "snapshot", "get text", "get url", "eval", "screenshot", "click", "fill", "press", "select",
		"wait", "tab list", "tab switch", "close", "session list", "browser stop", "doctor",
	}
}

// The tables in README.md and COMMANDS.md match the declarations of the verbs.
// go test -run README -update writes the tables.
func TestREADME(t *testing.T) {
	first := func(v wire.AnyVerb) bool { return slices.Contains(firstVerbs(), v.Describe().Name) }
	text := checkTables(t, readme, map[string]string{"first verbs": verbsTable(first)})
	for _, name := range firstVerbs() {
		if !strings.Contains(text, "\n| `"+name) {
			t.Errorf("%s has no row for %q: no verb has that name", readme, name)
		}
	}
	all := func(wire.AnyVerb) bool { return true }
	text = checkTables(t, commandsDoc, map[string]string{"settings": settingsTable(), "verbs": verbsTable(all)})
	for _, status := range []int{
		wire.ExitDone, wire.ExitFailed, wire.ExitUsage, wire.ExitNoBrowser, wire.ExitTimeout, wire.ExitOwnership,
		wire.ExitPageClosed, wire.ExitInterrupted,
	} {
		if !strings.Contains(text, "\n| "+strconv.Itoa(status)+" | ") {
			t.Errorf("%s has no row for exit status %d", commandsDoc, status)
		}
	}
}

// checkTables compares the tables in a document with the expected ones. The key of an expected
// table is the name of the markers that enclose the table in the document. With -update,
// checkTables writes the expected tables into the document instead. It returns the text of the
// document with the expected tables.
func checkTables(t *testing.T, path string, tables map[string]string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	for name, table := range tables {
		text = between(t, path, text, name, table)
	}
	switch {
	case text == string(raw):
	case *update:
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the tables of %s differ from the declarations: run just docs", path)
	}
	return text
}

// between replaces the text between a table's two markers.
func between(t *testing.T, path, text, name, table string) string {
	t.Helper()
	head, rest, ok := strings.Cut(text, "<!-- "+name+":")
	marker, rest, closed := strings.Cut(rest, "-->\n")
	_, tail, ended := strings.Cut(rest, "<!-- end of "+name+" -->")
	if !ok || !closed || !ended {
		t.Fatalf("%s has no markers for %s", path, name)
	}
	return head + "<!-- " + name + ":" + marker + "-->\n" + table + "<!-- end of " + name + " -->" + tail
}

// verbsTable returns a table, by group, of the verbs for which the function keep returns true.
func verbsTable(keep func(wire.AnyVerb) bool) string {
	verbs := slices.DeleteFunc(verbs.All(), func(v wire.AnyVerb) bool { return !keep(v) })
	var b strings.Builder
	b.WriteString("| command | |\n|---|---|\n")
	for _, group := range groups(verbs) {
		fmt.Fprintf(&b, "| **%s** | |\n", group)
		for _, v := range shown(verbs, group) {
			doc := v.Describe()
			text := doc.Short
			if len(doc.Aliases) > 0 {
				text += " (also `" + strings.Join(doc.Aliases, "`, `") + "`)"
			}
			fmt.Fprintf(&b, "| `%s` | %s |\n", synopsis(v), text)
		}
	}
	return b.String()
}

// synopsis returns the usage of a verb with the names of its flags.
func synopsis(v wire.AnyVerb) string {
	usage, dashed, _ := strings.Cut(strings.TrimPrefix(args.Usage(v.Describe(), v.Fields()), "abrowser "), " [-- ")
	words := strings.TrimSuffix(usage, " [flags]")
	for _, f := range v.Fields() {
		switch {
		case f.Flag == "":
		case f.Short != "":
			words += " [-" + f.Short + "]"
		default:
			words += " [--" + f.Flag + "]"
		}
	}
	if dashed != "" {
		words += " [-- " + dashed
	}
	return words
}

func settingsTable() string {
	var b strings.Builder
	b.WriteString("| flag | variable | key | |\n|---|---|---|---|\n")
	timeout := wire.Verb[verbs.TimeoutIn, verbs.Empty]{}.Fields()
	for _, f := range append(config.Fields(), timeout...) {
		if f.Env == "" {
			continue
		}
		key := "`" + f.Name + "`"
		if !slices.Contains(config.FileKeys(), f.Name) {
			key = ""
		}
		fmt.Fprintf(&b, "| `--%s` | `ABROWSER_%s` | %s | %s |\n", f.Flag, f.Env, key, f.Help)
	}
	return b.String()
}
