package args

import "github.com/abrowser/abrowser/sockets/wire"

// normalized is a command's tokens, separated into flags and texts.
type normalized struct {
	flags []given
	texts []string
}

// normalize separates tokens into known flags and texts. A token that looks like a flag but is
// unknown is an error, unless it belongs to an argument that takes all remaining words as text.
// After -- every token is text.
func normalize(known flags, fields []wire.Field, tokens []string) (normalized, error) {
	var n normalized
	textFrom, hasText := textArgument(fields)
	for i := 0; i < len(tokens); {
		token := tokens[i]
		if token == "--" {
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
