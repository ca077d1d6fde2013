package broker

import (
	"context"
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/sockets/wire"
)

// A call that names a target, a CDP session, a browser context, a frame or a stream of another
// session is refused. That holds for every such call of the browser's protocol, for each kind of
// CDP session that a client has, and also if both pages are in one renderer process.
func TestForeignIDsAreRefused(t *testing.T) {
	t.Parallel()
	s := wire.Settings{Args: []string{"--renderer-process-limit=1"}}
	r := start(t, s)
	o, err := keeperOptions(context.Background(), r.root, s)
	if err != nil {
		t.Fatal(err)
	}
	calls := readProtocol(t, startPlain(t, o))
	calls.check(t)
	victim, hostile := r.connect("victim"), r.connect("hostile")
	page, own := victim.open(), hostile.open()
	page.show(r.site.URL, `<title>secret</title><iframe src="/p?html=secret"></iframe>`)
	own.show(r.site.URL, `<title>own</title>`)
	foreign := map[string][]string{
		"Target.TargetID":          {page.target},
		"Target.SessionID":         {page.session},
		"Browser.BrowserContextID": {victim.context()},
		"Page.FrameId":             append(page.frames(), page.target),
		"IO.StreamHandle":          {page.stream()},
	}
	kinds := map[string]bool{}
	for name := range foreign {
		kinds[name] = true
	}
	// In a disabled domain, calls would be refused for another reason.
	for _, domain := range []string{"Page", "DOM", "CSS", "Overlay", "Network", "Accessibility"} {
		if _, err := own.peer.call(own.session, domain+".enable", nil); err != nil {
			t.Fatalf("%s.enable: %v", domain, err)
		}
	}
	list := calls.naming(kinds)
	for _, call := range list {
		for _, id := range foreign[call.kind] {
			params := maps.Clone(call.params)
			params[call.member] = id
			for _, session := range []string{"", hostile.root(), own.session} {
				if raw, err := hostile.call(session, call.method, params); err == nil && !(call.kind == "Page.FrameId" && empty(raw)) {
					t.Errorf("%s with another session's %s on %q succeeded: %.300s", call.method, call.member, session, raw)
				}
			}
		}
	}
	if len(list) < 40 {
		t.Errorf("the protocol has %d calls with an id, want at least 40", len(list))
	}
	if got := page.eval(`document.title + frames.length + history.length`); !strings.HasPrefix(got, `"secret1`) {
		t.Errorf("afterwards the other session's page is %s", got)
	}
	if got := len(r.tabs("victim")); got != 1 {
		t.Errorf("afterwards the other session has %d tabs, want 1", got)
	}
}

// empty reports whether a result is empty. Some domains return an empty result for an unknown
// frame, and no error.
func empty(raw json.RawMessage) bool {
	return string(raw) == "{}" || string(raw) == `{"status":{}}`
}

// context creates a browser context for the peer and returns its id.
func (p *peer) context() string {
	p.t.Helper()
	raw, err := p.call("", "Target.createBrowserContext", nil)
	var out struct{ BrowserContextID string }
	if err != nil || json.Unmarshal(raw, &out) != nil {
		p.t.Fatalf("Target.createBrowserContext: %s %v", raw, err)
	}
	return out.BrowserContextID
}

// root attaches to the browser once more and returns the new CDP session.
func (p *peer) root() string {
	p.t.Helper()
	raw, err := p.call("", "Target.attachToBrowserTarget", nil)
	var out sessionID
	if err != nil || json.Unmarshal(raw, &out) != nil {
		p.t.Fatalf("Target.attachToBrowserTarget: %s %v", raw, err)
	}
	return out.SessionID
}

// frames returns the ids of the page's iframes.
func (t *tab) frames() []string {
	t.peer.t.Helper()
	raw, err := t.peer.call(t.session, "Page.getFrameTree", nil)
	var out struct {
		FrameTree struct {
			ChildFrames []struct{ Frame struct{ ID string } }
		}
	}
	if err != nil || json.Unmarshal(raw, &out) != nil || len(out.FrameTree.ChildFrames) == 0 {
		t.peer.t.Fatalf("Page.getFrameTree: %s %v", raw, err)
	}
	var ids []string
	for _, child := range out.FrameTree.ChildFrames {
		ids = append(ids, child.Frame.ID)
	}
	return ids
}

// stream returns the handle of a stream that has not been read yet.
func (t *tab) stream() string {
	t.peer.t.Helper()
	raw, err := t.peer.call(t.session, "Page.printToPDF", map[string]any{"transferMode": "ReturnAsStream"})
	var out struct{ Stream string }
	if err != nil || json.Unmarshal(raw, &out) != nil || out.Stream == "" {
		t.peer.t.Fatalf("Page.printToPDF: %v", err)
	}
	return out.Stream
}
