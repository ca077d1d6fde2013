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

// question is one HTTP request.
type question struct {
	method, path string
	body         []byte
	reads        bool // asking twice does no harm
}

// message is q as it is sent.
func (c *Client) message(ctx context.Context, q question) ([]byte, error) {
	if !strings.HasPrefix(q.path, "/v1/") || strings.ContainsFunc(q.path, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return nil, wire.Errorf(wire.CodeUnknownVerb, "%q is no request path", q.path)
	}
	settings, err := json.Marshal(c.Settings)
	if err != nil {
		return nil, err
	}
	const head = 1 << 10 // more than a usual one has
	m := make([]byte, 0, head+len(q.body))
	m = append(m, q.method+" "+q.path+" HTTP/1.1\r\nHost: abrowser\r\n"...)
	m = appendField(m, wire.HeaderProtocol, strconv.Itoa(wire.Protocol))
	m = appendField(m, wire.HeaderSession, c.Session)
	m = appendField(m, wire.HeaderBuild, c.Build)
	m = appendField(m, wire.HeaderAgent, c.Agent)
	m = appendField(m, wire.HeaderOwner, c.OwnerProcess)
	if at, ok := ctx.Deadline(); ok {
		m = appendField(m, wire.HeaderDeadline, strconv.FormatInt(max(1, time.Until(at).Milliseconds()), 10))
	}
	if string(settings) != "{}" {
		m = appendField(m, wire.HeaderSettings, string(settings))
	}
	if q.method == methodPost {
		m = appendField(m, "Content-Type", "application/json")
		m = appendField(m, "Content-Length", strconv.Itoa(len(q.body)))
	}
	m = append(m, "\r\n"...)
	return append(m, q.body...), nil
}

// appendField adds a line to a request's head, none for an empty value. No value makes
// a line of its own: newlines become spaces.
func appendField(m []byte, name, value string) []byte {
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
