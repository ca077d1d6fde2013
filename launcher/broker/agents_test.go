package broker

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// askAs calls a verb of the broker as an agent.
func askAs[In, Out any](r *rig, agent string, v wire.Verb[In, Out], in In) Out {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testTime)
	defer cancel()
	c := client.Client{Endpoint: r.place, Session: "s", Agent: agent}
	reply, err := c.Call(ctx, v.Spec, in)
	var out Out
	if err == nil {
		err = json.Unmarshal(reply.Data, &out)
	}
	if err != nil {
		r.t.Fatalf("%s as %s: %v", v.Name, wire.KeyOf(agent), err)
	}
	return out
}

// expectPoolFull requests one more tab and expects a refusal.
func (p *peer) expectPoolFull() {
	p.t.Helper()
	if _, err := p.call("", "Target.createTarget", map[string]any{"url": "about:blank"}); err == nil || !strings.Contains(err.Error(), "POOL_FULL: ") {
		p.t.Errorf("one more tab: %v", err)
	}
}

// The limit of the pool applies to all clients of the broker together. Reservations and the
// owners of sessions outlive the broker.
func TestPoolOutlivesTheBroker(t *testing.T) {
	t.Setenv("ABROWSER_MAX_TABS", "2")
	r := start(t, wire.Settings{})
	mcp := wire.NewAgent(os.Getpid())
	if out := askAs(r, mcp, verbs.BrokerClaim, verbs.ClaimIn{Session: "a"}); out.Owner != wire.KeyOf(mcp) {
		t.Fatalf("a belongs to %s", out.Owner)
	}
	a, b, c := r.connect("a"), r.connect("b"), r.connect("c")
	first := a.open()
	first.show(r.site.URL, `<a id=x target=_blank href=/q>x</a>`)
	a.open()
	a.open()
	b.open() // a session's first tab does not count in the pool
	b.expectPoolFull()
	a.open()
	if got := r.tabs("a"); !slices.Equal(got, []string{"t1", "t3", "t4"}) {
		t.Errorf("a's tabs are %q, want the oldest extra one closed", got)
	}
	if out := askAs(r, "b", verbs.PoolRequest, verbs.Empty{}); out.Position != 1 {
		t.Errorf("b's request: %+v", out)
	}
	askAs(r, "c", verbs.PoolRequest, verbs.Empty{})
	if out := askAs(r, mcp, verbs.PoolGrant, verbs.Empty{}); out.ClosedTab != "a/t3" || out.GrantedTo != "b" {
		t.Errorf("a's grant: %+v", out)
	}
	known := a.targets()
	first.click("#x", "left", 0) // a popup counts, and is not refused
	a.next(known)
	_, broker := r.pids()
	if err := syscall.Kill(broker, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-a.gone
	<-b.gone
	<-c.gone
	until(t, "another broker answers", func() bool {
		s, err := try(r, verbs.BrowserStatus, verbs.Empty{})
		return err == nil && s.BrokerPID != broker
	})
	a, b, c = r.connect("a"), r.connect("b"), r.connect("c")
	if out := askAs(r, "thief", verbs.BrokerClaim, verbs.ClaimIn{Session: "a"}); out.Owner != wire.KeyOf(mcp) {
		t.Errorf("after the broker's end a belongs to %s", out.Owner)
	}
	if out := askAs(r, "b", verbs.PoolRequests, verbs.Empty{}); !out.YouHaveReservation || out.TabPool != "2/2" || len(out.PendingRequests) != 1 {
		t.Errorf("the requests as b sees them: %+v", out)
	}
	c.open()
	c.expectPoolFull() // the slot is reserved for another agent
	b.open()
	c.expectPoolFull()
	for _, tab := range ask(r, verbs.BrokerTabs, verbs.TabsIn{Session: "a"}).Tabs {
		if tab.OwnerID != mcp[:12]+"..." {
			t.Errorf("a's tab belongs to %s", tab.OwnerID)
		}
	}
	if out := askAs(r, mcp, verbs.BrokerEndAgent, verbs.Empty{}); !slices.Equal(out.Sessions, []string{"a"}) || out.Closed != 2 {
		t.Errorf("goodbye: %+v", out)
	}
	<-a.gone
	if got := r.tabs("a"); !slices.Equal(got, []string{"t1"}) {
		t.Errorf("a has the tabs %q left", got)
	}
	c.open() // c gets the slot that a's tab has freed
}
