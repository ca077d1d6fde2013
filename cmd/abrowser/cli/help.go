package cli

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/abrowser/abrowser/cmd/abrowser/args"
	"github.com/abrowser/abrowser/sockets/wire"
)

const width = 80 // columns of the help

// groupHelp returns a line for each command whose name begins with word. If word is also the name
// of a command, such as mcp, groupHelp returns the help on that command first.
func groupHelp(word string, verbs []wire.AnyVerb) string {
	var b strings.Builder
	for _, v := range verbs {
		if v.Describe().Name == word {
			b.WriteString(verbHelp(v) + "\n\n")
		}
	}
	fmt.Fprintf(&b, "usage: abrowser %s COMMAND [ARGUMENTS] [flags]\n\n", word)
	for _, v := range verbs {
		doc := v.Describe()
		if !doc.Hidden && strings.HasPrefix(doc.Name, word+" ") {
			b.WriteString(row("  "+strings.TrimPrefix(args.Usage(doc, v.Fields()), "abrowser "), shortWithAliases(doc), 36))
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// shortWithAliases returns a command's description in one line, with its other names.
func shortWithAliases(doc wire.Spec) string {
	if len(doc.Aliases) == 0 {
		return doc.Short
	}
	return doc.Short + " (also " + strings.Join(doc.Aliases, ", ") + ")"
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
	if doc.Person {
		b.WriteString("\nIt is for people: a command of a task is refused.\n")
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
	fmt.Fprintf(&b, "\nexample:\n  %s\n\nFlags of all commands: abrowser help flags", doc.Example)
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
	case f.Type.Kind() == reflect.Int, f.Type.Kind() == reflect.Float64:
		return "N"
	case len(f.Enum) > 0:
		return "WORD"
	case f.File != "":
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

// row returns a name and the text that explains it. All lines of the text begin at the given
// column. If the name reaches the column, the text begins on the next line.
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
