package cdp

import (
	"encoding/json"
	"strconv"
)

// Error is the error object of a CDP response.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Error returns the field Message.
func (e *Error) Error() string { return e.Message }

// Response returns an error response to the request with this id. The session is empty for a
// request on the root session.
func (e *Error) Response(id int64, session string) []byte {
	raw, _ := json.Marshal(e) // an integer and a string can always be encoded
	return response(id, `,"error":`, raw, session)
}

// Response returns a response with a result, which is JSON, to the request with this id. The
// session is empty for a request on the root session.
func Response(id int64, session string, result []byte) []byte {
	return response(id, `,"result":`, result, session)
}

func response(id int64, member string, value []byte, session string) []byte {
	b := strconv.AppendInt(append(make([]byte, 0, 128), replyHead...), id, 10)
	b = append(append(b, member...), value...)
	return appendEnd(b, session)
}

// Event returns the message of an event. The params are JSON. The session is empty for an event on
// the root session.
func Event(method, session string, params []byte) []byte {
	b := append(append(append(make([]byte, 0, 512), eventHead...), method...), '"')
	b = append(append(b, `,"params":`...), params...)
	return appendEnd(b, session)
}

// Received returns the event Target.receivedMessageFromTarget with a message of the named session,
// which is attached to the target. The event belongs to the session on.
func Received(on, session, target string, message []byte) []byte {
	b := make([]byte, 0, len(message)+len(message)/4+512)
	b = append(append(append(b, `{"method":"Target.receivedMessageFromTarget","params":{"sessionId":"`...), session...), `","message":`...)
	b = appendString(b, message)
	b = append(append(append(b, `,"targetId":"`...), target...), `"}`...)
	return appendEnd(b, on)
}

// appendString appends text as a JSON string. It copies each run of characters that need no escape
// at once, because most of a large message is such a run.
func appendString(b, text []byte) []byte {
	b = append(b, '"')
	start := 0
	for i, c := range text {
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		b = append(b, text[start:i]...)
		if start = i + 1; c < ' ' {
			b = append(b, '\\', 'u', '0', '0', '0'+c>>4, "0123456789abcdef"[c&15])
		} else {
			b = append(b, '\\', c)
		}
	}
	return append(append(b, text[start:]...), '"')
}

// appendEnd appends the end of a message to b. Like Chromium, it writes the sessionId
// member last.
func appendEnd(b []byte, session string) []byte {
	if session != "" {
		b = append(append(append(b, sessionKey...), session...), '"')
	}
	return append(b, '}')
}
