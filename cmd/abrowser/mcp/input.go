package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// input reads the messages of the client, one a line. It passes on only JSON-RPC messages, because
// the SDK ends the connection at anything else. It reports the end of the input
// only when all calls were answered, or after drainTimeout.
type input struct {
	lines    *bufio.Reader
	rest     []byte        // of the line that is being passed on
	refusals chan []byte   // responses to lines that are not passed on
	running  *atomic.Int64 // calls that are not answered yet
	once     sync.Once
	over     chan struct{} // closed when the end of the input is reported
}

const (
	drainTimeout = 1500 * time.Millisecond
	quietTime    = 50 * time.Millisecond // all calls count as answered if none runs for this time
	longestLine  = 8 << 20               // bytes; less than the SDK accepts
	mostRefusals = 16                    // that wait to be written; more are dropped
)

func newInput(r io.Reader, running *atomic.Int64) *input {
	return &input{lines: bufio.NewReader(r), refusals: make(chan []byte, mostRefusals), running: running, over: make(chan struct{})}
}

// Read reads from the client. At the end of the input, it waits until no call runs, but not longer
// than drainTimeout.
func (r *input) Read(b []byte) (int, error) {
	for len(r.rest) == 0 {
		line, err := r.line()
		if problem := refuse(line, err); problem != nil {
			select {
			case r.refusals <- problem:
			default: // the client sends more than it reads
			}
		} else if line = bytes.TrimSpace(line); len(line) > 0 {
			r.rest = append(line, '\n') // the SDK accepts no space after a message
		}
		if len(r.rest) == 0 && err != nil && !errors.Is(err, errLongLine) {
			r.drain()
			return 0, err
		}
	}
	n := copy(b, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

var errLongLine = fmt.Errorf("a message has more than %d bytes", longestLine)

// line returns the next line, or the rest of the input. It returns errLongLine, and skips the
// line, if that is longer than longestLine.
func (r *input) line() ([]byte, error) {
	var all []byte
	tooLong := false
	for {
		part, err := r.lines.ReadSlice('\n')
		if tooLong = tooLong || len(all)+len(part) > longestLine; !tooLong {
			all = append(all, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err == nil && tooLong:
			return nil, errLongLine
		default:
			return all, err
		}
	}
}

// refuse returns the response to a line that is not a JSON-RPC message, or nil.
func refuse(line []byte, err error) []byte {
	code, message, id := 0, "", json.RawMessage("null")
	switch line = bytes.TrimSpace(line); {
	case errors.Is(err, errLongLine):
		code, message = jsonrpc.CodeInvalidRequest, err.Error()
	case len(line) == 0:
		return nil
	case !json.Valid(line):
		code, message = jsonrpc.CodeParseError, "the line is not JSON; each message is one line"
	case line[0] == '[': // the MCP versions from 2025-06-18 on have no batches
		code, message = jsonrpc.CodeInvalidRequest, "batches are not supported; send each message on a line of its own"
	default:
		if _, err := jsonrpc.DecodeMessage(line); err == nil {
			return nil
		}
		code, message, id = jsonrpc.CodeInvalidRequest, "the line is not a JSON-RPC 2.0 message", idOf(line)
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`+"\n", id, code, message)
}

// idOf returns the id of an invalid message, for the response, or null.
func idOf(line []byte) json.RawMessage {
	var given struct{ ID any }
	if json.Unmarshal(line, &given) == nil {
		switch given.ID.(type) {
		case string, float64:
			if id, err := json.Marshal(given.ID); err == nil {
				return id
			}
		}
	}
	return json.RawMessage("null")
}

// drain waits until no call runs, but not longer than drainTimeout.
func (r *input) drain() {
	// drain polls for quietTime, since r.running does not include a call that was read but has not
	// begun.
	idle := time.Duration(0)
	for end := time.Now().Add(drainTimeout); idle < quietTime && time.Now().Before(end); time.Sleep(quietTime / 5) {
		idle += quietTime / 5
		if r.running.Load() > 0 {
			idle = 0
		}
	}
	r.once.Do(func() { close(r.over) })
}

// Close does nothing, since the input belongs to the process.
func (*input) Close() error { return nil }

// output writes the messages to the client, one at a time.
type output struct {
	io.Writer
	mu sync.Mutex
}

// Write writes one message.
func (w *output) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.Writer.Write(b)
}

// Close does nothing, since the output belongs to the process.
func (*output) Close() error { return nil }
