package cdp

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// Message is a message of the browser: the reply to a command, or an event.
type Message struct {
	Raw     []byte
	IsReply bool
	ID      int64  // in a reply, the id of the command that it answers
	Method  string // in an event, its method
	Session string // the sessionId member; empty on the root session

	comma int // in a reply, the index of the comma after its id
	tail  int // the index of the comma before the sessionId member; 0 if there is no such member
}

// These are the first bytes of a reply, of an event and of the last member of a message, as
// Chromium writes them.
const (
	replyHead  = `{"id":`
	eventHead  = `{"method":"`
	sessionKey = `,"sessionId":"`
)

// ParseMessage reads the id or the method at the beginning of a message and the sessionId at its
// end, which is where Chromium writes them. It does not read the part between them, whatever its
// size. ok is false if the text has another form, such as an error without an id or half a message.
func ParseMessage(raw []byte) (m Message, ok bool) {
	m = Message{Raw: raw}
	switch {
	case hasPrefix(raw, replyHead):
		if !m.readID() {
			return m, false
		}
	case hasPrefix(raw, eventHead):
		rest := raw[len(eventHead):]
		end := bytes.IndexByte(rest, '"')
		if end < 0 {
			return m, false
		}
		m.Method = string(rest[:end])
	default:
		return m, false
	}
	m.Session, m.tail = sessionAtEnd(raw)
	return m, raw[len(raw)-1] == '}'
}

// readID reads the id at the beginning of a reply. It returns false if the id is not an integer
// or no comma follows it, as in a message that was cut off.
func (m *Message) readID() bool {
	i := len(replyHead)
	for i < len(m.Raw) && m.Raw[i] != ',' {
		i++
	}
	n, err := strconv.ParseInt(string(m.Raw[min(i, len(replyHead)):i]), 10, 64)
	if err != nil || i == len(m.Raw) {
		return false
	}
	m.IsReply, m.ID, m.comma = true, n, i
	return true
}

// sessionAtEnd returns the value of sessionId if this is the message's last member, and the index
// of the comma before the member. It only checks that the message ends with the key, a string and
// one brace. This is sufficient. Such an end cannot be part of a string, because the key's quotes
// would be escaped in a string. It cannot be the end of a nested object, because a second brace
// would follow.
func sessionAtEnd(raw []byte) (string, int) {
	end := len(raw) - 2
	if end < len(sessionKey) || raw[end] != '"' || raw[end+1] != '}' {
		return "", 0
	}
	start := bytes.LastIndexByte(raw[:end], '"')
	if start < 0 || !hasSuffix(raw[:start+1], sessionKey) {
		return "", 0
	}
	return string(raw[start+1 : end]), start + 1 - len(sessionKey)
}

// WithoutSession returns the message without its sessionId member, as a client expects a message on
// its root session. It overwrites Raw.
func (m Message) WithoutSession() Message {
	if m.tail != 0 {
		m.Raw, m.tail = append(m.Raw[:m.tail], '}'), 0
	}
	m.Session = ""
	return m
}

// WithID returns the text of a reply with another id. If the new id is not longer than the present
// one, WithID writes it into Raw and returns a part of Raw. Otherwise it returns a copy.
func (m Message) WithID(id int64) []byte {
	var b [32]byte
	head := strconv.AppendInt(append(b[:0], replyHead...), id, 10)
	start := m.comma - len(head)
	if start < 0 {
		return append(head[:len(head):len(head)], m.Raw[m.comma:]...)
	}
	copy(m.Raw[start:], head)
	return m.Raw[start:]
}

// Result decodes the result of a reply into v, unless v is nil. If the reply is an error, Result
// returns this error as an [*Error].
func (m Message) Result(v any) error {
	var reply struct {
		Result json.RawMessage `json:"result"`
		Error  *Error          `json:"error"`
	}
	if err := json.Unmarshal(m.Raw, &reply); err != nil {
		return err
	}
	if reply.Error != nil {
		return reply.Error
	}
	if v == nil {
		return nil
	}
	return json.Unmarshal(reply.Result, v)
}

// Params decodes the params of an event into v.
func (m Message) Params(v any) error {
	return json.Unmarshal(m.Raw, &struct {
		Params any `json:"params"`
	}{v})
}

// RawParams returns the params of an event as Chromium wrote them.
func (m Message) RawParams() []byte {
	end := m.tail
	if end == 0 {
		end = len(m.Raw) - 1
	}
	start := len(eventHead) + len(m.Method) + len(`","params":`)
	if start > end {
		return []byte("{}")
	}
	return m.Raw[start:end]
}

func hasPrefix(b []byte, prefix string) bool {
	return len(b) >= len(prefix) && string(b[:len(prefix)]) == prefix
}

func hasSuffix(b []byte, suffix string) bool {
	return len(b) >= len(suffix) && string(b[len(b)-len(suffix):]) == suffix
}
