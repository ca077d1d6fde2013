package cookiefile

import (
	"strconv"
	"strings"
)

// words splits a command into words as a shell does. It understands single quotes, double quotes,
// $'...' and backslashes, and nothing else. It reports false if a quote is not closed.
func words(command string) (all []string, ok bool) {
	var word strings.Builder
	begun := false // a word has begun, which may still be empty
	for i := 0; i < len(command); {
		c := command[i]
		switch {
		case c == '\'', strings.HasPrefix(command[i:], "$'"):
			escapes := c == '$'
			text, n, closed := quoted(command[i:], escapes)
			if !closed {
				return nil, false
			}
			word.WriteString(text)
			begun = true
			i += n
			continue
		case c == '"':
			text, n, closed := doubleQuoted(command[i+1:])
			if !closed {
				return nil, false
			}
			word.WriteString(text)
			begun = true
			i += n + 1
			continue
		case c == '\\' && i+1 < len(command):
			i++
			if command[i] != '\n' && command[i] != '\r' { // a backslash before a line break joins two lines
				word.WriteByte(command[i])
				begun = true
			}
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			if begun {
				all = append(all, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteByte(c)
			begun = true
		}
		i++
	}
	if begun {
		all = append(all, word.String())
	}
	return all, true
}

// quoted reads a text in single quotes, with or without escapes. It returns the number of bytes
// that the text and its quotes take.
func quoted(s string, escapes bool) (text string, n int, closed bool) {
	i := strings.IndexByte(s, '\'') + 1
	if !escapes {
		end := strings.IndexByte(s[i:], '\'')
		if end < 0 {
			return "", 0, false
		}
		return s[i : i+end], i + end + 1, true
	}
	var b strings.Builder
	for rest := s[i:]; rest != ""; {
		if rest[0] == '\'' {
			return b.String(), len(s) - len(rest) + 1, true
		}
		r, wide, tail, err := strconv.UnquoteChar(rest, '\'')
		switch {
		case err != nil && len(rest) > 1: // \" and the like stand for the character itself
			b.WriteByte(rest[1])
			tail = rest[2:]
		case err != nil:
			return "", 0, false
		case wide:
			b.WriteRune(r)
		default:
			b.WriteByte(byte(r))
		}
		rest = tail
	}
	return "", 0, false
}

// doubleQuoted reads a text up to the double quote that closes it. It returns the number of bytes
// that the text and this quote take.
func doubleQuoted(s string) (text string, n int, closed bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), i + 1, true
		case s[i] == '\\' && i+1 < len(s) && strings.IndexByte("\"\\$`\n", s[i+1]) >= 0:
			i++
			if s[i] != '\n' {
				b.WriteByte(s[i])
			}
		default:
			b.WriteByte(s[i])
		}
	}
	return "", 0, false
}
