package cli

import (
	"reflect"
	"slices"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// bind puts a command's texts into its arguments.
func bind(doc wire.Spec, fields []wire.Field, texts []string, into members) error {
	args := arguments(fields)
	for place, f := range args {
		if place >= len(texts) {
			if f.Required {
				return wire.Errorf(wire.CodeBadInput, "%s needs %s: %s", doc.Name, placeholder(f), f.Help).
					WithHint("usage: %s", usage(doc, fields))
			}
			continue
		}
		value, err := bindOne(doc, f, texts[place:])
		if err != nil {
			return err
		}
		into[f.Name] = value
	}
	if most := mostTexts(fields); most >= 0 && len(texts) > most {
		return wire.Errorf(wire.CodeBadInput, "%s takes %s, but got %q too", doc.Name, count(most), texts[most]).
			WithHint("usage: %s", usage(doc, fields))
	}
	return nil
}

func bindOne(doc wire.Spec, f wire.Field, texts []string) (any, error) {
	name := doc.Name + "'s " + placeholder(f)
	switch {
	case f.Rest && f.Type.Kind() == reflect.Slice:
		return parseList(f, name, texts)
	case f.Rest:
		return parse(f, name, strings.Join(texts, " "))
	case texts[0] == "":
		return nil, wire.Errorf(wire.CodeBadInput, "%s is empty", name).WithHint("abrowser %s --help", doc.Name)
	}
	return parse(f, name, texts[0])
}

// arguments are the fields that are arguments, in their order.
func arguments(fields []wire.Field) []wire.Field {
	var args []wire.Field
	for _, f := range fields {
		if f.Arg >= 0 {
			args = append(args, f)
		}
	}
	slices.SortFunc(args, func(a, b wire.Field) int { return a.Arg - b.Arg })
	return args
}

func placeholder(f wire.Field) string {
	name := strings.ToUpper(f.Name)
	if f.Rest {
		name += "..."
	}
	return name
}

// usage is the command with its arguments: fill SELECTOR TEXT... [flags].
func usage(doc wire.Spec, fields []wire.Field) string {
	words := []string{"abrowser", doc.Name}
	for _, f := range arguments(fields) {
		if f.Required {
			words = append(words, placeholder(f))
		} else {
			words = append(words, "["+placeholder(f)+"]")
		}
	}
	if slices.ContainsFunc(fields, func(f wire.Field) bool { return f.Flag != "" }) {
		words = append(words, "[flags]")
	}
	return strings.Join(words, " ")
}

func count(n int) string {
	switch n {
	case 0:
		return "no argument"
	case 1:
		return "one argument"
	case 2:
		return "two arguments"
	default:
		return "no more arguments"
	}
}
