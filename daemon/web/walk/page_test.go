package walk_test

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/cmd/abrowser/e2e/apps"
	"github.com/abrowser/abrowser/daemon/daemontest"
	"github.com/abrowser/abrowser/daemon/web/cdp"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// home is the root directory that all tests of the package share. They also share its browser.
var home *daemontest.Home //nolint:gochecknoglobals // TestMain has no other way to hand it to the tests

func TestMain(m *testing.M) { os.Exit(daemontest.Run(m, &home)) }

//go:embed oracle.js
var oracle string // for go:embed

// ask runs a verb and returns its output, its warnings and its error.
func ask[In, Out any](t testing.TB, s *daemontest.Session, v wire.Verb[In, Out], in In) (Out, []string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 40*time.Second)
	defer cancel()
	return client.Do(ctx, s.Client, v, in)
}

// do runs a verb that must succeed.
func do[In, Out any](t testing.TB, s *daemontest.Session, v wire.Verb[In, Out], in In) Out {
	t.Helper()
	out, _, err := ask(t, s, v, in)
	if err != nil {
		t.Fatalf("%s(%+v) = %v, hint %q", v.Name, in, err, wire.AsError(err).Hint)
	}
	return out
}

// page is an app that a session has opened, with what a snapshot and oracle.js report about it.
type page struct {
	t       testing.TB
	session *daemontest.Session
	app     apps.App
	refs    []ref
	send    func(method string, params, out any)
}

// ref is a ref of the snapshot, and the number of its element.
type ref struct {
	name   string // such as e3
	number string
	is     verbs.Ref
}

// load opens the app anew, numbers its elements and reads its refs.
func (p *page) load() {
	p.t.Helper()
	do(p.t, p.session, verbs.Open, verbs.OpenIn{URL: "about:blank"})
	do(p.t, p.session, verbs.Open, verbs.OpenIn{URL: p.app.URL})
	if p.send == nil {
		p.send = p.attach()
	}
	// Move the mouse to a corner, because an element could change while the mouse is over it.
	p.send("Input.dispatchMouseEvent", map[string]any{"type": "mouseMoved", "x": 0, "y": 0}, &struct{}{})
	do(p.t, p.session, verbs.Eval, verbs.EvalIn{Script: oracle})
	for end := time.Now().Add(restTime); !p.read(); {
		if time.Now().After(end) {
			p.t.Fatalf("%s changes its elements all the time", p.app.Name)
		}
	}
}

// restTime is how long an app may take until it shows all of its elements.
const restTime = 40 * time.Second

// read waits until the page has not changed for a moment, numbers its elements, and reads its refs.
// It returns false if an element has changed meanwhile.
func (p *page) read() bool {
	p.t.Helper()
	do(p.t, p.session, verbs.Eval, verbs.EvalIn{Script: "walk.rest().then(() => (walk.number(), walk.watch(), 0))"})
	p.refs = nil
	out := do(p.t, p.session, verbs.Snapshot, verbs.SnapshotIn{})
	for _, name := range slices.SortedFunc(maps.Keys(out.Refs), func(a, b string) int { return len(a)*1000 - len(b)*1000 + compare(a, b) }) {
		got, _, err := ask(p.t, p.session, verbs.GetAttr, verbs.GetAttrIn{Element: verbs.Element{Selector: name}, Attribute: "data-w"})
		switch {
		case errors.Is(err, wire.CodeStaleRef):
			return false
		case err != nil:
			p.t.Fatalf("reading %s: %v", name, err)
		}
		number := ""
		if got.Value != nil {
			number = *got.Value
		}
		p.refs = append(p.refs, ref{name, number, out.Refs[name]})
	}
	return true
}

func compare(a, b string) int {
	if a < b {
		return -1
	}
	return 1
}

// eval evaluates an expression in the page and returns its value as JSON.
func (p *page) eval(script string) string {
	p.t.Helper()
	return string(do(p.t, p.session, verbs.Eval, verbs.EvalIn{Script: script}).Result)
}

// attach returns a function that sends a CDP command to the page, without the daemon.
func (p *page) attach() func(method string, params, out any) {
	p.t.Helper()
	conn, err := cdp.Dial(p.t.Context(), home.Broker(p.t), "/v1/session/"+p.session.Name)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(conn.Close)
	go conn.Read(func() {}, func() {})
	var attached struct{ SessionID string }
	send := func(method string, params, out any) {
		p.t.Helper()
		sent, err := conn.Send(p.t.Context(), attached.SessionID, method, params)
		if err != nil {
			p.t.Fatal(err)
		}
		if err := (<-sent.Response()).Decode(out); err != nil {
			p.t.Fatal(method, err)
		}
	}
	target := do(p.t, p.session, verbs.TabList, verbs.TabListIn{}).Tabs[0].TargetID
	send("Target.attachToTarget", map[string]any{"targetId": target, "flatten": true}, &attached)
	return send
}

// listening returns the numbers of the elements that listen to clicks, as the browser lists them.
func (p *page) listening() []string {
	p.t.Helper()
	var document struct{ Result struct{ ObjectID string } }
	p.send("Runtime.evaluate", map[string]any{"expression": "document"}, &document)
	var found struct {
		Listeners []struct {
			Type          string
			BackendNodeID int
		}
	}
	p.send("DOMDebugger.getEventListeners", map[string]any{"objectId": document.Result.ObjectID, "depth": -1, "pierce": true}, &found)
	numbers := map[int]string{}
	for _, l := range found.Listeners {
		_, known := numbers[l.BackendNodeID]
		if known || !slices.Contains([]string{"click", "dblclick", "mousedown", "mouseup", "pointerdown", "pointerup"}, l.Type) {
			continue
		}
		var described struct{ Node struct{ Attributes []string } }
		p.send("DOM.describeNode", map[string]any{"backendNodeId": l.BackendNodeID}, &described)
		at := described.Node.Attributes
		for i := 0; i+1 < len(at); i += 2 {
			if at[i] == "data-w" {
				numbers[l.BackendNodeID] = at[i+1]
			}
		}
	}
	return slices.Collect(maps.Values(numbers))
}

// element is an element that can be used.
type element struct {
	Why    string // how it can be used
	Has    bool   // it has a ref
	Excuse string // why it needs none
	Is     string // its HTML
}

func (p *page) usable() (found []element) {
	p.t.Helper()
	numbers := []string{}
	for _, r := range p.refs {
		numbers = append(numbers, r.number)
	}
	args, err := json.Marshal([]any{p.listening(), numbers})
	if err != nil {
		p.t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(p.eval(fmt.Sprintf("walk.usable(...%s)", args))), &found); err != nil {
		p.t.Fatal(err)
	}
	return found
}
