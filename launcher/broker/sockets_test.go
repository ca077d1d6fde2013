package broker

import (
	"context"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/abrowser/abrowser/sockets/wire"
)

// A daemon whose socket is removed gets an event on its connection. Other daemons and other
// clients of the session do not get the event.
func TestDaemonIsToldThatItsSocketIsGone(t *testing.T) {
	t.Parallel()
	r := start(t, wire.Settings{})
	sockets := map[string]string{}
	for _, session := range []string{"a", "b"} {
		place, err := r.root.Session(session)
		if err != nil {
			t.Fatal(err)
		}
		l, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", place.Socket)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		sockets[session] = place.Socket
	}
	connect := func(session string) <-chan string {
		conn := r.socket(session)
		t.Cleanup(func() { _ = conn.CloseNow() })
		messages := make(chan string, 10)
		go func() {
			defer close(messages)
			for {
				_, msg, err := conn.Read(context.Background()) // until the connection is closed
				if err != nil {
					return
				}
				messages <- string(msg)
			}
		}()
		if err := conn.Write(t.Context(), websocket.MessageText, []byte(`{"id":1,"method":"Target.getTargets"}`)); err != nil {
			t.Fatal(err)
		}
		return messages
	}
	await := func(messages <-chan string, want string) {
		t.Helper()
		for late := time.After(5 * time.Second); ; {
			select {
			case got := <-messages:
				if strings.HasPrefix(got, want) {
					return
				}
			case <-late:
				t.Fatalf("no message %s arrives", want)
			}
		}
	}
	a, b, client := connect("a?"+wire.ParamDaemon), connect("b?"+wire.ParamDaemon), connect("a")
	for _, messages := range []<-chan string{a, b, client} {
		await(messages, `{"id":1,`)
	}
	if err := os.Remove(sockets["a"]); err != nil {
		t.Fatal(err)
	}
	const event = `{"method":"` + wire.EventSocketRemoved + `","params":{}}`
	await(a, event)
	select {
	case got := <-b:
		t.Errorf("another session's daemon gets %s", got)
	case got := <-client:
		t.Errorf("another client of the session gets %s", got)
	case <-time.After(time.Second):
	}
	await(connect("a?"+wire.ParamDaemon), event) // a daemon that connects later gets the event at once
}
