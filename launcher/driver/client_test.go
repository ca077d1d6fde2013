package driver

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// client uses a Conn in the same way as playwright-go.
type client struct {
	*Conn
	program *exec.Cmd // the program that playwright-go starts as Node
	in      io.WriteCloser
	out     io.Reader
	last    int
}

func connect(t *testing.T, s *Shared, setup Setup) *client {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	conn, err := s.Connect(ctx, setup)
	if err != nil {
		t.Fatal(err)
	}
	c := &client{Conn: conn}
	t.Cleanup(conn.Close)
	c.program = exec.Command(setup.Node, filepath.Join(setup.Directory, "package", "cli.js"), "run-driver") //nolint:noctx // as playwright-go does
	c.program.Stderr = conn.Stderr()
	if c.in, err = c.program.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if c.out, err = c.program.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(c.program.Start(), conn.Stderr().Close()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = c.in.Close(), c.program.Wait() }) // Wait fails if the Conn has already waited
	return c
}

func frame(text string) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(text))), text...)
}

// call sends a message and returns the response.
func (c *client) call(guid, method, params string) (string, error) {
	c.last++
	if _, err := c.in.Write(frame(fmt.Sprintf(`{"id":%d,"guid":%q,"method":%q,"params":%s,"metadata":{}}`, c.last, guid, method, params))); err != nil {
		return "", err
	}
	for {
		var size uint32
		if err := binary.Read(c.out, binary.LittleEndian, &size); err != nil {
			return "", err
		}
		raw := make([]byte, size)
		if _, err := io.ReadFull(c.out, raw); err != nil {
			return "", err
		}
		var answer struct{ ID int }
		if err := json.Unmarshal(raw, &answer); err != nil {
			return "", err
		}
		if answer.ID == c.last {
			return string(raw), nil
		}
	}
}

// hello initialises the connection, as every client does first.
func (c *client) hello(t *testing.T) {
	t.Helper()
	if answer, err := c.call("", "initialize", `{"sdkLanguage":"javascript"}`); err != nil || !strings.Contains(answer, `"playwright"`) {
		t.Fatalf("the driver answers initialize with %.200s, %v", answer, err)
	}
}

// works checks that the driver answers a call on the initialised connection.
func (c *client) works(t *testing.T) {
	t.Helper()
	if answer, err := c.call("", "nothing", "{}"); err != nil || !strings.Contains(answer, "error") {
		t.Errorf("the driver answers %.200s, %v", answer, err)
	}
}

// gone checks that the connection is closed within some time, and that calls then fail.
func (c *client) gone(t *testing.T, within time.Duration) {
	t.Helper()
	select {
	case <-c.Done():
	case <-time.After(within):
		t.Errorf("the connection is not closed after %s", within)
	}
	if _, err := c.call("", "nothing", "{}"); err == nil {
		t.Error("a closed connection answers")
	}
}

// chromium initialises the connection and returns the guid of the browser type chromium.
func (c *client) chromium() (string, error) {
	if _, err := c.in.Write(frame(`{"id":1,"guid":"","method":"initialize","params":{"sdkLanguage":"javascript"},"metadata":{}}`)); err != nil {
		return "", err
	}
	c.last = 1
	for {
		var size uint32
		if err := binary.Read(c.out, binary.LittleEndian, &size); err != nil {
			return "", err
		}
		raw := make([]byte, size)
		if _, err := io.ReadFull(c.out, raw); err != nil {
			return "", err
		}
		var m struct {
			Params struct {
				Type        string
				GUID        string
				Initializer struct{ Name string }
			}
		}
		if err := json.Unmarshal(raw, &m); err != nil {
			return "", err
		}
		if m.Params.Type == "BrowserType" && m.Params.Initializer.Name == "chromium" {
			return m.Params.GUID, nil
		}
	}
}

// fakeBrowser serves the part of CDP that connectOverCDP needs. If impossible is set, it
// announces a target that belongs to no browser context.
type fakeBrowser struct {
	impossible bool
	left       chan struct{} // closed when its client has disconnected
}

// start starts the server and returns the parameters with which connectOverCDP connects to it.
func (b fakeBrowser) start(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	return `{"endpointURL":"ws` + strings.TrimPrefix(server.URL, "http") + `","timeout":20000}`
}

func (b fakeBrowser) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer close(b.left)
	defer conn.CloseNow()
	for {
		_, raw, err := conn.Read(r.Context())
		if err != nil {
			return
		}
		var m struct {
			ID     int
			Method string
		}
		if json.Unmarshal(raw, &m) != nil {
			return
		}
		event := ""
		if b.impossible && m.Method == "Target.setAutoAttach" {
			event = `{"method":"Target.attachedToTarget","params":{"sessionId":"s","waitingForDebugger":false,"targetInfo":{"targetId":"t","type":"page","url":"about:blank"}}}`
		}
		result := `{"product":"Chrome/156.0.0.0","userAgent":"x","jsVersion":"1","protocolVersion":"1.3","revision":"r"}`
		for _, text := range []string{event, fmt.Sprintf(`{"id":%d,"result":%s}`, m.ID, result)} {
			if text != "" && conn.Write(r.Context(), websocket.MessageText, []byte(text)) != nil {
				return
			}
		}
	}
}
