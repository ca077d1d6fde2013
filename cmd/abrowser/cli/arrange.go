package cli

import (
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/abrowser/abrowser/sockets/wire"
)

// arranged is a command's tokens, sorted: flags as --name=value, which pflag
// reads without asking which of them take one, and texts.
type arranged struct {
	flags []string
	texts []string
}

// arrange sorts tokens by the flags that are known. A token that looks like a
// flag and is none is text where the command's last argument is text and has
// been reached, and where it is a number; elsewhere it is an error. Behind --
// everything is text.
func arrange(flags *pflag.FlagSet, fields []wire.Field, tokens []string) (arranged, error) {
	var a arranged
	textFrom, hasText := restText(fields)
	for i := 0; i < len(tokens); {
		token := tokens[i]
		if token == "--" {
			a.texts = append(a.texts, tokens[i+1:]...)
			break
		}
		f, used, err := readFlag(flags, tokens[i:], !hasText)
		switch {
		case err != nil:
			return a, err
		case used > 0:
			a.flags = append(a.flags, f...)
			i += used
			continue
		case looksLikeFlag(token) && (!hasText || len(a.texts) < textFrom):
			return a, unknownFlag(flags, token)
		}
		a.texts = append(a.texts, token)
		i++
	}
	return a, nil
}

// restText finds the argument that takes all the words that follow as text.
func restText(fields []wire.Field) (place int, ok bool) {
	for _, f := range fields {
		if f.Rest && f.IsText() {
			return f.Arg, true
		}
	}
	return 0, false
}

// looksLikeFlag reports whether a token that begins with - may be a flag: it is no
// number, and its name has no blank in it.
func looksLikeFlag(token string) bool {
	name, _, _ := strings.Cut(token, "=")
	if len(token) < 2 || token[0] != '-' || strings.ContainsAny(name, " \t\n") {
		return false
	}
	_, err := strconv.ParseFloat(token, 64)
	return err != nil
}

// readFlag reads the flag at the head of tokens. used is how many tokens it
// takes, 0 where the head is no known flag. word says whether the word true or
// false behind a boolean flag belongs to it.
func readFlag(flags *pflag.FlagSet, tokens []string, word bool) (read []string, used int, err error) {
	token := tokens[0]
	if !looksLikeFlag(token) {
		return nil, 0, nil
	}
	if !strings.HasPrefix(token, "--") {
		return readShort(flags, tokens, word)
	}
	name, value, hasValue := strings.Cut(token[2:], "=")
	flag := flags.Lookup(name)
	switch {
	case flag == nil:
		return nil, 0, nil
	case hasValue:
		return []string{"--" + name + "=" + value}, 1, nil
	}
	return readValue(flags, flag, token, tokens[1:], word)
}

// readShort reads -x, -xVALUE, -x VALUE and -xyz where x and y take no value. A
// token of which one letter is unknown is no flag at all.
func readShort(flags *pflag.FlagSet, tokens []string, word bool) (read []string, used int, err error) {
	letters := tokens[0][1:]
	for i := range letters {
		flag := flags.ShorthandLookup(letters[i : i+1])
		rest := letters[i+1:]
		switch {
		case flag == nil:
			return nil, 0, nil
		case rest == "":
			last, used, err := readValue(flags, flag, "-"+flag.Shorthand, tokens[1:], word)
			return append(read, last...), used, err
		case flag.NoOptDefVal == "" || rest[0] == '=':
			return append(read, "--"+flag.Name+"="+strings.TrimPrefix(rest, "=")), 1, nil
		}
		read = append(read, "--"+flag.Name+"="+flag.NoOptDefVal)
	}
	return read, 1, nil
}

// readValue reads the value of a flag that was written as name without one.
func readValue(flags *pflag.FlagSet, flag *pflag.Flag, name string, behind []string, word bool) (read []string, used int, err error) {
	if flag.NoOptDefVal != "" {
		if word && len(behind) > 0 && (behind[0] == "true" || behind[0] == "false") {
			return []string{"--" + flag.Name + "=" + behind[0]}, 2, nil
		}
		return []string{"--" + flag.Name + "=" + flag.NoOptDefVal}, 1, nil
	}
	if len(behind) == 0 || isFlag(flags, behind[0]) {
		return nil, 0, wire.Errorf(wire.CodeBadInput, "%s needs a value: %s", name, flag.Usage)
	}
	return []string{"--" + flag.Name + "=" + behind[0]}, 2, nil
}

// isFlag reports whether token is a known flag or --, so that it is not taken
// for the value of the flag before it.
func isFlag(flags *pflag.FlagSet, token string) bool {
	switch {
	case !looksLikeFlag(token):
		return false
	case token == "--":
		return true
	case strings.HasPrefix(token, "--"):
		name, _, _ := strings.Cut(token[2:], "=")
		return flags.Lookup(name) != nil
	}
	return len(token) == 2 && flags.ShorthandLookup(token[1:]) != nil
}

func unknownFlag(flags *pflag.FlagSet, token string) error {
	name, _, _ := strings.Cut(token, "=")
	err := wire.Errorf(wire.CodeBadInput, "unknown flag %s", name)
	var names []string
	flags.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	if near := nearest(strings.TrimLeft(name, "-"), names); near != "" {
		return err.WithHint("did you mean --%s?", near)
	}
	return err
}
