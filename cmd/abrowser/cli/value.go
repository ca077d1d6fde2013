package cli

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/abrowser/abrowser/sockets/wire"
)

// members are the members of a request, by name: what the caller gave and
// nothing else, so that defaults stay the server's.
type members map[string]any

// parse turns text into what the field takes. name is what the caller wrote it
// under, for the error: a flag, an argument or a variable.
func parse(f wire.Field, name, text string) (any, error) {
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Bool:
		on, err := strconv.ParseBool(text)
		if err != nil {
			return nil, wire.Errorf(wire.CodeBadInput, "%s takes true or false, not %q", name, text)
		}
		return on, nil
	case reflect.Int, reflect.Int64:
		return parseInt(f, name, text)
	case reflect.Float64:
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || n != n || n-n != 0 {
			return nil, wire.Errorf(wire.CodeBadInput, "%s takes a number, not %q", name, text)
		}
		return n, nil
	case reflect.Slice:
		return parseList(f, name, wire.SplitList(text))
	default:
		if f.Duration {
			_, err := wire.ParseDuration(name, text)
			return text, err
		}
		return text, checkEnum(f, name, text)
	}
}

func parseInt(f wire.Field, name, text string) (any, error) {
	n, err := strconv.Atoi(text)
	if err != nil {
		return nil, wire.Errorf(wire.CodeBadInput, "%s takes a whole number (%s), not %q", name, f.Help, text)
	}
	if least, err := strconv.Atoi(f.Min); err == nil && n < least {
		return nil, wire.Errorf(wire.CodeBadInput, "%s takes %d or more (%s), not %d", name, least, f.Help, n)
	}
	return n, nil
}

func parseList(f wire.Field, name string, texts []string) (any, error) {
	for _, text := range texts {
		if err := checkEnum(f, name, text); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

func checkEnum(f wire.Field, name, text string) error {
	if len(f.Enum) == 0 {
		return nil
	}
	for _, choice := range f.Enum {
		if choice == text {
			return nil
		}
	}
	err := wire.Errorf(wire.CodeBadInput, "%s takes %s, not %q", name, strings.Join(f.Enum, ", "), text)
	if near := nearest(text, f.Enum); near != "" {
		return err.WithHint("did you mean %s?", near)
	}
	return err
}

// flagValue is one flag of a command. Set keeps the value in into, so that only
// what the caller gave is there.
type flagValue struct {
	field wire.Field
	into  members
}

// String is the value as far as cobra asks for it: whether a boolean is on.
// Defaults are the server's.
func (v *flagValue) String() string {
	if !isBool(v.field) {
		return ""
	}
	on, _ := v.into[v.field.Name].(bool)
	return strconv.FormatBool(on)
}

// Set parses text as the field's value. A list given twice is one list.
func (v *flagValue) Set(text string) error {
	value, err := parse(v.field, "--"+v.field.Flag, text)
	if err != nil {
		return err
	}
	if more, ok := value.([]string); ok {
		if before, ok := v.into[v.field.Name].([]string); ok {
			value = append(before, more...)
		}
	}
	v.into[v.field.Name] = value
	return nil
}

// Type is the word that stands for the value in help, or "bool".
func (v *flagValue) Type() string {
	switch {
	case v.field.Type.Kind() == reflect.Slice:
		return "A,B"
	case v.field.Duration:
		return "TIME"
	case v.field.Type.Kind() == reflect.Int:
		return "N"
	case isBool(v.field):
		return "bool"
	case len(v.field.Enum) > 0:
		return "WORD"
	case v.field.File == "name":
		return "PATH"
	case v.field.Name == "session":
		return "NAME"
	case v.field.Name == "cdp":
		return "URL"
	default:
		return "TEXT"
	}
}

func isBool(f wire.Field) bool { return f.Type.Kind() == reflect.Bool }

// addFlags declares the fields that are flags, each keeping its value in into.
func addFlags(flags *pflag.FlagSet, fields []wire.Field, into members) {
	for _, f := range fields {
		if f.Flag == "" {
			continue
		}
		flag := flags.VarPF(&flagValue{field: f, into: into}, f.Flag, f.Short, f.Help)
		if isBool(f) {
			flag.NoOptDefVal = "true"
		}
	}
}
