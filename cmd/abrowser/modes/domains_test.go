//go:build linux

package modes_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// twoHosts is a server that is reached as 127.0.0.1 and as localhost.
type twoHosts struct {
	own, other string // URLs

	mu    sync.Mutex // guards paths
	paths []string   // the paths of the requests to localhost
}

func startTwoHosts(t *testing.T) *twoHosts {
	t.Helper()
	s := &twoHosts{}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.own, s.other = server.URL, strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	return s
}

func (s *twoHosts) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.Host, "localhost") {
		s.mu.Lock()
		s.paths = append(s.paths, r.URL.Path)
		s.mu.Unlock()
	}
	w.Header().Set("Access-Control-Allow-Origin", "*")
	switch r.URL.Path {
	case "/redirect":
		http.Redirect(w, r, s.other+"/redirected", http.StatusFound)
	case "/worker.js":
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprintf(w, `fetch(%q).finally(() => globalThis.postMessage?.(0))`, s.other+"/worker")
	case "/service.js":
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprintf(w, `oninstall = e => e.waitUntil(fetch(%q).catch(() => 0))`, s.other+"/service")
	case "/socket":
		if conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true}); err == nil {
			_ = conn.Close(websocket.StatusNormalClosure, "")
		}
	case "/download":
		w.Header().Set("Content-Disposition", "attachment; filename=a.txt")
		fmt.Fprint(w, "text")
	default:
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<title>two hosts</title><link rel="icon" href="data:,"><h1>%s</h1>`, r.URL.Path)
	}
}

// reached returns the sorted paths of the requests to localhost, each once, and forgets them.
func (s *twoHosts) reached() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.paths
	s.paths = nil
	slices.Sort(all)
	return slices.Compact(all)
}

// leave is a script that tries to reach localhost in all ways, and returns after each of them has
// succeeded or failed.
func (s *twoHosts) leave() string {
	return fmt.Sprintf(`(async to => {
	const element = (tag, fields) => new Promise(done => {
		const e = Object.assign(document.createElement(tag), fields);
		e.onload = e.onerror = done;
		document.body.append(e);
	});
	const event = target => new Promise(done => target.onopen = target.onmessage = target.onerror = done);
	navigator.sendBeacon(to + '/beacon', 'x');
	window.open(to + '/popup');
	await element('iframe', {name: 'downloads', src: '/own'});
	Object.assign(document.createElement('a'), {href: to + '/download', target: 'downloads'}).click(); // a refusal is shown
	await Promise.allSettled([
		fetch(to + '/fetch', {mode: 'no-cors'}), fetch('/redirect', {mode: 'no-cors'}),
		element('img', {src: to + '/image'}), element('script', {src: to + '/script'}), element('iframe', {src: to + '/frame'}),
		element('link', {rel: 'stylesheet', href: to + '/link'}),
		event(new WebSocket(to.replace('http', 'ws') + '/socket')), event(new EventSource(to + '/events')), event(new Worker('/worker.js')),
		navigator.serviceWorker.register('/service.js').then(r => new Promise(done => {
			const worker = r.installing;
			worker ? worker.onstatechange = done : done();
		})),
	]);
	await new Promise(done => setTimeout(done, 300));
	return 'tried';
})(%q)`, s.other)
}

// A session with allowed domains reaches no other host, whatever its pages do, and whatever dies.
// Sessions beside it reach all hosts.
func TestAllowedDomains(t *testing.T) {
	t.Parallel()
	s, h := startTwoHosts(t), e2e.NewHome(t)
	h.Text(t, "free", "open", s.own+"/free")
	h.Text(t, "kept", "--allowed-domains", "127.0.0.1", "open", s.own+"/kept")

	h.Text(t, "free", "eval", s.leave())
	ways := []string{"/beacon", "/download", "/events", "/fetch", "/frame", "/image", "/link", "/popup", "/redirected", "/script", "/service", "/socket", "/worker"}
	if got := s.reached(); !slices.Equal(got, ways) {
		t.Fatalf("a session without allowed domains reaches %q, want %q", got, ways)
	}
	stays := func(t *testing.T) {
		t.Helper()
		h.Text(t, "kept", "eval", s.leave())
		if got := s.reached(); len(got) > 0 {
			t.Errorf("it reaches %q", got)
		}
		script := fmt.Sprintf(`Promise.all([fetch('/own').then(r => r.status), new Promise(done => { const w = new WebSocket(%q); w.onopen = () => done('open'); w.onerror = () => done('failed') })]).then(String)`,
			strings.Replace(s.own, "http", "ws", 1)+"/socket")
		if got := h.Text(t, "kept", "eval", script); got != `"200,open"` {
			t.Errorf("it reaches its own host: %s", got)
		}
	}
	stays(t)

	t.Run("commands", func(t *testing.T) {
		for _, args := range [][]string{
			{"open", s.other},
			{"tab", "new", s.other},
			{"open", "file:///etc/passwd"},
			{"read", s.other},
			{"read", s.own + "/redirect"},
			{"diff", "url", s.own, s.other},
			{"a11y", s.other},
			{"vitals", s.other},
		} {
			h.Fails(t, wire.CodeDenied, "kept", args...)
		}
		if got := h.Text(t, "kept", "get", "url"); got != s.own+"/kept" {
			t.Errorf("afterwards the page is at %s", got)
		}
		h.Try("kept", "open", s.own+"/redirect")
		h.Text(t, "kept", "open", s.own+"/kept")
		if got := s.reached(); len(got) > 0 {
			t.Errorf("commands reach %q", got)
		}
	})
	t.Run("WebRTC", func(t *testing.T) {
		const script = `(() => {
			const frame = document.createElement('iframe');
			document.body.append(frame);
			return [globalThis, frame.contentWindow].map(w => typeof w.RTCPeerConnection).join();
		})()`
		if got := h.Text(t, "kept", "eval", script); got != `"undefined,undefined"` {
			t.Errorf("a page with allowed domains has %s", got)
		}
		if got := h.Text(t, "free", "eval", script); got != `"function,function"` {
			t.Errorf("another page has %s", got)
		}
	})
	t.Run("a context of a program", func(t *testing.T) {
		client := e2e.DialCDP(t, h.Text(t, "kept", "get", "cdp-url"))
		defer client.Close()
		var context struct {
			ID string `json:"browserContextId"`
		}
		client.Call("", "Target.createBrowserContext", map[string]any{"proxyServer": "direct://"}, &context)
		client.Call("", "Target.createTarget", map[string]any{"url": s.other + "/program", "browserContextId": context.ID}, nil)
		h.Text(t, "kept", "eval", s.leave()) // takes longer than the page of the program
		if got := s.reached(); len(got) > 0 {
			t.Errorf("it reaches %q", got)
		}
		client.Call("", "Target.disposeBrowserContext", map[string]any{"browserContextId": context.ID}, nil)
	})
	for _, kind := range []string{e2e.KindDaemon, e2e.KindBroker} {
		t.Run("kill -9 of the "+kind, func(t *testing.T) {
			h.Text(t, "kept", "eval", "document.title = 'kept'")
			victim := h.Daemon("kept")
			if kind == e2e.KindBroker {
				victim = h.Of(e2e.KindBroker)[0]
			}
			if err := e2e.Kill(victim); err != nil {
				t.Fatal(err)
			}
			if got := h.Text(t, "kept", "get", "title"); got != "kept" {
				t.Errorf("afterwards the page is %q", got)
			}
			stays(t)
			h.Fails(t, wire.CodeDenied, "kept", "open", s.other)
			h.Fails(t, wire.CodeSettingsDiffer, "kept", "--allowed-domains", "127.0.0.1,localhost", "open", s.other)
		})
	}
	t.Run("kill -9 of the browser", func(t *testing.T) {
		h.Text(t, "free", "close", "--page") // or its tabs at localhost would be opened again
		e2e.KillBrowser(t, h)
		_ = h.Try("kept", "get", "title") // may fail if it runs while the browser dies
		h.Text(t, "kept", "open", s.own+"/kept")
		stays(t)
	})
	h.Text(t, "kept", "close")
	h.Text(t, "kept", "open", s.other+"/again")
	if got := s.reached(); !slices.Equal(got, []string{"/again"}) {
		t.Errorf("a session that is begun again without allowed domains reaches %q", got)
	}
}

// Allowed domains are refused where they cannot be kept.
func TestAllowedDomainsAreRefused(t *testing.T) {
	t.Parallel()
	h := e2e.NewHome(t)
	for _, flags := range [][]string{
		{"--cdp", "9222"}, {"--profile", "work"}, {"--mode", "shared"}, {"--mode", "persistent"}, {"--mode", "attached"},
	} {
		h.Fails(t, wire.CodeBadInput, "a", append(flags, "--allowed-domains", "example.com", "open")...)
	}
	for _, domain := range []string{"https://example.com", "example.com:80", "a b", "*"} {
		h.Fails(t, wire.CodeBadInput, "a", "--allowed-domains", domain, "open")
	}
	if list := e2e.Ask[verbs.SessionListOut](t, h, "", "session", "list"); len(list.Sessions) > 0 {
		t.Errorf("a refused command has started a session: %+v", list)
	}
}

// The action policy of a session applies for as long as the session exists, also if its daemon was
// killed and a command without the flag starts another one.
func TestActionPolicyOutlivesTheDaemon(t *testing.T) {
	t.Parallel()
	s, h := startTwoHosts(t), e2e.NewHome(t)
	file := filepath.Join(h.Outer, "policy.json")
	if err := os.WriteFile(file, []byte(`{"deny":["eval"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	h.Text(t, "a", "--action-policy", file, "open", s.own)
	h.Fails(t, wire.CodeDenied, "a", "eval", "1")
	if err := e2e.Kill(h.Daemon("a")); err != nil {
		t.Fatal(err)
	}
	h.Text(t, "a", "get", "title")
	h.Fails(t, wire.CodeDenied, "a", "eval", "1")
	h.Text(t, "a", "close")
	h.Text(t, "a", "eval", "1")
}
