package args

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// verbIndex finds verbs by their names. It contains all verbs except the hidden ones. The name
// "tab" is an alias of two verbs. If another word follows "tab", the alias means the verb that
// needs an argument ("tab switch"), and otherwise the other verb ("tab list").
type verbIndex []wire.AnyVerb

func newIndex(all []wire.AnyVerb) verbIndex {
	return slices.DeleteFunc(all, func(v wire.AnyVerb) bool { return v.Describe().Hidden })
}

// Subcommands returns the words that can follow the name of a group of commands, such as "get".
// It returns nil if group is not the name of a group.
func Subcommands(group string) []string { return newIndex(verbs.All()).under(group) }

// all iterates over all names of verbs, including aliases, each with its verb.
func (x verbIndex) all() iter.Seq2[string, wire.AnyVerb] {
	return func(yield func(string, wire.AnyVerb) bool) {
		for _, v := range x {
			spec := v.Describe()
			if !yield(spec.Name, v) {
				return
			}
			for _, alias := range spec.Aliases {
				if !yield(alias, v) {
					return
				}
			}
		}
	}
}

// named returns the verbs with this name or alias.
func (x verbIndex) named(name string) []wire.AnyVerb {
	var found []wire.AnyVerb
	for other, v := range x.all() {
		if other == name {
			found = append(found, v)
		}
	}
	return found
}

// hasPrefix reports whether words are the complete name of a verb or its first words.
func (x verbIndex) hasPrefix(words string) bool {
	for name := range x.all() {
		if rest, ok := strings.CutPrefix(name, words); ok && (rest == "" || rest[0] == ' ') {
			return true
		}
	}
	return false
}

// under returns the words that can follow the group's name, such as "text" after "get".
func (x verbIndex) under(group string) []string {
	var words []string
	for name := range x.all() {
		if rest, ok := strings.CutPrefix(name, group+" "); ok {
			first, _, _ := strings.Cut(rest, " ")
			words = append(words, first)
		}
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// resolved is the verb that a command line names, before the verb's own flags are parsed.
type resolved struct {
	verb  wire.AnyVerb // nil if there are no words, or if they name a group or one of specials
	words []string     // the words of the command, as they were typed
	flags []given      // the global flags before and between the words
	rest  []string     // the tokens after the words
}

// resolve reads the words of the command at the head of args, and the global flags before and
// between them.
func (x verbIndex) resolve(global flags, args []string) (resolved, error) {
	var r resolved
	next := "" // the token after the words of the command
	for i := 0; i < len(args); {
		token := args[i]
		read, used, err := global.read(args[i:], true)
		if err != nil {
			return r, err
		}
		if used > 0 {
			r.flags = append(r.flags, read...)
			i += used
			continue
		}
		if token == "--" || looksLikeFlag(token) {
			r.rest = args[i:]
			break
		}
		if len(r.words) == 0 && slices.Contains(specials(), token) {
			r.words, r.rest = []string{token}, args[i+1:]
			return r, nil
		}
		if !x.hasPrefix(strings.Join(append(r.words, token), " ")) {
			next, r.rest = token, args[i:]
			break
		}
		r.words = append(r.words, token)
		i++
	}
	return r, r.choose(x, global, next)
}

// specials returns the commands that are not verbs.
func specials() []string {
	return []string{"help", "version", "completion", "__complete", "__completeNoDesc", "daemon", "keeper", "broker"}
}

// choose sets r.verb to the verb that r.words name. The token next follows these words, or is "" if
// that token is a flag or missing. choose returns an error in three cases:
//   - r.words is empty, and the token next or an unknown flag stands where the command should
//     begin.
//   - r.words name a group, and the token next is not one of its subcommands.
//   - r.words name a verb that is also a group and takes no argument, and the token next is not
//     one of the group's subcommands.
func (r *resolved) choose(x verbIndex, global flags, next string) error {
	name := strings.Join(r.words, " ")
	candidates, under := x.named(name), x.under(name)
	switch {
	case name == "" && next != "":
		return x.unknown(next)
	case name == "" && len(r.rest) > 0 && r.rest[0] != "--":
		return global.unknown(r.rest[0])
	case len(candidates) == 0 && next != "":
		return wire.Errorf(wire.CodeBadInput, "unknown command %s %s; %s takes %s", name, next, name, strings.Join(under, ", ")).
			WithHint("%s", didYouMean(name+" ", next, under))
	case len(candidates) > 0:
		r.verb = candidates[0]
	}
	for _, v := range candidates[min(1, len(candidates)):] {
		if (next != "") == (minTexts(v.Fields()) > 0) {
			r.verb = v
		}
	}
	if r.verb != nil && next != "" && len(under) > 0 && maxTexts(r.verb.Fields()) == 0 {
		return wire.Errorf(wire.CodeBadInput, "unknown command %s %s", name, next).WithHint("%s", didYouMean(name+" ", next, under))
	}
	return nil
}

// unknown returns the error for a word that is not the first word of any command.
func (x verbIndex) unknown(word string) error {
	heads := map[string]bool{"help": true, "version": true, "completion": true}
	for name := range x.all() {
		first, _, _ := strings.Cut(name, " ")
		heads[first] = true
	}
	return wire.Errorf(wire.CodeUnknownVerb, "unknown command %s", word).
		WithHint("%s", didYouMean("", word, slices.Sorted(maps.Keys(heads))))
}

func didYouMean(before, word string, choices []string) string {
	if near := wire.Nearest(word, choices); near != "" {
		return "did you mean abrowser " + before + near + "?"
	}
	return strings.TrimSpace("abrowser help " + before)
}
