package mcp

import (
	"slices"
	"strings"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// toolHint returns a hint in terms of tools. Hints name the next command to run, such as
// "abrowser close --page". toolHint replaces the command by its tool, and each flag by the name of
// the tool's argument. Commands that have no tool stay as they are, to be run in a shell.
func (s *server) toolHint(hint string) string {
	words := strings.Fields(hint)
	if !slices.ContainsFunc(words, func(w string) bool { return w == "abrowser" || isFlag(w) }) {
		return hint
	}
	var out []string
	join := "" // the word before the next argument, if one is needed
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		switch {
		case word == "abrowser":
			before, rest := leadingFlags(words)
			name, length := s.toolOf(rest)
			if name == "" {
				return hint
			}
			out = append(out, name)
			words, join = slices.Concat(before, rest[length:]), "with"
		case isFlag(word):
			if join != "" {
				out = append(out, join)
				join = "and"
			}
			out = append(out, argumentOf(word))
		default:
			out = append(out, word)
		}
		if strings.HasSuffix(word, ";") {
			join = ""
		}
	}
	return strings.Join(out, " ")
}

// toolOf returns the name of the tool for the command with which the words begin, and the number
// of words that the command has. If there is no such tool, the name is empty.
func (s *server) toolOf(words []string) (name string, length int) {
	if len(words) > 0 && words[0] == "help" {
		return "tools/list shows what each tool takes:", 1
	}
	var found wire.AnyVerb
	for _, v := range verbs.All() {
		spec := v.Describe()
		for _, n := range append([]string{spec.Name}, spec.Aliases...) {
			parts := strings.Fields(n)
			if len(parts) > length && len(parts) <= len(words) && slices.Equal(parts, trimmed(words[:len(parts)])) {
				found, length = v, len(parts)
			}
		}
	}
	if found == nil {
		return "", 0
	}
	verb := found.Describe().Name
	for _, t := range s.tools {
		if t.verb.Describe().Name == verb && (name == "" || t.name == strings.ReplaceAll(verb, " ", "_")) {
			name = t.name
		}
	}
	if last := words[length-1]; name != "" && strings.HasSuffix(last, ";") {
		name += ";"
	}
	return name, length
}

func trimmed(words []string) []string {
	words = slices.Clone(words)
	for i, w := range words {
		words[i] = strings.TrimRight(w, ";,:")
	}
	return words
}

// leadingFlags separates the flags with values that stand before a command, such as
// "--session task_1", from the command.
func leadingFlags(words []string) (flags, rest []string) {
	for len(words) > 2 && isFlag(words[0]) {
		flags, words = append(flags, words[:2]...), words[2:]
	}
	return flags, words
}

func isFlag(word string) bool { return len(word) > 2 && strings.HasPrefix(word, "--") }

// argumentOf returns the name of the argument for a flag: idleMs for --idle-ms.
func argumentOf(flag string) string {
	name := strings.TrimPrefix(flag, "--")
	for {
		before, after, more := strings.Cut(name, "-")
		if !more || after == "" {
			return name
		}
		name = before + strings.ToUpper(after[:1]) + after[1:]
	}
}
