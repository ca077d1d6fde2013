//go:build linux

package main_test

import (
	"strings"
	"testing"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/wire"
)

// The session's frame stays chosen when the daemon or the driver is killed. When the browser is
// killed, the frame is gone: the next commands fail instead of acting in the page.
func TestFrameOutlivesDaemonAndDriver(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	h.Text(t, "frame", "open", s.URL("/frames"))
	h.Text(t, "frame", "frame", "cross")
	for _, kind := range []string{e2e.KindDaemon, e2e.KindDriver} {
		for _, p := range h.Of(kind) {
			if err := e2e.Kill(p); err != nil {
				t.Fatal(err)
			}
		}
		if got := h.Text(t, "frame", "get", "text", "h2"); got != "In cross" {
			t.Errorf("after the end of each %s: %q", kind, got)
		}
	}
	e2e.KillBrowser(t, h)
	h.Try("frame", "get", "text", "h2") // reports the restart of the browser, which get url may not have noticed
	if e := h.Fails(t, wire.CodeNotFound, "frame", "get", "text", "h2"); e.Error == nil || !strings.Contains(*e.Error, "the frame cross is gone") {
		t.Errorf("after the end of the browser: %+v", e)
	}
}
