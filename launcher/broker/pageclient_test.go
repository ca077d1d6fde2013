package broker

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

// A connection for one page works like a WebSocket of Chromium's /devtools/page/ID:
//
//   - A message without a sessionId belongs to the page.
//   - The page's workers and frames have CDP sessions of their own.
//   - The client gets no message of the CDP session on the browser.
//   - When the page is closed, the client gets an event before the connection ends.
func TestConnectionForOnePage(t *testing.T) {
	t.Parallel()
	r := start(t, wire.Settings{})
	daemon := r.connect("a")
	page := daemon.open()
	page.show(r.site.URL, "<title>mine</title>")
	conn := r.socket("a?" + wire.ParamTarget + "=" + page.target)
	ctx, cancel := context.WithTimeout(t.Context(), testTime)
	defer cancel()
	send := func(text string) {
		t.Helper()
		if err := conn.Write(ctx, 1, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	read := func() (m message) {
		t.Helper()
		_, raw, err := conn.Read(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(raw, &m); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		return m
	}
	reply := func() (m message) { // the next message that is not an event
		t.Helper()
		for m = read(); m.Method != ""; m = read() {
		}
		return m
	}
	send(`{"id":1,"method":"Runtime.evaluate","params":{"expression":"document.title"}}`)
	if m := reply(); m.ID != 1 || m.SessionID != "" || !strings.Contains(string(m.Result), `"mine"`) {
		t.Errorf("the title is %+v", m)
	}
	send(`{"id":2,"method":"Target.setAutoAttach","params":{"autoAttach":true,"waitForDebuggerOnStart":false,"flatten":true}}`)
	if m := reply(); m.ID != 2 || m.Error != nil {
		t.Errorf("Target.setAutoAttach = %+v", m)
	}
	send(`{"id":3,"method":"Runtime.evaluate","params":{"expression":"void new Worker('data:text/javascript,')"}}`)
	child := ""
	for replied := false; !replied || child == ""; {
		switch m := read(); {
		case m.ID == 3:
			replied = true
		case m.Method == "Target.attachedToTarget" && m.SessionID == "":
			var p struct{ SessionID string }
			_ = json.Unmarshal(m.Params, &p)
			child = p.SessionID
		}
	}
	send(`{"id":4,"method":"Runtime.evaluate","params":{"expression":"6*7"},"sessionId":"` + child + `"}`)
	if m := reply(); m.ID != 4 || m.SessionID != child || !strings.Contains(string(m.Result), "42") {
		t.Errorf("the worker's answer is %+v", m)
	}
	send(`{"id":5,"method":"Runtime.evaluate","sessionId":"unknown"}`)
	if m := reply(); m.ID != 5 || m.Error == nil {
		t.Errorf("a call on a session that does not exist = %+v", m)
	}
	send(`{"id":6`)
	if m := reply(); m.Error == nil {
		t.Errorf("half a message = %+v", m)
	}
	daemon.open() // the client gets no event of this other page
	if _, err := daemon.call("", "Target.closeTarget", map[string]any{"targetId": page.target}); err != nil {
		t.Fatal(err)
	}
	for {
		m := read()
		if m.SessionID != "" || m.Method == "Target.detachedFromTarget" || m.Method == "Target.targetDestroyed" || m.Method == "Target.targetInfoChanged" {
			continue // an event of the worker
		}
		if m.Method == "Inspector.detached" && strings.Contains(string(m.Params), "Render process gone") {
			continue // Chromium's own event, which does not come in every case
		}
		if m.Method != "Inspector.detached" || !strings.Contains(string(m.Params), "target_closed") {
			t.Errorf("at the end of the page came %+v", m)
		}
		break
	}
	if _, _, err := conn.Read(ctx); err == nil || ctx.Err() != nil {
		t.Errorf("after the end of the page: %v", err)
	}
}

// A client that asks for a page of another session, or for a page that does not exist, gets an HTTP
// error and no WebSocket.
func TestConnectionForAnotherSessionsPage(t *testing.T) {
	t.Parallel()
	r := start(t, wire.Settings{})
	foreign := r.connect("b").open()
	client := &http.Client{Timeout: testTime / 2, Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", r.place.Socket)
	}}}
	for _, id := range []string{foreign.target, "0123"} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://x"+wire.PathSession+"a?"+wire.ParamTarget+"="+id, nil)
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]string{"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="} {
			request.Header.Set(name, value)
		}
		began := time.Now()
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusNotFound {
			t.Errorf("the page %s of session a: status %d after %s", id, response.StatusCode, time.Since(began))
		}
	}
}
