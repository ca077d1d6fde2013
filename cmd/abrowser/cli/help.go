package cli

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/abrowser/abrowser/cmd/abrowser/args"
	"github.com/abrowser/abrowser/cmd/abrowser/config"
	"github.com/abrowser/abrowser/sockets/wire"
)

const summary = "abrowser drives a browser for many tasks at once, each on a page of its own."

const width = 80 // columns of the help

// screen returns help that fits on one screen: the commands and some examples.
func screen(verbs []wire.AnyVerb) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nusage: abrowser [--session NAME] COMMAND [ARGUMENTS] [flags]\n\n", summary)
	for _, group := range groups(verbs) {
		b.WriteString(row(group, strings.Join(short(verbs, group), ", "), 19))
	}
	b.WriteString(row("Other", "help, version, completion", 19))
	b.WriteString(`
examples:
  abrowser --session task_123 open https://example.com
  abrowser snapshot -i            what is on the page, with refs to act on
  abrowser click e2
  abrowser close                  the tab stays, for review or a follow-up

"abrowser help COMMAND" prints what a command takes, "abrowser help" lists all.`)
	return b.String()
}

// fullHelp returns a line for each command, and the flags that all of them take.
func fullHelp(verbs []wire.AnyVerb) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nusage: abrowser [--session NAME] COMMAND [ARGUMENTS] [flags]\n", summary)
	for _, group := range groups(verbs) {
		fmt.Fprintf(&b, "\n%s:\n", group)
		for _, v := range shown(verbs, group) {
			b.WriteString(row("  "+v.Describe().Name, v.Describe().Short, 18))
		}
	}
	b.WriteString("\nOther:\n")
	b.WriteString(row("  help", "Print what a command takes", 18))
	b.WriteString(row("  version", "Print the version", 18))
	b.WriteString(row("  completion", "Print the completion script for bash, zsh or fish", 18))
	b.WriteString("\nFlags of all commands, before or after them:\n")
	b.WriteString(flagRows(config.Fields()))
	b.WriteString(`
A token that is not a flag of the command is text if the last argument is text;
after -- everything is text. The variables in brackets have ABROWSER_ or
AGENT_BROWSER_ before them. Settings and output can stand in
~/.config/abrowser/config.json, too; output and timeout also in ./abrowser.json.

exit status: 0 done, 1 failed, 2 usage, 3 no browser, 4 timed out, 5 ownership,
6 page closed, 130 interrupted`)
	return b.String()
}

