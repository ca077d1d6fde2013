package patches

import (
	"bytes"
	"encoding/binary"
	"strconv"
)

// maxDepth is how deep values may nest in what a client sends. Chromium refuses
// deeper ones at 300.
const maxDepth = 250

// shapeError says why a client's message is no request, in Chromium's own words.
type shapeError string

// Error returns the words.
func (e shapeError) Error() string { return string(e) }

const (
	errText       shapeError = "JSON: the message is not UTF-8"
	errJSON       shapeError = "JSON: the message is not valid JSON"
	errObject     shapeError = "Message must be an object"
	errID         shapeError = "Message must have integer 'id' property"
	errMethod     shapeError = "Message must have string 'method' property"
	errSession    shapeError = "Message may have string 'sessionId' property"
	errParams     shapeError = "Message may have object 'params' property"
	errProperties shapeError = "Message has property other than 'id', 'method', 'sessionId', 'params'"
)

// request is a client's message. Its bytes are the client's, its shape is
// checked: what Chromium will read is what the rules have read.
type request struct {
	id      int64
	method  string
	session string
	params  []byte // nil where there are none
	named   bool   // the id is known, whatever else is wrong
}

// scanRequest reads a client's message. It is strict where Chromium is lenient
// (comments, members given twice), so that no two readings of it are possible;
// above all it lets no raw NUL through, which ends a message on the pipe.
func scanRequest(msg []byte) (request, error) {
	var r request
	var seen [4]bool
	err := members(msg, func(key, value []byte) error {
		var which int
		switch string(key) {
		case `"id"`:
			n, err := strconv.ParseInt(string(value), 10, 32)
			if err != nil {
				return errID
			}
			r.id, r.named, which = n, true, 0
		case `"method"`:
			text, ok := plainString(value)
			if !ok {
				return errMethod
			}
			r.method, which = text, 1
		case `"sessionId"`:
			text, ok := plainString(value)
			if !ok {
				return errSession
			}
			r.session, which = text, 2
		case `"params"`:
			if value[0] != '{' {
				return errParams
			}
			r.params, which = value, 3
		default:
			return errProperties
		}
		if seen[which] {
			return errProperties
		}
		seen[which] = true
		return nil
	})
	switch {
	case err != nil:
		return r, err
	case !seen[0]:
		return r, errID
	case !seen[1]:
		return r, errMethod
	}
	return r, nil
}

// members calls each for every member of the object that msg is, quotes and all.
func members(msg []byte, each func(key, value []byte) error) error {
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
		if err := each(key, msg[i:end]); err != nil {
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

func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// valueEnd returns the index behind the JSON value at i, -1 where none is.
func valueEnd(b []byte, i, depth int) int {
	if i >= len(b) || depth > maxDepth {
		return -1
	}
	switch b[i] {
	case '"':
		return stringEnd(b, i)
	case '{', '[':
		return nestEnd(b, i, depth)
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

// nestEnd is valueEnd for an object or an array.
func nestEnd(b []byte, i, depth int) int {
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

// stringEnd is valueEnd for a string.
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

// plain reports whether none of eight bytes of a string needs to be looked at: a
// quote, a backslash, or a control character, which is below a space.
func plain(w uint64) bool {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	quote, escape := w^ones*'"', w^ones*'\\'
	return ((w-ones*' ')&^w|(quote-ones)&^quote|(escape-ones)&^escape)&high == 0
}

func hex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// numberEnd is valueEnd for a number.
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

// plainString returns the text of a JSON string that has no escapes.
func plainString(quoted []byte) (string, bool) {
	if len(quoted) < 2 || quoted[0] != '"' || bytes.IndexByte(quoted, '\\') >= 0 {
		return "", false
	}
	return string(quoted[1 : len(quoted)-1]), true
}
