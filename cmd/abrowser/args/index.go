package cli

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/abrowser/abrowser/sockets/wire"
)

// found is what a command line's words say, before its own flags are read.
type found struct {
	verb  wire.AnyVerb // nil where the words are a group's or none at all
	words []string     // the words of the command, as they were typed
	flags []string     // the global flags before and between the words, as --name=value
	rest  []string     // the tokens behind the words
}

// names are the verbs that people type. "tab" is two verbs': the one is meant where
// another word follows, the other where none does.
type names []wire.AnyVerb

func namesOf(verbs []wire.AnyVerb) names {
	return slices.DeleteFunc(verbs, func(v wire.AnyVerb) bool { return v.Describe().Hidden })
}

// all are the whole names, aliases included, and their verbs.
func (n names) all() iter.Seq2[string, wire.AnyVerb] {
	return func(yield func(string, wire.AnyVerb) bool) {
		for _, v := range n {
			doc := v.Describe()
			if !yield(doc.Name, v) {
				return
			}
			for _, alias := range doc.Aliases {
				if !yield(alias, v) {
					return
				}
			}
		}
	}
}

// called are the verbs of that name.
func (n names) called(name string) []wire.AnyVerb {
	var found []wire.AnyVerb
	for other, v := range n.all() {
		if other == name {
			found = append(found, v)
		}
	}
	return found
}

// begins reports whether words begin the name of a verb, or are one.
func (n names) begins(words string) bool {
	for name := range n.all() {
		if rest, ok := strings.CutPrefix(name, words); ok && (rest == "" || rest[0] == ' ') {
			return true
		}
	}
	return false
}

// under lists the last words of the names that stand right under a group.
func (n names) under(group string) []string {
	var words []string
	for name := range n.all() {
		if rest, ok := strings.CutPrefix(name, group); ok && strings.HasPrefix(rest, " ") {
			first, _, _ := strings.Cut(rest[1:], " ")
			words = append(words, first)
		}
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// find reads the words of the command at the head of args, over the global flags
// that stand before and between them.
func find(n names, global *pflag.FlagSet, args []string) (found, error) {
	var f found
	next := "" // the word behind the command's
	for i := 0; i < len(args); {
		token := args[i]
		flags, used, err := readFlag(global, args[i:], true)
		if err != nil {
			return f, err
		}
		if used > 0 {
			f.flags = append(f.flags, flags...)
			i += used
			continue
		}
		if token == "--" || looksLikeFlag(token) {
			f.rest = args[i:]
			break
		}
		if len(f.words) == 0 && slices.Contains(specials(), token) {
			f.words, f.rest = []string{token}, args[i+1:]
			return f, nil
		}
		if !n.begins(strings.Join(append(f.words, token), " ")) {
			next, f.rest = token, args[i:]
			break
		}
		f.words = append(f.words, token)
		i++
	}
	return f, f.choose(n, global, next)
}

// specials are the commands that are no verbs.
func specials() []string {
	return []string{"help", "version", "completion", "__complete", "__completeNoDesc", "daemon", "keeper", "broker"}
}

// choose sets the verb that the words name.
func (f *found) choose(n names, global *pflag.FlagSet, next string) error {
	name := strings.Join(f.words, " ")
	candidates := n.called(name)
	under := n.under(name)
	switch {
	case name == "" && next != "":
		return unknownCommand(n, next)
	case name == "" && len(f.rest) > 0 && f.rest[0] != "--":
		return unknownFlag(global, f.rest[0])
	case len(candidates) == 0 && next != "":
		return wire.Errorf(wire.CodeBadInput, "unknown command %s %s; %s takes %s", name, next, name, strings.Join(under, ", ")).
			WithHint("%s", didYouMean(name+" ", next, under))
	case len(candidates) > 0:
		f.verb = candidates[0]
	}
	for _, v := range candidates[min(1, len(candidates)):] {
		if (next != "") == (leastTexts(v.Fields()) > 0) {
			f.verb = v
		}
	}
	if f.verb != nil && next != "" && len(under) > 0 && mostTexts(f.verb.Fields()) == 0 {
		return wire.Errorf(wire.CodeBadInput, "unknown command %s %s", name, next).WithHint("%s", didYouMean(name+" ", next, under))
	}
	return nil
}

func unknownCommand(n names, word string) error {
	heads := map[string]bool{"help": true, "version": true, "completion": true}
	for name := range n.all() {
		first, _, _ := strings.Cut(name, " ")
		heads[first] = true
	}
	return wire.Errorf(wire.CodeUnknownVerb, "unknown command %s", word).
		WithHint("%s", didYouMean("", word, slices.Sorted(maps.Keys(heads))))
}

func didYouMean(before, word string, choices []string) string {
	if near := nearest(word, choices); near != "" {
		return "did you mean abrowser " + before + near + "?"
	}
	return strings.TrimSpace("abrowser help " + before)
}

// leastTexts is how many arguments a command needs.
func leastTexts(fields []wire.Field) int {
	least := 0
	for _, f := range fields {
		if f.Arg >= 0 && f.Required {
			least = max(least, f.Arg+1)
		}
	}
	return least
}

// mostTexts is how many arguments a command takes, -1 where there is no limit.
func mostTexts(fields []wire.Field) int {
	most := 0
	for _, f := range fields {
		switch {
		case f.Rest:
			return -1
		case f.Arg >= 0:
			most = max(most, f.Arg+1)
		}
	}
	return most
}
