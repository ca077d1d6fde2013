package args

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// flag is a field that can be set by a flag, and the map in which [assign] stores its value.
type flag struct {
	wire.Field
	dest map[string]any
}

func (f flag) isBool() bool { return f.Type.Kind() == reflect.Bool }

// given is a flag that occurs on the command line, with its value as text.
type given struct {
	flag
	text string
}

// assign parses the values of flags and stores them. If a list flag is given several times, the
// lists are joined.
func assign(all []given) error {
	for _, g := range all {
		value, err := g.Parse("--"+g.Flag, g.text)
		if err != nil {
			return err
		}
		if more, ok := value.([]string); ok {
			before, _ := g.dest[g.Name].([]string)
			value = append(before, more...)
		}
		g.dest[g.Name] = value
	}
	return nil
}

// flags are the flags that a command takes.
type flags []flag

// flagsOf returns the fields that are flags. [assign] stores the values of these flags in the map
// dest.
func flagsOf(fields []wire.Field, dest map[string]any) flags {
	var all flags
	for _, f := range fields {
		if f.Flag != "" {
			all = append(all, flag{f, dest})
		}
	}
	return all
}

func (fs flags) lookup(name string) (flag, bool) {
	for _, f := range fs {
		if f.Flag == name {
			return f, true
		}
	}
	return flag{}, false
}

func (fs flags) lookupShort(letter string) (flag, bool) {
	for _, f := range fs {
		if f.Short == letter {
			return f, true
		}
	}
	return flag{}, false
}

// looksLikeFlag reports whether a token has the form of a flag: it begins with -, has at least one
// more character, is not a number, and has no white space before the first =.
func looksLikeFlag(token string) bool {
	name, _, _ := strings.Cut(token, "=")
	if len(token) < 2 || token[0] != '-' || strings.ContainsAny(name, " \t\n") {
		return false
	}
	_, err := strconv.ParseFloat(token, 64)
	return err != nil
}

// read reads the flag in the first token, or several flags if the token combines them, such as -ic.
// The result count is the number of tokens that the flags and their values occupy, or 0 if the
// first token is not a known flag. A boolean flag takes no value unless boolValues is set. Then the
// token "true" or "false" after the flag is its value.
func (fs flags) read(tokens []string, boolValues bool) (read []given, count int, err error) {
	token := tokens[0]
	if !looksLikeFlag(token) {
		return nil, 0, nil
	}
	if !strings.HasPrefix(token, "--") {
		return fs.readShort(tokens, boolValues)
	}
	name, value, hasValue := strings.Cut(token[2:], "=")
	f, known := fs.lookup(name)
	switch {
	case !known:
		return nil, 0, nil
	case hasValue:
		return []given{{f, value}}, 1, nil
	}
	return fs.readValue(f, token, tokens[1:], boolValues)
}

// readShort reads flags with a single dash: -x, -xVALUE, -x=VALUE, -x VALUE, and also -xyz if x
// and y take no value. A token with an unknown letter is not a flag.
func (fs flags) readShort(tokens []string, boolValues bool) (read []given, count int, err error) {
	letters := tokens[0][1:]
	for i := range letters {
		f, known := fs.lookupShort(letters[i : i+1])
		rest := letters[i+1:]
		switch {
		case !known:
			return nil, 0, nil
		case rest == "":
			last, count, err := fs.readValue(f, "-"+f.Short, tokens[1:], boolValues)
			return append(read, last...), count, err
		case !f.isBool() || rest[0] == '=':
			return append(read, given{f, strings.TrimPrefix(rest, "=")}), 1, nil
		}
		read = append(read, given{f, "true"})
	}
	return read, 1, nil
}

// readValue reads a flag whose own token contains no value. Error messages contain name, which is
// the flag with its dashes. The tokens after the flag are in the slice next.
func (fs flags) readValue(f flag, name string, next []string, boolValues bool) (read []given, count int, err error) {
	if f.isBool() {
		if boolValues && len(next) > 0 && (next[0] == "true" || next[0] == "false") {
			return []given{{f, next[0]}}, 2, nil
		}
		return []given{{f, "true"}}, 1, nil
	}
	if len(next) == 0 || fs.isFlag(next[0]) {
		return nil, 0, wire.Errorf(wire.CodeBadInput, "%s needs a value: %s", name, f.Help)
	}
	return []given{{f, next[0]}}, 2, nil
}

// isFlag reports whether token is -- or a single known flag, such as --json or -x. Such a token is
// not the value of the flag before it.
func (fs flags) isFlag(token string) bool {
	switch {
	case !looksLikeFlag(token):
		return false
	case token == "--":
		return true
	case strings.HasPrefix(token, "--"):
		name, _, _ := strings.Cut(token[2:], "=")
		_, known := fs.lookup(name)
		return known
	}
	_, known := fs.lookupShort(token[1:])
	return known
}

// unknown returns the error for a token that looks like a flag but is not one of the known flags.
func (fs flags) unknown(token string) error {
	name, _, _ := strings.Cut(token, "=")
	err := wire.Errorf(wire.CodeBadInput, "unknown flag %s", name)
	if hint := elsewhere(strings.TrimPrefix(name, "--")); hint != "" {
		return err.WithHint("%s", hint)
	}
	names := make([]string, len(fs))
	for i, f := range fs {
		names[i] = f.Flag
	}
	if near := wire.Nearest(strings.TrimLeft(name, "-"), names); near != "" {
		return err.WithHint("did you mean --%s?", near)
	}
	return err
}
