package cli

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/sockets/wire"
)

const readme = "../../../README.md"

// The README's tables are the declarations'. go test -run README -update writes
// them.
func TestREADME(t *testing.T) {
	raw, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	text := between(t, string(raw), "settings", settingsTable())
	text = between(t, text, "verbs", verbsTable())
	if *update {
		if err := os.WriteFile(readme, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if text != string(raw) {
		t.Error("the README's tables are not the declarations': just docs")
	}
	for _, status := range []int{
		wire.ExitDone, wire.ExitFailed, wire.ExitUsage, wire.ExitNoBrowser, wire.ExitTimeout, wire.ExitOwnership,
		wire.ExitPageClosed, wire.ExitInterrupted,
	} {
		if !strings.Contains(text, "\n| "+strconv.Itoa(status)+" | ") {
			t.Errorf("the README does not tell of exit status %d", status)
		}
	}
}

// between replaces what stands between a table's two markers.
func between(t *testing.T, text, name, table string) string {
	t.Helper()
	head, rest, ok := strings.Cut(text, "<!-- "+name+":")
	marker, rest, closed := strings.Cut(rest, "-->\n")
	_, tail, ended := strings.Cut(rest, "<!-- end of "+name+" -->")
	if !ok || !closed || !ended {
		t.Fatalf("the README has no markers for %s", name)
	}
	return head + "<!-- " + name + ":" + marker + "-->\n" + table + "<!-- end of " + name + " -->" + tail
}

func verbsTable() string {
	var b strings.Builder
	b.WriteString("| command | |\n|---|---|\n")
	for _, group := range groups(wire.All()) {
		fmt.Fprintf(&b, "| **%s** | |\n", group)
		for _, v := range shown(wire.All(), group) {
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

// synopsis is the usage with the flags by name.
func synopsis(v wire.AnyVerb) string {
	words := strings.TrimPrefix(strings.TrimSuffix(usage(v.Describe(), v.Fields()), " [flags]"), "abrowser ")
	for _, f := range v.Fields() {
		switch {
		case f.Flag == "":
		case f.Short != "":
			words += " [-" + f.Short + "]"
		default:
			words += " [--" + f.Flag + "]"
		}
	}
	return words
}

func settingsTable() string {
	var b strings.Builder
	b.WriteString("| flag | variable | key | |\n|---|---|---|---|\n")
	timeout := wire.Verb[wire.Waits, wire.Nothing]{}.Fields()
	for _, f := range append(globalFields(), timeout...) {
		if f.Env == "" {
			continue
		}
		key := "`" + f.Name + "`"
		if slices.ContainsFunc(whoFields(), func(w wire.Field) bool { return w.Name == f.Name }) {
			key = ""
		}
		fmt.Fprintf(&b, "| `--%s` | `ABROWSER_%s` | %s | %s |\n", f.Flag, f.Env, key, f.Help)
	}
	return b.String()
}
