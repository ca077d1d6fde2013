//go:build linux

package tools

import (
	"strings"
	"testing"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/wire"
)

// DevTools in a person's browser shows the session's page at the URL that `abrowser inspect` prints.
// The session's commands go on meanwhile, and another session's page cannot be inspected.
func TestDevTools(t *testing.T) {
	t.Parallel()
	h, s := e2e.NewHome(t), site.Start(t)
	h.Text(t, "a", "open", s.URL("/form"))
	h.Text(t, "b", "open", s.URL("/page/foreign"))
	_, own := h.StartInspect(t, "a")
	server, foreign := h.StartInspect(t, "b")
	if err := server.End(); err != nil {
		t.Fatal(err)
	}
	p := e2e.NewPerson(t, h, "")
	inspecting := p.Open(own.URL)
	// DevTools shows the URL of the page that it inspects in its title.
	shows := "DevTools - " + strings.TrimPrefix(s.URL("/form"), "http://")
	if !e2e.Await(e2e.PersonTime, func() bool { return p.Tabs()[inspecting].Title == shows }) {
		t.Fatalf("DevTools has the title %q, want %q", p.Tabs()[inspecting].Title, shows)
	}
	h.Text(t, "a", "fill", "#name", "Ada")
	if got := h.Text(t, "a", "get", "value", "#name"); got != "Ada" {
		t.Errorf("beside DevTools the field contains %q", got)
	}
	page := func(url string) string { return url[strings.LastIndex(url, "/"):] }
	other := p.Open(strings.Replace(own.URL, page(own.URL), page(foreign.URL), 1))
	h.Text(t, "a", "open", s.URL("/page/next"))
	shows = "DevTools - " + strings.TrimPrefix(s.URL("/page/next"), "http://")
	if !e2e.Await(e2e.PersonTime, func() bool { return p.Tabs()[inspecting].Title == shows }) {
		t.Errorf("after a navigation, DevTools has the title %q, want %q", p.Tabs()[inspecting].Title, shows)
	}
	if title := p.Tabs()[other].Title; strings.Contains(title, "foreign") || strings.HasPrefix(title, "DevTools - ") {
		t.Errorf("DevTools of another session's page has the title %q", title)
	}
	h.Fails(t, wire.CodeNotFound, "never", "inspect")
}
