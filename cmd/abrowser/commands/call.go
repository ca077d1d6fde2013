package commands

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/args"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// call is a verb with the parameters of one request.
type call struct {
	verb    wire.AnyVerb
	spec    wire.Spec
	params  map[string]any
	timeout time.Duration // how long the verb may wait; if 0, see patience
}

func newCall(v wire.AnyVerb, params map[string]any) call {
	if params = maps.Clone(params); params == nil {
		params = map[string]any{}
	}
	return call{verb: v, spec: v.Describe(), params: params}
}

// text returns the value of a text parameter, or "" if the parameter was not given.
func (c call) text(name string) string { s, _ := c.params[name].(string); return s }

// on reports whether a parameter is true.
func (c call) on(name string) bool { on, _ := c.params[name].(bool); return on }

// prepareScript decodes the script of eval. If the script is invalid, the command fails before it
// starts a daemon.
func (c call) prepareScript() error {
	script := c.text("script")
	if c.on("stdin") {
		return wire.Errorf(wire.CodeBadInput, "eval reads a script from standard input only as a command of its own").
			WithHint("abrowser eval -b BASE64")
	}
	if c.on("base64") {
		raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(script))
		if err != nil {
			return wire.Errorf(wire.CodeBadInput, "the script is not base64: %v", err)
		}
		script = string(raw)
	}
	if strings.TrimSpace(script) == "" {
		return wire.Errorf(wire.CodeBadInput, "eval needs a script").WithHint("usage: %s", args.Usage(c.spec, c.verb.Fields()))
	}
	delete(c.params, "stdin")
	delete(c.params, "base64")
	c.params["script"] = script
	return nil
}

// encode returns the body of the request. It makes the same checks as the server.
func (c call) encode() (json.RawMessage, error) {
	body, err := json.Marshal(c.params)
	if err != nil {
		return nil, err
	}
	if _, err := c.verb.Decode(bytes.NewReader(body)); err != nil {
		return nil, err
	}
	return body, nil
}

// maxPatience is the longest time that a verb may wait. It is below the server's own limit, which
// is 24 hours.
const maxPatience = 20 * time.Hour

// patience returns how long the verb may wait once it has begun. The time in the server's queue is
// not included: sendTo adds a margin for it.
func (c call) patience() time.Duration {
	if c.timeout > 0 {
		return c.timeout
	}
	if ms, ok := c.params["timeout"].(int); ok {
		return milliseconds(ms)
	}
	if c.spec.Name == verbs.Wait.Name {
		if ms, err := strconv.Atoi(c.text("what")); err == nil {
			return max(milliseconds(ms), defaultPatience)
		}
	}
	return defaultPatience
}

func milliseconds(n int) time.Duration {
	return time.Duration(min(n, int(maxPatience/time.Millisecond))) * time.Millisecond
}

// decode decodes a verb's output.
func decode(v wire.AnyVerb, data json.RawMessage) (any, error) {
	out := v.NewOut()
	if len(data) == 0 {
		return out, nil
	}
	if err := json.Unmarshal(data, out); err != nil {
		return nil, wire.Errorf(wire.CodeInternal, "decoding the answer to %s: %v", v.Describe().Name, err)
	}
	return out, nil
}
