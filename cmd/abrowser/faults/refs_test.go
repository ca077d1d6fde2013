//go:build linux

package faults_test

import (
	"strings"
	"testing"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// When Playwright reconnects to a page, it numbers the refs of elements from 1 again, so a ref
// from an earlier snapshot could name another element. A command with such a ref must not act on
// another element, not even on one with the same role and name. It fails with stale_ref.
func TestRefsAfterTheConnectionIsLost(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	for _, kind := range []string{e2e.KindDriver, e2e.KindBroker, e2e.KindDaemon} {
		t.Run(kind, func(t *testing.T) {
			h.Text(t, kind, "open", s.URL("/page/one"))
			h.Text(t, kind, "eval", `for (const row of ["a", "b", "c"]) {
				const button = document.body.appendChild(document.createElement("button"));
				button.textContent = "Delete";
				button.onclick = () => (document.title = "deleted " + row);
			}`)
			var refs []string
			for ref, element := range e2e.Ask[verbs.SnapshotOut](t, h, kind, "snapshot").Refs {
				if element.Name == "Delete" {
					refs = append(refs, ref)
				}
			}
			if len(refs) != 3 {
				t.Fatalf("the snapshot has the buttons %v, want three", refs)
			}
			for _, p := range h.Of(kind) {
				if err := e2e.Kill(p); err != nil {
					t.Fatal(err)
				}
			}
			h.Text(t, kind, "eval", `document.querySelector("button").remove()`)
			for _, ref := range refs {
				for _, command := range []string{"click", "dblclick", "get text", "snapshot -s"} {
					if e := h.Fails(t, wire.CodeStaleRef, kind, append(strings.Fields(command), ref)...); e.Hint != "abrowser snapshot" {
						t.Errorf("%s %s has the hint %q", command, ref, e.Hint)
					}
				}
			}
			if got := h.Text(t, kind, "get", "title"); got != "one" {
				t.Errorf("the title is %q, want the title before any click", got)
			}
		})
	}
}
