package pool

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"
)

// fixture is a pool with a clock that the test sets, and the tabs of its agents.
type fixture struct {
	*Pool
	t    *testing.T
	now  time.Time
	tabs []Tab
	made int
}

func newFixture(t *testing.T, most int) *fixture {
	b := &fixture{t: t, now: time.Unix(1000, 0)}
	b.Pool = New(Options{Max: most, Clock: func() time.Time { return b.now }}, State{})
	return b
}

// opens opens n tabs of an agent.
func (b *fixture) opens(agent string, n int) {
	b.t.Helper()
	for range n {
		evict, ok := b.Admit(agent, b.tabs)
		if !ok {
			b.t.Fatalf("%s may not open a tab", agent)
		}
		b.made++
		b.tabs = append(b.tabs, Tab{agent, fmt.Sprintf("%s-%d", agent, b.made)})
		b.closes(evict)
	}
}

func (b *fixture) closes(target string) {
	b.tabs = slices.DeleteFunc(b.tabs, func(t Tab) bool { return t.Target == target })
	b.Update(b.tabs)
}

func (b *fixture) refused(agent string) {
	b.t.Helper()
	if _, ok := b.Admit(agent, b.tabs); ok {
		b.t.Fatalf("%s may open a tab, with %d of %d open, reserved: %+v", agent, len(b.tabs), b.Max, b.Reserved)
	}
}

func (b *fixture) grants(agent, to string) {
	b.t.Helper()
	evict, got, why := b.Grant(agent, b.tabs)
	if why != Granted || got != to {
		b.t.Fatalf("Grant(%s) = %q, %q, %v, want it for %s", agent, evict, got, why, to)
	}
	b.closes(evict)
}

func TestFullPool(t *testing.T) {
	b := newFixture(t, 12)
	b.opens("a", 8)
	b.opens("b", 4)
	b.refused("c")
	if evict, ok := b.Admit("b", b.tabs); !ok || evict != "b-9" {
		t.Errorf("Admit(b) = %q, %v in a full pool, want its own oldest tab", evict, ok)
	}
	b.opens("b", 1)
	if len(b.tabs) != 12 {
		t.Errorf("%d tabs, want 12", len(b.tabs))
	}
	unlimited := newFixture(t, 0)
	unlimited.opens("a", 40)
	if i := unlimited.Request("b", unlimited.tabs); i != 0 {
		t.Errorf("without a limit b is at %d", i)
	}
}

func TestGrant(t *testing.T) {
	b := newFixture(t, 12)
	b.opens("a", 12)
	for _, tt := range []struct {
		agent    string
		position int
	}{{"b", 1}, {"c", 2}, {"b", 1}, {"d", 3}} {
		b.now = b.now.Add(time.Second)
		if i := b.Request(tt.agent, b.tabs); i != tt.position {
			t.Errorf("%s is at %d, want %d", tt.agent, i, tt.position)
		}
	}
	b.grants("a", "b")
	if len(b.tabs) != 11 || b.tabs[0].Target == "a-1" {
		t.Errorf("the oldest tab was not closed: %v", b.tabs)
	}
	// No other agent can take the reserved slot, not even the agent that gave it up.
	b.refused("c")
	b.refused("e")
	if evict, ok := b.Admit("a", b.tabs); !ok || evict == "" {
		t.Errorf("the granter takes the slot back: %q %v", evict, ok)
	}
	if _, _, why := b.Grant("a", b.tabs); why != AlreadyReserved {
		t.Errorf("a second slot is reserved: %v", why)
	}
	if i := b.Request("b", b.tabs); i != 0 || !b.ReservedFor("b") {
		t.Errorf("an agent with a reservation that requests again is at %d", i)
	}
	b.opens("b", 1)
	if b.Reserved != nil || len(b.tabs) != 12 {
		t.Errorf("after the claim: %+v, %d tabs", b.Reserved, len(b.tabs))
	}
	b.refused("c")
}

func TestExpiry(t *testing.T) {
	b := newFixture(t, 2)
	b.opens("a", 2)
	b.Request("b", b.tabs)
	b.Request("c", b.tabs)
	b.grants("a", "b")
	b.now = b.now.Add(30*time.Second - 1)
	if !b.Update(b.tabs) && !b.ReservedFor("b") {
		t.Error("the reservation has expired too early")
	}
	b.now = b.now.Add(1)
	b.Update(b.tabs)
	if !b.ReservedFor("c") || b.Position("b") != 0 {
		t.Errorf("after 30 s: %+v, queue %+v; want a reservation for the next", b.Reserved, b.Queue)
	}
	b.refused("b")
	b.opens("c", 1)
	b.now = b.now.Add(time.Hour)
	b.closes(b.tabs[0].Target)
	b.opens("d", 1) // the queue is empty by then
}

// The slot of a closed tab is reserved for the first agent in the queue, even if the tab's session,
// and not Grant, has closed the tab.
func TestFreedTabFeedsTheQueue(t *testing.T) {
	b := newFixture(t, 2)
	b.opens("a", 2)
	b.Request("b", b.tabs)
	b.closes("a-1")
	if !b.ReservedFor("b") {
		t.Fatalf("the free slot is reserved for %+v", b.Reserved)
	}
	b.refused("c")
	b.opens("b", 1)
}

func TestGrantRefusals(t *testing.T) {
	b := newFixture(t, 2)
	b.opens("a", 2)
	if _, _, why := b.Grant("a", b.tabs); why != NoRequest {
		t.Errorf("with an empty queue: %v", why)
	}
	b.Request("b", b.tabs)
	if _, _, why := b.Grant("c", b.tabs); why != NoTab {
		t.Errorf("by an agent without tabs: %v", why)
	}
	if _, _, why := b.Grant("b", b.tabs); why != NoRequest {
		t.Errorf("by the only agent that waits: %v", why)
	}
}

func TestOrphans(t *testing.T) {
	b := newFixture(t, 1)
	b.opens("a", 1)
	b.Touch("dead", "1:1")
	b.Touch("idle", "2:2")
	b.Request("dead", b.tabs)
	b.Request("idle", b.tabs)
	alive := func(_ string, a Agent) bool { return a.Process == "2:2" }
	b.now = b.now.Add(119 * time.Second)
	if got := b.Orphans(alive); len(got) != 0 {
		t.Errorf("after 119 s: %v", got)
	}
	b.now = b.now.Add(time.Second)
	if got := b.Orphans(alive); !slices.Equal(got, []string{"dead"}) {
		t.Errorf("after 120 s: %v, want the dead one and not the idle one", got)
	}
	b.Forget("dead")
	if b.Position("idle") != 1 || len(b.Agents) != 1 {
		t.Errorf("left: %+v", b.State)
	}
	b.Touch("idle", "") // without its process this time
	if b.Agents["idle"].Process != "2:2" {
		t.Error("its process is forgotten")
	}
}

// The reservation and the queue survive a crash of the broker.
func TestStateLasts(t *testing.T) {
	b := newFixture(t, 1)
	b.opens("a", 1)
	b.Request("b", b.tabs)
	b.Request("c", b.tabs)
	b.grants("a", "b")
	raw, err := json.Marshal(b.State)
	if err != nil {
		t.Fatal(err)
	}
	var s State
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	b.Pool = New(b.Options, s)
	b.refused("c")
	if b.Position("c") != 1 {
		t.Errorf("the queue is %+v", b.Queue)
	}
	b.opens("b", 1)
}
