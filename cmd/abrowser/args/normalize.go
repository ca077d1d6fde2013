package args

import (
	"slices"

	"github.com/abrowser/abrowser/sockets/wire"
)

// normalized is a command's tokens, separated into flags and texts.
type normalized struct {
	flags []given
	texts []string
}

// normalize separates tokens into known flags and texts. A token that looks like a flag but is
// unknown is an error, unless it belongs to an argument that takes all remaining words as text.
// After the token -- every token is text. If the command's arguments must follow --, a text before
// -- is an error.
func normalize(known flags, fields []wire.Field, tokens []string) (normalized, error) {
	var n normalized
	dashed := slices.ContainsFunc(fields, func(f wire.Field) bool { return f.Dashed })
	textFrom, hasText := textArgument(fields)
	for i := 0; i < len(tokens); {
		token := tokens[i]
		if token == "--" {
			if dashed && i+1 == len(tokens) {
				return n, wire.Errorf(wire.CodeBadInput, "nothing follows --")
			}
			n.texts = append(n.texts, tokens[i+1:]...)
			break
		}
		read, used, err := known.read(tokens[i:], !hasText)
		switch {
		case err != nil:
			return n, err
		case used > 0:
			n.flags = append(n.flags, read...)
			i += used
			continue
		case looksLikeFlag(token) && (!hasText || len(n.texts) < textFrom):
			return n, known.unknown(token)
		case dashed:
			return n, wire.Errorf(wire.CodeBadInput, "%q has to follow --", token)
		}
		n.texts = append(n.texts, token)
		i++
	}
	return n, nil
}

// textArgument returns the position of the argument that takes all remaining words as text, and
// whether the command has such an argument.
func textArgument(fields []wire.Field) (position int, ok bool) {
	for _, f := range fields {
		if f.Rest && f.IsText() {
			return f.Arg, true
		}
	}
	return 0, false
}
