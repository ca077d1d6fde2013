package args

import (
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// Split cuts a command line into words as a shell does: white space separates words, single
// quotes keep everything, double quotes keep everything except \" and \\, and a backslash keeps
// the next character. Split expands no variables or patterns.
func Split(command string) ([]string, error) {
	var words []string
	var word strings.Builder
	open := false // whether a word has begun, which may still be empty
	var quote rune
	escaped := false
	for _, r := range command {
		switch {
		case escaped:
			if quote == '"' && r != '"' && r != '\\' {
				word.WriteByte('\\')
			}
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, open = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			quote, open = r, true
		case r == ' ' || r == '\t' || r == '\n' || r == '\r':
			if open {
				words = append(words, word.String())
			}
			word.Reset()
			open = false
		default:
			word.WriteRune(r)
			open = true
		}
	}
	switch {
	case quote != 0:
		return nil, wire.Errorf(wire.CodeBadInput, "the quote %c is not closed", quote)
	case escaped:
		return nil, wire.Errorf(wire.CodeBadInput, "a backslash at the end has no character after it")
	case open:
		words = append(words, word.String())
	}
	return words, nil
}
