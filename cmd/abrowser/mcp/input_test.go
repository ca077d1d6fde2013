package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/mcp"
)

// The response to a line that is not a JSON-RPC message is an error, and the server continues.
func TestInvalidMessages(t *testing.T) {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- mcp.Serve(context.WithoutCancel(t.Context()), mcp.Options{In: in, Out: out, Session: "default"})
		_ = out.Close() // which never fails
	}()
	responses := bufio.NewReader(fromServer)
	for line, want := range map[string]float64{
		"click e3":                             -32700,
		`{"jsonrpc":"2.0","id":1,"method":`:    -32700,
		"\xff\xfe":                             -32700,
		"{}":                                   -32600,
		`"ping"`:                               -32600,
		`[{"jsonrpc":"2.0","id":1}]`:           -32600,
		`"` + strings.Repeat("x", 9<<20) + `"`: -32600,
	} {
		if _, err := io.WriteString(toServer, line+"\n\n"); err != nil {
			t.Fatal(err)
		}
		var got struct {
			ID    any
			Error struct {
				Code    float64
				Message string
			}
		}
		raw, err := responses.ReadBytes('\n')
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(raw, &got); err != nil || got.ID != nil || got.Error.Code != want || got.Error.Message == "" {
			t.Errorf("the response to %.40q is %s (%v), want code %v", line, raw, err, want)
		}
	}
	if _, err := io.WriteString(toServer, `{"id":"five","method":"ping"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	if raw, err := responses.ReadString('\n'); err != nil || !strings.Contains(raw, `"id":"five","error":{"code":-32600`) {
		t.Errorf("the response to a message without a version is %s, %v", raw, err)
	}
	if _, err := io.WriteString(toServer, ` {"jsonrpc":"2.0","id":7,"method":"ping"} `+"\t\n"); err != nil {
		t.Fatal(err)
	}
	if raw, err := responses.ReadString('\n'); err != nil || !strings.Contains(raw, `"id":7`) || !strings.Contains(raw, `"result"`) {
		t.Errorf("afterwards the response to a ping is %s, %v", raw, err)
	}
	_ = toServer.Close() // which never fails
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("the server ended with %v", err)
		}
	case <-time.After(patience):
		t.Error("the server does not end")
	}
}
