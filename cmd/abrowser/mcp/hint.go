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
	var verb wire.AnyVerb
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		switch {
		case word == "abrowser":
			before, rest := leadingFlags(words)
			var name string
			var length int
			if name, verb, length = s.toolOf(rest); name == "" {
				return hint
			}
			out = append(out, name)
			words, join = slices.Concat(before, rest[length:]), "with"
		case isFlag(word):
			if join != "" {
				out = append(out, join)
				join = "and"
			}
			out = append(out, argumentOf(verb, word))
		default:
			out = append(out, word)
		}
		if strings.HasSuffix(word, ";") {
			join = ""
		}
	}
	return strings.Join(out, " ")
}

// toolOf returns the name of the tool for the command with which the words begin, the command's
// verb, and the number of words that the verb has. If there is no such tool, the name is empty. If
// the tool is not offered yet, the name tells the model how to add it.
func (s *server) toolOf(words []string) (name string, found wire.AnyVerb, length int) {
	if len(words) > 0 && words[0] == "help" {
		return "tools/list shows what each tool takes:", nil, 1
	}
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
		return "", nil, 0
	}
	verb := found.Describe().Name
	group := ""
	for _, t := range s.tools {
		if t.verb.Describe().Name == verb && (name == "" || t.name == strings.ReplaceAll(verb, " ", "_")) {
			name, group = t.name, t.group
		}
	}
	if name != "" && !s.offers(group) {
		name = "enable_tools " + group + ", then " + name
	}
	if last := words[length-1]; name != "" && strings.HasSuffix(last, ";") {
		name += ";"
	}
	return name, found, length
}

// offers reports whether the tools of a group have been added.
func (s *server) offers(group string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.on[group]
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

// argumentOf returns the name of the argument for a flag of a verb: idleMs for --idle-ms. The verb
// may be nil.
func argumentOf(verb wire.AnyVerb, flag string) string {
	name := strings.TrimPrefix(flag, "--")
	if verb != nil {
		for _, f := range verb.Fields() {
			if f.Flag == name {
				return f.Name
			}
		}
	}
	for {
		before, after, more := strings.Cut(name, "-")
		if !more || after == "" {
			return name
		}
		name = before + strings.ToUpper(after[:1]) + after[1:]
	}
}
