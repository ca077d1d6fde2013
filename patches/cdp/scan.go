package cdp

import (
	"bytes"
	"encoding/binary"
)

// maxDepth is how deep values may be nested in a client's message. Chromium refuses a depth of 300.
const maxDepth = 250

// members calls visit(key, value) for every member of the object in msg. The key includes its
// quotes. If visit returns an error, members stops and returns this error. If msg is not a valid
// object, members returns errJSON or errObject.
func members(msg []byte, visit func(key, value []byte) error) error {
	i := space(msg, 0)
	if i >= len(msg) {
		return errJSON
	}
	if msg[i] != '{' {
		return errObject
	}
	i = space(msg, i+1)
	for first := true; ; first = false {
		if i >= len(msg) {
			return errJSON
		}
		if msg[i] == '}' && first {
			break
		}
		end := stringEnd(msg, i)
		if end < 0 {
			return errJSON
		}
		key := msg[i:end]
		if i = space(msg, end); i >= len(msg) || msg[i] != ':' {
			return errJSON
		}
		i = space(msg, i+1)
		if end = valueEnd(msg, i, 1); end < 0 {
			return errJSON
		}
		if err := visit(key, msg[i:end]); err != nil {
			return err
		}
		if i = space(msg, end); i >= len(msg) {
			return errJSON
		}
		if msg[i] == '}' {
			break
		}
		if msg[i] != ',' {
			return errJSON
		}
		i = space(msg, i+1)
	}
	if space(msg, i+1) != len(msg) {
		return errJSON
	}
	return nil
}

// space skips white space from index i on, and returns the index of the first byte after it.
func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// valueEnd returns the index after the JSON value at i, or -1 if the text at i is not a valid
// value. depth is the number of arrays and objects that contain the value.
func valueEnd(b []byte, i, depth int) int {
	if i >= len(b) || depth > maxDepth {
		return -1
	}
	switch b[i] {
	case '"':
		return stringEnd(b, i)
	case '{', '[':
		return compositeEnd(b, i, depth)
	case 't':
		return literalEnd(b, i, "true")
	case 'f':
		return literalEnd(b, i, "false")
	case 'n':
		return literalEnd(b, i, "null")
	default:
		return numberEnd(b, i)
	}
}

func literalEnd(b []byte, i int, word string) int {
	if !bytes.HasPrefix(b[i:], []byte(word)) {
		return -1
	}
	return i + len(word)
}

// compositeEnd returns the index after the object or array at i, or -1 if the text at i is not a
// valid one.
func compositeEnd(b []byte, i, depth int) int {
	object := b[i] == '{'
	last := byte(']')
	if object {
		last = '}'
	}
	if i = space(b, i+1); i < len(b) && b[i] == last {
		return i + 1
	}
	for {
		if object {
			if i = stringEnd(b, i); i < 0 {
				return -1
			}
			if i = space(b, i); i >= len(b) || b[i] != ':' {
				return -1
			}
			i = space(b, i+1)
		}
		if i = valueEnd(b, i, depth+1); i < 0 {
			return -1
		}
		if i = space(b, i); i >= len(b) {
			return -1
		}
		if b[i] == last {
			return i + 1
		}
		if b[i] != ',' {
			return -1
		}
		i = space(b, i+1)
	}
}

// stringEnd returns the index after the JSON string at i, or -1 if the text at i is not a valid
// string.
func stringEnd(b []byte, i int) int {
	if i >= len(b) || b[i] != '"' {
		return -1
	}
	for i++; i < len(b); i++ {
		for i+8 < len(b) && plain(binary.LittleEndian.Uint64(b[i:])) {
			i += 8
		}
		switch c := b[i]; {
		case c == '"':
			return i + 1
		case c < ' ':
			return -1
		case c == '\\':
			if i++; i >= len(b) {
				return -1
			}
			switch b[i] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			case 'u':
				for range 4 {
					if i++; i >= len(b) || !hex(b[i]) {
						return -1
					}
				}
			default:
				return -1
			}
		}
	}
	return -1
}

// plain reports whether eight bytes, read as one little-endian word, contain no quote,
// backslash or control character. stringEnd skips such bytes in one step.
func plain(w uint64) bool {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	quote, escape := w^ones*'"', w^ones*'\\'
	return ((w-ones*' ')&^w|(quote-ones)&^quote|(escape-ones)&^escape)&high == 0
}

func hex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// numberEnd returns the index after the JSON number at i, or -1 if the text at i is not a valid
// number.
func numberEnd(b []byte, i int) int {
	if i < len(b) && b[i] == '-' {
		i++
	}
	switch {
	case i < len(b) && b[i] == '0':
		i++
	default:
		if i = digits(b, i); i < 0 {
			return -1
		}
	}
	if i < len(b) && b[i] == '.' {
		if i = digits(b, i+1); i < 0 {
			return -1
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		i = digits(b, i)
	}
	return i
}

// digits returns the index after the digits at i, or -1 if there is no digit at i.
func digits(b []byte, i int) int {
	start := i
	for i < len(b) && '0' <= b[i] && b[i] <= '9' {
		i++
	}
	if i == start {
		return -1
	}
	return i
}

// plainString returns the text of a JSON string. quoted is the string with its quotes. ok is false
// if it is not a string or contains an escape sequence. Escape sequences are refused because a rule
// would compare a name in its escaped form, while Chromium reads the name in its unescaped form.
func plainString(quoted []byte) (text string, ok bool) {
	if len(quoted) < 2 || quoted[0] != '"' || bytes.IndexByte(quoted, '\\') >= 0 {
		return "", false
	}
	return string(quoted[1 : len(quoted)-1]), true
}
