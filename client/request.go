package client

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	methodGet  = "GET"
	methodPost = "POST"
)

// request is an HTTP request.
type request struct {
	method, path string
	body         []byte
	readOnly     bool // the request changes nothing, so it may be repeated
}

// encodeBody returns v as the JSON body of a request. It returns an error if v cannot be encoded or
// the body is too large.
func encodeBody(v any) ([]byte, error) {
	var raw []byte
	switch v := v.(type) {
	case nil:
	case json.RawMessage:
		raw = v
	default:
		var err error
		if raw, err = json.Marshal(v); err != nil {
			return nil, wire.Errorf(wire.CodeBadInput, "encoding the request: %v", err)
		}
	}
	if len(raw) == 0 {
		raw = []byte("{}")
	}
	if len(raw) > wire.MaxRequest {
		return nil, wire.Errorf(wire.CodeTooLarge, "the request has %d bytes; the limit is %d", len(raw), wire.MaxRequest)
	}
	return raw, nil
}

// encode returns the bytes of a request.
func (c *Client) encode(ctx context.Context, r request) ([]byte, error) {
	if !strings.HasPrefix(r.path, "/v1/") || strings.ContainsFunc(r.path, func(c rune) bool { return c <= ' ' || c >= 0x7f }) {
		return nil, wire.Errorf(wire.CodeUnknownVerb, "%q is not a request path", r.path)
	}
	settings, err := json.Marshal(c.Settings.Requested())
	if err != nil {
		return nil, err
	}
	const head = 1 << 10 // enough for the request line and the headers of most requests
	m := make([]byte, 0, head+len(r.body))
	m = append(m, r.method+" "+r.path+" HTTP/1.1\r\nHost: abrowser\r\n"...)
	m = appendHeader(m, wire.HeaderProtocol, strconv.Itoa(wire.Protocol()))
	m = appendHeader(m, wire.HeaderSession, c.Session)
	m = appendHeader(m, wire.HeaderBuild, c.Build)
	m = appendHeader(m, wire.HeaderAgent, c.Agent)
	m = appendHeader(m, wire.HeaderOwner, c.OwnerProcess)
	if deadline, ok := ctx.Deadline(); ok {
		m = appendHeader(m, wire.HeaderDeadline, strconv.FormatInt(max(1, time.Until(deadline).Milliseconds()), 10))
	}
	if string(settings) != "{}" {
		m = appendHeader(m, wire.HeaderSettings, string(settings))
	}
	if r.method == methodPost {
		m = appendHeader(m, "Content-Type", "application/json")
		m = appendHeader(m, "Content-Length", strconv.Itoa(len(r.body)))
	}
	m = append(m, "\r\n"...)
	return append(m, r.body...), nil
}

// appendHeader appends a header unless its value is empty. It replaces newlines in the value
// with spaces, so that a value cannot add a header.
func appendHeader(m []byte, name, value string) []byte {
	if value == "" {
		return m
	}
	m = append(m, name+": "...)
	for i := range len(value) {
		b := value[i]
		if b == '\r' || b == '\n' {
			b = ' '
		}
		m = append(m, b)
	}
	return append(m, "\r\n"...)
}
