package cdp

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// message is a command as the server gets it.
type message struct {
	ID      int    `json:"id"`
	Session string `json:"sessionId"`
	Method  string `json:"method"`
}

// serve runs a fake broker, and returns a connection to it. For each command, the broker sends the
// text that respond returns. If the text is "hang up", the broker closes the connection instead.
func serve(t *testing.T, respond func(message) string) *Conn {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "abc") // not t.TempDir: the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	place := home.Endpoint{Name: "b", Socket: filepath.Join(dir, "b.sock")}
	var lc net.ListenConfig
	listener, err := lc.Listen(t.Context(), "unix", place.Socket)
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := websocket.Accept(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = ws.CloseNow() }()
		for {
			_, raw, err := ws.Read(r.Context())
			if err != nil {
				return
			}
			var m message
			if err := json.Unmarshal(raw, &m); err != nil {
				t.Error(err)
				return
			}
			text := respond(m)
			if text == "hang up" {
				return
			}
			if err := ws.Write(r.Context(), websocket.MessageText, []byte(text)); err != nil {
				return
			}
		}
	})}
	go func() { _ = srv.Serve(listener) }()
	t.Cleanup(func() { _ = srv.Close() })
	c, err := Dial(t.Context(), place, "/session/a")
	if err != nil {
		t.Fatal(err)
	}
	go c.Read(func() {}, func() {})
	t.Cleanup(func() {
		c.Close()
		<-c.Over()
	})
	return c
}

func respondTo(m message, members string) string {
	raw, err := json.Marshal(m.ID)
	if err != nil {
		return err.Error()
	}
	return `{"id":` + string(raw) + `,` + members + `}`
}

func TestConn(t *testing.T) {
	c := serve(t, func(m message) string {
		switch m.Method {
		case "true":
			return respondTo(m, `"result":{"result":{"type":"boolean","value":true}},"quiet":true`)
		case "session":
			return respondTo(m, `"result":"`+m.Session+`"`)
		case "refuse":
			return respondTo(m, `"error":{"message":"Session with given id not found."}`)
		case "hang up":
			return "hang up"
		}
		return `{"method":"an event"}`
	})
	send := func(method string) Pending {
		t.Helper()
		p, err := c.Send(t.Context(), "S1", method, nil)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if p := send("true"); !p.Arrives(10*time.Second) || !p.IsTrue() || !p.IsTrue() || !c.IsQuiet() {
		t.Error("the response true did not arrive, or a check removed it from the channel")
	}
	var session string
	if err := (<-send("session").Response()).Decode(&session); err != nil || session != "S1" || c.IsQuiet() {
		t.Errorf("the session was %q, %v", session, err)
	}
	var refused *Error
	if err := (<-send("refuse").Response()).Decode(nil); !errors.As(err, &refused) || !refused.IsNoSession() {
		t.Errorf("Decode() of an error = %v", err)
	}
	silent := send("an event")
	if silent.Arrives(10*time.Millisecond) || silent.IsTrue() {
		t.Error("an event was taken for a response")
	}
	send("hang up")
	<-c.Over()
	if _, err := c.Send(context.Background(), "", "true", nil); !errors.Is(err, ErrNotSent) || !c.IsOver() || c.IsQuiet() {
		t.Errorf("Send() on a connection that is over = %v", err)
	}
	if len(c.waiting) != 2 { // the two commands that were sent and got no response
		t.Errorf("%d commands wait for a response", len(c.waiting))
	}
	c.Forget(silent)
	if len(c.waiting) != 1 {
		t.Errorf("after Forget() %d commands wait", len(c.waiting))
	}
}

func TestThrown(t *testing.T) {
	for raw, want := range map[string]string{
		`{"result":{}}`: "",
		`{"exceptionDetails":{"text":"Uncaught","exception":{"description":"Error: no\n  at a"}}}`: "Error: no\n  at a",
		`{"exceptionDetails":{"text":"Uncaught","exception":{"value":7}}}`:                         "Uncaught 7",
		`{"exceptionDetails":{"text":"SyntaxError"}}`:                                              "SyntaxError",
	} {
		var e Evaluation
		if err := json.Unmarshal([]byte(raw), &e); err != nil {
			t.Fatal(err)
		}
		switch err := e.Thrown(); {
		case want == "" && err != nil:
			t.Errorf("Thrown() of %s = %v", raw, err)
		case want != "" && (!errors.Is(err, wire.CodeEvaluation) || wire.AsError(err).Message != want):
			t.Errorf("Thrown() of %s = %v, want %q", raw, err, want)
		}
	}
}
