//go:build linux

package isolation_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
)

// A client calls every method of the browser's own protocol, with its own ids, those of an incognito
// session, old ones and invented ones. It learns nothing of that session, and nothing changes there.
func TestHostileClient(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	h.Text(t, "neighbour", "--mode", "incognito", "open", s.URL("/secret?hiddenplace"))
	h.Text(t, "neighbour", "eval", "document.title = 'hiddentitle'; document.cookie = 'hiddenname=hiddenvalue'; localStorage.hiddenkey = 'hiddentext'; 1")
	mark := e2e.MarkOf(t, h, "neighbour")
	theirs := e2e.Ask[verbs.TabsOut](t, h, "neighbour", "tab", "list").Tabs[0].TargetID
	h.Text(t, "enemy", "open", s.URL("/page/own"))
	h.Text(t, "enemy", "tab", "new", s.URL("/page/gone"))
	tabs := e2e.Ask[verbs.TabsOut](t, h, "enemy", "tab", "list").Tabs
	h.Text(t, "enemy", "tab", "close")

	server := h.StartCDP(t, "enemy")
	protocol := protocolOf(t, server.HTTPURL)
	ids := []string{tabs[0].TargetID, theirs, tabs[1].TargetID, strings.Repeat("A", 32), "1"}
	for _, id := range ids {
		e := dialEnemy(t, server.URL, tabs[0].TargetID)
		for _, d := range protocol {
			for _, c := range d.Commands {
				if method := d.Domain + "." + c.Name; endsItself(method) || method == "Target.closeTarget" && id == tabs[0].TargetID {
					continue
				}
				params := map[string]any{}
				for _, p := range c.Parameters {
					if value := invented(p, id); value != nil {
						params[p.Name] = value
					}
				}
				e.send(d.Domain+"."+c.Name, params)
			}
		}
		said := e.replies()
		for _, hidden := range []string{"hiddenplace", "hiddentitle", "hiddenname", "hiddenvalue", "hiddenkey", "hiddentext"} {
			if at := strings.Index(said, hidden); at >= 0 {
				t.Errorf("with the id %s the client has learned %s", id, said[max(0, at-300):min(len(said), at+300)])
			}
		}
		if id != theirs && strings.Contains(said, theirs) {
			t.Errorf("with the id %s the client has learned the neighbour's target id", id)
		}
	}
	if after := e2e.MarkOf(t, h, "neighbour"); after != mark {
		t.Errorf("the neighbour's page came back as %v, want %v", after, mark)
	}
	got := h.Text(t, "neighbour", "eval", "[document.title, document.cookie, localStorage.hiddenkey, innerWidth, navigator.onLine].join()")
	if want := "hiddentitle,hiddenname=hiddenvalue,hiddentext,1280,true"; got != want {
		t.Errorf("the neighbour has %s, want %s", got, want)
	}
	if got := h.Text(t, "neighbour", "tab", "list"); strings.Count(got, "\n") != 0 {
		t.Errorf("the neighbour's tabs are\n%s", got)
	}
}

// endsItself reports whether a method ends the client's connection or its page.
func endsItself(method string) bool {
	return method == "Browser.close" || method == "Page.close" || method == "Page.crash"
}

type protocolDomain struct {
	Domain   string
	Commands []struct {
		Name       string
		Parameters []protocolParameter
	}
}

type protocolParameter struct {
	Name, Type string
	Ref        string `json:"$ref"`
	Enum       []string
	Optional   bool
}

// protocolOf returns the browser's description of its protocol.
func protocolOf(t *testing.T, address string) []protocolDomain {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), e2e.CommandDeadline)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"/json/protocol", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	var protocol struct{ Domains []protocolDomain }
	if err := json.Unmarshal(raw, &protocol); err != nil || len(protocol.Domains) < 30 {
		t.Fatalf("the protocol has %d domains (%v)", len(protocol.Domains), err)
	}
	return protocol.Domains
}

// invented returns a value for a parameter, in which an id may be, or nil to leave it out.
func invented(p protocolParameter, id string) any {
	isID := strings.HasSuffix(strings.ToLower(p.Name), "id") || strings.HasSuffix(p.Ref, "ID") || strings.HasSuffix(p.Ref, "Id")
	switch {
	case isID && p.Type != "integer":
		return id
	case p.Optional:
		return nil
	case len(p.Enum) > 0:
		return p.Enum[0]
	case p.Type == "boolean":
		return true
	case p.Type == "integer", p.Type == "number":
		return 1
	case p.Type == "array":
		return []any{}
	case p.Type == "object":
		return map[string]any{}
	case p.Name == "url", p.Name == "origin":
		return "http://127.0.0.1/"
	}
	return "1"
}

// enemy is a client with a connection to the browser and one to its page. It reads all that the
// endpoint sends.
type enemy struct {
	t     *testing.T
	conn  *websocket.Conn
	page  string // the id of its CDP session with the page
	id    int
	said  chan string // everything that was said, when the connection is over
	awake chan int    // the ids of the replies
}

func dialEnemy(t *testing.T, address, target string) *enemy {
	t.Helper()
	conn, _, err := websocket.Dial(t.Context(), address, nil) //nolint:bodyclose // the dialer has closed it
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(-1)
	e := &enemy{t: t, conn: conn, said: make(chan string, 1), awake: make(chan int, 10_000)}
	e.write("", "Target.attachToTarget", map[string]any{"targetId": target, "flatten": true})
	var attached struct {
		ID     int
		Result struct{ SessionID string }
	}
	for attached.ID != e.id {
		if err := wsjson.Read(t.Context(), conn, &attached); err != nil {
			t.Fatal(err)
		}
	}
	e.page = attached.Result.SessionID
	go func() { // ends with the connection
		var all strings.Builder
		for {
			_, raw, err := conn.Read(context.WithoutCancel(t.Context()))
			if err != nil {
				e.said <- all.String()
				close(e.awake)
				return
			}
			all.Write(raw)
			var reply struct{ ID int }
			if json.Unmarshal(raw, &reply) == nil && reply.ID != 0 {
				e.awake <- reply.ID
			}
		}
	}()
	return e
}

func (e *enemy) write(session, method string, params map[string]any) {
	e.id++
	message := map[string]any{"id": e.id, "method": method, "params": params}
	if session != "" {
		message["sessionId"] = session
	}
	if err := wsjson.Write(e.t.Context(), e.conn, message); err != nil {
		e.t.Fatalf("%s: %v", method, err)
	}
}

// send calls a method in the browser and in the page.
func (e *enemy) send(method string, params map[string]any) {
	e.write("", method, params)
	e.write(e.page, method, params)
}

// replies waits until the endpoint has answered everything that it answers, disconnects, and returns
// all that the endpoint has sent. Some methods have no answer before an event that never comes.
func (e *enemy) replies() string {
	quiet := time.NewTimer(e2e.CommandDeadline)
	answered := 0
	for answered < e.id-1 {
		select {
		case <-e.awake:
			answered++
			quiet.Reset(3 * time.Second)
			continue
		case <-quiet.C:
		}
		break
	}
	_ = e.conn.CloseNow()
	if answered < e.id/2 {
		e.t.Errorf("%d of %d calls were answered", answered, e.id)
	}
	return fmt.Sprint(<-e.said)
}
