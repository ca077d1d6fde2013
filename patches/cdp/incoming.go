package patches

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// incoming is a message of the browser, taken apart as little as possible.
type incoming struct {
	raw     []byte
	isReply bool
	id      int64
	comma   int    // of a reply: index of the comma behind its id
	method  string // of an event
	session string
	tail    int // index at which the sessionId member begins, its comma included; 0 where there is none
}

// How Chromium begins and ends its messages.
const (
	headReply = `{"id":`
	headEvent = `{"method":"`
	keyTail   = `,"sessionId":"`
)

// scanIncoming reads id or method at the message's start and sessionId at its
// end, where Chromium writes them: the middle, of whatever size, is not looked
// at. It reports whether the message is one that anybody could wait for.
func scanIncoming(raw []byte) (incoming, bool) {
	in := incoming{raw: raw}
	switch {
	case hasPrefix(raw, headReply):
		if !in.scanID() {
			return in, false
		}
	case hasPrefix(raw, headEvent):
		rest := raw[len(headEvent):]
		end := bytes.IndexByte(rest, '"')
		if end < 0 {
			return in, false
		}
		in.method = string(rest[:end])
	default:
		return in, false
	}
	in.session, in.tail = sessionTail(raw)
	return in, raw[len(raw)-1] == '}'
}

// scanID reads the id of a reply, of which the beginning is enough.
func (in *incoming) scanID() bool {
	i := len(headReply)
	for i < len(in.raw) && in.raw[i] != ',' {
		i++
	}
	n, err := strconv.ParseInt(string(in.raw[min(i, len(headReply)):i]), 10, 64)
	if err != nil || i == len(in.raw) {
		return false
	}
	in.isReply, in.id, in.comma = true, n, i
	return true
}

// sessionTail finds the sessionId that is the message's last member. A string
// before the last brace whose key is sessionId cannot be anything else: inside
// of a value its quotes would be escaped, inside of params a second brace would
// follow.
func sessionTail(raw []byte) (string, int) {
	end := len(raw) - 2
	if end < len(keyTail) || raw[end] != '"' || raw[end+1] != '}' {
		return "", 0
	}
	start := bytes.LastIndexByte(raw[:end], '"')
	if start < 0 || !hasSuffix(raw[:start+1], keyTail) {
		return "", 0
	}
	return string(raw[start+1 : end]), start + 1 - len(keyTail)
}

// withoutSession drops the sessionId of a message for the client's root. It
// works in place.
func (in incoming) withoutSession() []byte {
	if in.tail == 0 {
		return in.raw
	}
	out := append(in.raw[:in.tail], '}')
	return out
}

// withID writes the client's own id over ours. Ours is never shorter, so this
// is done in place and the message only begins later.
func withID(raw []byte, comma int, id int64) []byte {
	var b [32]byte
	head := strconv.AppendInt(append(b[:0], headReply...), id, 10)
	start := comma - len(head)
	if start < 0 {
		return append(head[:len(head):len(head)], raw[comma:]...)
	}
	copy(raw[start:], head)
	return raw[start:]
}

// result decodes a reply's result into v, or returns the error in it.
func (in incoming) result(v any) error {
	var reply struct {
		Result json.RawMessage `json:"result"`
		Error  *cdpError       `json:"error"`
	}
	if err := json.Unmarshal(in.raw, &reply); err != nil {
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

// rawParams are an event's params as they came.
func (in incoming) rawParams() []byte {
	end := in.tail
	if end == 0 {
		end = len(in.raw) - 1
	}
	start := len(headEvent) + len(in.method) + len(`","params":`)
	if start > end {
		return []byte("{}")
	}
	return in.raw[start:end]
}

// params decodes an event's params into v.
func (in incoming) params(v any) error {
	return json.Unmarshal(in.raw, &struct {
		Params any `json:"params"`
	}{v})
}

func hasPrefix(b []byte, prefix string) bool {
	return len(b) >= len(prefix) && string(b[:len(prefix)]) == prefix
}

func hasSuffix(b []byte, suffix string) bool {
	return len(b) >= len(suffix) && string(b[len(b)-len(suffix):]) == suffix
}
