package broker

import (
	"strconv"
	"testing"

	"github.com/abrowser/abrowser/launcher/broker/statefile"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// A spare page, which was created in advance, belongs to no session until the next session gets it.
// From then on it is as visible as any other page of a session.
func TestSparePage(t *testing.T) {
	t.Setenv("ABROWSER_SPARE_PAGES", "1")
	r := start(t, wire.Settings{})
	first := r.connect("a").open()
	spare := r.spare("")
	if all := ask(r, verbs.BrokerTabs, verbs.TabsIn{}).Tabs; len(all) != 1 || all[0].TargetID != first.target {
		t.Errorf("the tabs are %+v, want only the first session's", all)
	}
	b := r.connect("b")
	if known := b.targets(); len(known) != 0 {
		t.Errorf("a new session has the targets %q", known)
	}
	second := b.open()
	if second.target != spare {
		t.Errorf("the second session's page is %s, want the spare page %s", second.target, spare)
	}
	second.show(r.site.URL, `<title>b</title>`)
	if got := second.eval(`[innerWidth, innerHeight, document.visibilityState, document.hasFocus(), opener].join()`); got != `"1280,720,visible,true,"` {
		t.Errorf("the page is %s", got)
	}
	if n, _ := strconv.Atoi(second.eval(frames)); n < minFrames {
		t.Errorf("the page runs %d frames a second", n)
	}
	if next := r.spare(spare); next == first.target {
		t.Errorf("the first session's page is the next spare one")
	}
}

// spare waits for a spare page whose target id is not previous, and returns its target id. If
// previous is empty, any spare page will do.
func (r *rig) spare(previous string) string {
	r.t.Helper()
	target := ""
	until(r.t, "a spare page", func() bool {
		c, err := statefile.Read(r.root.Path("state", "browser-default.json"))
		target = c.State.Spare
		return err == nil && target != "" && target != previous
	})
	return target
}
