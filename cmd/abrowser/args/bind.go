package args

import (
	"reflect"
	"slices"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// bind assigns texts, the tokens of the command line that are not flags, to the command's
// positional arguments. It parses each text, and stores the value in the map dest by the field's
// name.
func bind(spec wire.Spec, fields []wire.Field, texts []string, dest map[string]any) error {
	hint := "usage: " + Usage(spec, fields)
	for position, f := range Arguments(fields) {
		if position >= len(texts) {
			if f.Required {
				return wire.Errorf(wire.CodeBadInput, "%s needs %s: %s", spec.Name, Placeholder(f), f.Help).WithHint("%s", hint)
			}
			continue
		}
		value, err := bindOne(spec, f, texts[position:])
		if err != nil {
			return err
		}
		dest[f.Name] = value
	}
	if most := maxTexts(fields); most >= 0 && len(texts) > most {
		return wire.Errorf(wire.CodeBadInput, "%s takes %s, but got %q too", spec.Name, count(most), texts[most]).WithHint("%s", hint)
	}
	return nil
}

func bindOne(spec wire.Spec, f wire.Field, texts []string) (any, error) {
	name := spec.Name + "'s " + Placeholder(f)
	switch {
	case f.Rest && f.Type.Kind() == reflect.Slice:
		return texts, f.CheckEnum(name, texts...)
	case f.Rest:
		return f.Parse(name, strings.Join(texts, " "))
	case texts[0] == "":
		return nil, wire.Errorf(wire.CodeBadInput, "%s is empty", name).WithHint("abrowser %s --help", spec.Name)
	}
	return f.Parse(name, texts[0])
}

// Arguments returns the fields that are positional arguments, ordered by position.
func Arguments(fields []wire.Field) []wire.Field {
	args := slices.DeleteFunc(slices.Clone(fields), func(f wire.Field) bool { return f.Arg < 0 })
	slices.SortFunc(args, func(a, b wire.Field) int { return a.Arg - b.Arg })
	return args
}

// Placeholder returns the word that stands for an argument in usage and help, such as SELECTOR or
// TEXT...
func Placeholder(f wire.Field) string {
	if f.Rest {
		return strings.ToUpper(f.Name) + "..."
	}
	return strings.ToUpper(f.Name)
}

// Usage returns the usage line of a command, such as: abrowser fill SELECTOR TEXT... [flags].
func Usage(spec wire.Spec, fields []wire.Field) string {
	words, last := []string{"abrowser", spec.Name}, []string(nil)
	for _, f := range Arguments(fields) {
		switch {
		case f.Dashed:
			last = []string{"[-- " + Placeholder(f) + "]"}
		case f.Required:
			words = append(words, Placeholder(f))
		default:
			words = append(words, "["+Placeholder(f)+"]")
		}
	}
	if slices.ContainsFunc(fields, func(f wire.Field) bool { return f.Flag != "" }) {
		words = append(words, "[flags]")
	}
	return strings.Join(append(words, last...), " ")
}

// minTexts returns the smallest number of arguments that a command takes.
func minTexts(fields []wire.Field) int {
	least := 0
	for _, f := range fields {
		if f.Arg >= 0 && f.Required {
			least = max(least, f.Arg+1)
		}
	}
	return least
}

// maxTexts returns the largest number of arguments that a command takes, or -1 if the number is
// not limited.
func maxTexts(fields []wire.Field) int {
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
