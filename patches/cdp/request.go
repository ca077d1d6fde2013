package cdp

import (
	"strconv"
	"unicode/utf8"
)

// Request is a CDP command. [ParseRequest] returns a request that a client sent;
// [Request.Encode] returns the text of a request for the browser.
type Request struct {
	ID      int64
	Method  string
	Session string // the sessionId member; empty on the root session
	Params  []byte // a JSON object; nil if the member is absent
	Size    int    // the length in bytes of the message that was parsed
	HasID   bool   // the message has a valid id; may be true even if ParseRequest returns an error
}

// shapeError is the reason why a client's message is not a valid request. The texts of errText and
// errJSON are our own. The texts of the other errors are those of Chromium.
type shapeError string

// Error returns the reason.
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

// ParseRequest reads a client's message. The field Params of the result refers to msg.
//
// ParseRequest is strict where Chromium is lenient, so that this package and Chromium cannot read a
// message differently. Comments are errors. So are repeated members of the message, but not
// repeated members inside the params. A raw NUL is an error, because NUL ends a message on
// Chromium's pipe. Text that is not UTF-8 is an error, because Chromium never answers such a
// message.
func ParseRequest(msg []byte) (Request, error) {
	r := Request{Size: len(msg)}
	if !utf8.Valid(msg) {
		return r, errText
	}
	var seen [4]bool
	err := members(msg, func(key, value []byte) error {
		var which int
		switch string(key) {
		case `"id"`:
			n, err := strconv.ParseInt(string(value), 10, 32)
			if err != nil {
				return errID
			}
			r.ID, r.HasID, which = n, true, 0
		case `"method"`:
			text, ok := plainString(value)
			if !ok {
				return errMethod
			}
			r.Method, which = text, 1
		case `"sessionId"`:
			text, ok := plainString(value)
			if !ok {
				return errSession
			}
			r.Session, which = text, 2
		case `"params"`:
			switch {
			case value[0] == '{':
				r.Params = value
			case string(value) != "null": // for Chromium, null is the same as no params
				return errParams
			}
			which = 3
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

// Encode returns the request as a message to the browser. It copies the method, the session and the
// params unchanged. So the method and the session must not contain characters that JSON escapes.
func (r Request) Encode() []byte {
	b := make([]byte, 0, len(r.Method)+len(r.Params)+len(r.Session)+64)
	b = strconv.AppendInt(append(b, replyHead...), r.ID, 10)
	b = append(append(append(b, `,"method":"`...), r.Method...), '"')
	if r.Params != nil {
		b = append(append(b, `,"params":`...), r.Params...)
	}
	return appendEnd(b, r.Session)
}
