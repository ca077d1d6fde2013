package broker

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/coder/websocket"
)

// A large reply reaches its client while the browser still writes it. What the client
// is told meanwhile comes behind it.
func TestLargeReplyIsPassedOnAsItComes(t *testing.T) {
	const size = 8 << 20
	goOn := make(chan struct{})
	ctx, cancel := context.WithTimeout(t.Context(), testTime/4)
	defer cancel()
	conn := between(t, pipes(t, size, func() {
		select {
		case <-goOn:
		case <-ctx.Done():
		}
	}))
	send := func(msg string) {
		t.Helper()
		if err := conn.Write(ctx, websocket.MessageText, []byte(msg)); err != nil {
			t.Fatal(err)
		}
	}
	send(question)
	_, r, err := conn.Reader(ctx)
	if err != nil {
		t.Fatal(err)
	}
	head := make([]byte, size/4)
	if _, err := io.ReadFull(r, head); err != nil {
		t.Fatal(err)
	}
	send(`{"id":8,"method":"Target.getTargets"}`) // which the broker answers by itself
	close(goOn)
	rest, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	var reply struct {
		ID        int
		SessionID string
		Result    struct{ Data string }
	}
	if err := json.Unmarshal(append(head, rest...), &reply); err != nil {
		t.Fatalf("the reply is cut up: %v", err)
	}
	if reply.ID != 7 || reply.SessionID != "C" || len(reply.Result.Data) != size {
		t.Errorf("the reply to %d on %q has %d bytes, want 7, C and %d", reply.ID, reply.SessionID, len(reply.Result.Data), size)
	}
	_, next, err := conn.Read(ctx)
	if err != nil || !strings.HasPrefix(string(next), `{"id":8,"result":`) {
		t.Errorf("behind it comes %q, %v", next, err)
	}
}

// A large message that the mux has to read reaches it whole.
func TestLargeReplyOnTheRootIsReadWhole(t *testing.T) {
	const size = 2 << 20
	conn := between(t, pipes(t, size, func() {}))
	conn.SetReadLimit(maxMessage)
	if err := conn.Write(t.Context(), websocket.MessageText, []byte(`{"id":9,"method":"Browser.getVersion"}`)); err != nil {
		t.Fatal(err)
	}
	_, msg, err := conn.Read(t.Context())
	if err != nil || len(msg) < size || !json.Valid(msg) || strings.HasSuffix(string(msg), `"sessionId":"C"}`) {
		t.Errorf("the reply has %d bytes, %v", len(msg), err)
	}
}