// groupHelp returns a line for each command whose name begins with word.
func groupHelp(word string, verbs []wire.AnyVerb) string {
	var b strings.Builder
	fmt.Fprintf(&b, "usage: abrowser %s COMMAND [ARGUMENTS] [flags]\n\n", word)
	for _, v := range verbs {
		doc := v.Describe()
		if !doc.Hidden && (doc.Name == word || strings.HasPrefix(doc.Name, word+" ")) {
			text := doc.Short
			if len(doc.Aliases) > 0 {
				text += " (also " + strings.Join(doc.Aliases, ", ") + ")"
			}
			b.WriteString(row("  "+strings.TrimPrefix(args.Usage(doc, v.Fields()), "abrowser "), text, 36))
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// verbHelp returns the help on one command: its arguments, its flags and an example.
func verbHelp(v wire.AnyVerb) string {
	doc := v.Describe()
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nusage: %s\n", doc.Short, args.Usage(doc, v.Fields()))
	if len(doc.Aliases) > 0 {
		fmt.Fprintf(&b, "also:  abrowser %s\n", strings.Join(doc.Aliases, ", abrowser "))
	}
	if doc.Long != "" {
		fmt.Fprintf(&b, "\n%s\n", wrap(doc.Long, width, ""))
	}
	if arguments := args.Arguments(v.Fields()); len(arguments) > 0 {
		b.WriteString("\narguments:\n")
		for _, f := range arguments {
			b.WriteString(row("  "+args.Placeholder(f), f.Help+notes(f), 26))
		}
	}
	if rows := flagRows(v.Fields()); rows != "" {
		b.WriteString("\nflags:\n" + rows)
	}
	fmt.Fprintf(&b, "\nexample:\n  %s\n\nFlags of all commands: abrowser help", doc.Example)
	return b.String()
}

func flagRows(fields []wire.Field) string {
	var b strings.Builder
	for _, f := range fields {
		if f.Flag == "" {
			continue
		}
		name := "      --" + f.Flag
		if f.Short != "" {
			name = "  -" + f.Short + ", --" + f.Flag
		}
		if word := valueName(f); word != "" {
			name += " " + word
		}
		b.WriteString(row(name, f.Help+notes(f), 26))
	}
	return b.String()
}

// valueName returns the word that stands for a flag's value, or "" if the flag takes no value.
func valueName(f wire.Field) string {
	switch {
	case f.Type.Kind() == reflect.Bool:
		return ""
	case f.Type.Kind() == reflect.Slice:
		return "A,B"
	case f.Duration:
		return "TIME"
	case f.Type.Kind() == reflect.Int:
		return "N"
	case len(f.Enum) > 0:
		return "WORD"
	case f.File == "name":
		return "PATH"
	case f.Name == "session":
		return "NAME"
	case f.Name == "cdp":
		return "URL"
	default:
		return "TEXT"
	}
}

// notes returns the text that follows a field's help: the field's choices, its default and its
// environment variable.
func notes(f wire.Field) string {
	s := ""
	if len(f.Enum) > 0 && !strings.Contains(f.Help, f.Enum[0]) {
		s += ": " + strings.Join(f.Enum, ", ")
	}
	if f.Default != "" {
		s += " (default " + f.Default + ")"
	}
	if f.Env != "" {
		s += " [" + f.Env + "]"
	}
	return s
}

// groups returns the headings of the verbs that are not hidden, in the order of the verbs.
func groups(verbs []wire.AnyVerb) []string {
	var all []string
	for _, v := range verbs {
		if doc := v.Describe(); !doc.Hidden && !slices.Contains(all, doc.Group) {
			all = append(all, doc.Group)
		}
	}
	return all
}

func shown(verbs []wire.AnyVerb, group string) []wire.AnyVerb {
	return slices.DeleteFunc(slices.Clone(verbs), func(v wire.AnyVerb) bool {
		return v.Describe().Hidden || v.Describe().Group != group
	})
}

// maxAlike is the largest number of commands with the same first word that [screen] lists.
const maxAlike = 2

// short lists the commands of a group. Commands with the same first word are one entry, such as
// "browser status|stop". If there are more than maxAlike of them, the entry is shortened, such as
// "get ...".
func short(verbs []wire.AnyVerb, group string) []string {
	var all []string
	for _, v := range shown(verbs, group) {
		first, rest, two := strings.Cut(v.Describe().Name, " ")
		last := len(all) - 1
		if two && last >= 0 && strings.HasPrefix(all[last], first+" ") {
			all[last] += "|" + rest
			continue
		}
		all = append(all, v.Describe().Name)
	}
	for i, names := range all {
		if first, rest, _ := strings.Cut(names, " "); strings.Count(rest, "|") >= maxAlike {
			all[i] = first + " ..."
		}
	}
	return all
}

// row returns a name and the text that explains it. The text begins at the given column and is
// wrapped there. If the name reaches the column, the text begins on the next line.
func row(name, text string, column int) string {
	indent := strings.Repeat(" ", column)
	if len(name) >= column {
		return name + "\n" + indent + wrap(text, width-column, indent) + "\n"
	}
	return name + indent[len(name):] + wrap(text, width-column, indent) + "\n"
}

// wrap breaks text into lines of at most the given number of columns. It breaks at spaces and
// after the character |, and indents all lines but the first.
func wrap(text string, columns int, indent string) string {
	var b strings.Builder
	at := 0
	for i, word := range strings.FieldsFunc(strings.ReplaceAll(text, "|", "|\x00"), func(r rune) bool { return r == ' ' || r == '\x00' }) {
		gap := " "
		if i == 0 || strings.HasSuffix(b.String(), "|") {
			gap = ""
		}
		if at > 0 && at+len(gap)+len(word) > columns {
			b.WriteString("\n" + indent)
			at, gap = 0, ""
		}
		b.WriteString(gap + word)
		at += len(gap) + len(word)
	}
	return b.String()
}
