package cdpserver

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"

	"github.com/abrowser/abrowser/sockets/wire"
)

// callTime is how long the browser may take to answer a call.
const callTime = 20 * time.Second

// browser is a connection to the session's endpoint at the broker, for the calls of one request.
type browser struct {
	conn      *websocket.Conn
	lastID    int
	destroyed []string // the targets of the targetDestroyed events that were read
}

// message is a response, or an event if it has a method.
type message struct {
	ID     int
	Result json.RawMessage
	Error  *struct{ Message string }
	Method string
	Params struct{ TargetID string }
}

// connect connects to the session's endpoint.
func (h *handler) connect(ctx context.Context) (*browser, error) {
	conn, err := h.server.Dial(ctx)
	if err != nil {
		return nil, err
	}
	used := false
	client := &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		used = true
		return conn, nil
	}}}
	socket, response, err := websocket.Dial(ctx, "ws://broker"+h.server.Path, &websocket.DialOptions{HTTPClient: client})
	if response != nil && response.Body != nil {
		response.Body.Close()
	}
	if err != nil {
		if !used {
			conn.Close()
		}
		return nil, wire.Errorf(wire.CodeBrowserGone, "connecting to the browser: %v", err)
	}
	socket.SetReadLimit(-1) // the broker limits its messages
	return &browser{conn: socket}, nil
}

func (b *browser) close() { _ = b.conn.Close(websocket.StatusNormalClosure, "") }

// call sends a command on the browser's session and decodes its result into out, which may be nil.
func (b *browser) call(ctx context.Context, method string, params, out any) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	b.lastID++
	request := map[string]any{"id": b.lastID, "method": method}
	if params != nil {
		request["params"] = params
	}
	if err := wsjson.Write(ctx, b.conn, request); err != nil {
		return wire.Errorf(wire.CodeBrowserGone, "%s: %v", method, err)
	}
	for {
		reply, err := b.read(ctx)
		switch {
		case ctx.Err() != nil:
			return wire.ContextError(ctx, method)
		case err != nil:
			return wire.Errorf(wire.CodeBrowserGone, "%s: %v", method, err)
		case reply.ID != b.lastID: // an event
		case reply.Error != nil:
			return wire.Errorf(wire.CodeBadInput, "%s: %s", method, reply.Error.Message)
		case out == nil:
			return nil
		default:
			return json.Unmarshal(reply.Result, out)
		}
	}
}

// awaitDestroyed waits until a target is destroyed, if the connection has called
// Target.setDiscoverTargets. It returns an error if the connection or ctx ends first.
func (b *browser) awaitDestroyed(ctx context.Context, target string) error {
	for !slices.Contains(b.destroyed, target) {
		if _, err := b.read(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (b *browser) read(ctx context.Context) (message, error) {
	var m message
	err := wsjson.Read(ctx, b.conn, &m)
	if m.Method == "Target.targetDestroyed" {
		b.destroyed = append(b.destroyed, m.Params.TargetID)
	}
	return m, err
}
