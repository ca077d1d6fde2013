package pool

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"
)

// table is a pool with a clock that stands still and the tabs that its agents have.
type table struct {
	*Pool
	t    *testing.T
	now  time.Time
	tabs []Tab
	made int
}

func newTable(t *testing.T, most int) *table {
	b := &table{t: t, now: time.Unix(1000, 0)}
	b.Pool = New(Options{Max: most, Clock: func() time.Time { return b.now }}, State{})
	return b
}

// opens has an agent open tabs.
func (b *table) opens(agent string, n int) {
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

func (b *table) closes(target string) {
	b.tabs = slices.DeleteFunc(b.tabs, func(t Tab) bool { return t.Target == target })
	b.Settle(b.tabs)
}

func (b *table) refused(agent string) {
	b.t.Helper()
	if _, ok := b.Admit(agent, b.tabs); ok {
		b.t.Fatalf("%s may open a tab, with %d of %d open, kept for %+v", agent, len(b.tabs), b.Max, b.Kept)
	}
}

func (b *table) grants(agent, to string) {
	b.t.Helper()
	evict, got, why := b.Grant(agent, b.tabs)
	if why != Granted || got != to {
		b.t.Fatalf("Grant(%s) = %q, %q, %v, want it for %s", agent, evict, got, why, to)
	}
	b.closes(evict)
}

func TestFullPool(t *testing.T) {
	b := newTable(t, 12)
	b.opens("a", 8)
	b.opens("b", 4)
	b.refused("c")
	if evict, ok := b.Admit("b", b.tabs); !ok || evict != "b-9" {
		t.Errorf("a full pool: b gets %q, %v; its own oldest is to go", evict, ok)
	}
	b.opens("b", 1)
	if len(b.tabs) != 12 {
		t.Errorf("%d tabs, want 12", len(b.tabs))
	}
	unlimited := newTable(t, 0)
	unlimited.opens("a", 40)
	if place := unlimited.Request("b", unlimited.tabs); place != 0 {
		t.Errorf("without a limit b waits at %d", place)
	}
}

func TestMercy(t *testing.T) {
	b := newTable(t, 12)
	b.opens("a", 12)
	for _, tt := range []struct {
		agent string
		place int
	}{{"b", 1}, {"c", 2}, {"b", 1}, {"d", 3}} {
		b.now = b.now.Add(time.Second)
		if place := b.Request(tt.agent, b.tabs); place != tt.place {
			t.Errorf("%s waits at %d, want %d", tt.agent, place, tt.place)
		}
	}
	b.grants("a", "b")
	if len(b.tabs) != 11 || b.tabs[0].Target == "a-1" {
		t.Errorf("the oldest tab did not go: %v", b.tabs)
	}
	// It is kept against a third, and against who gave it.
	b.refused("c")
	b.refused("e")
	if evict, ok := b.Admit("a", b.tabs); !ok || evict == "" {
		t.Errorf("the granter takes the slot back: %q %v", evict, ok)
	}
	if _, _, why := b.Grant("a", b.tabs); why != OneIsKept {
		t.Errorf("a second slot is kept beside the first: %v", why)
	}
	if place := b.Request("b", b.tabs); place != 0 || !b.KeptFor("b") {
		t.Errorf("who has a slot kept and asks again waits at %d", place)
	}
	b.opens("b", 1)
	if b.Kept != nil || len(b.tabs) != 12 {
		t.Errorf("after the claim: %+v, %d tabs", b.Kept, len(b.tabs))
	}
	b.refused("c")
}

func TestExpiry(t *testing.T) {
	b := newTable(t, 2)
	b.opens("a", 2)
	b.Request("b", b.tabs)
	b.Request("c", b.tabs)
	b.grants("a", "b")
	b.now = b.now.Add(30*time.Second - 1)
	if !b.Settle(b.tabs) && !b.KeptFor("b") {
		t.Error("the slot is given away before its time")
	}
	b.now = b.now.Add(1)
	b.Settle(b.tabs)
	if !b.KeptFor("c") || b.Place("b") != 0 {
		t.Errorf("after 30 s: %+v, queue %+v; the next is to have it", b.Kept, b.Queue)
	}
	b.refused("b")
	b.opens("c", 1)
	b.now = b.now.Add(time.Hour)
	b.closes(b.tabs[0].Target)
	b.opens("d", 1) // nobody waits any more
}

// Every tab that goes feeds the queue, not only one that was given.
func TestFreedTabFeedsTheQueue(t *testing.T) {
	b := newTable(t, 2)
	b.opens("a", 2)
	b.Request("b", b.tabs)
	b.closes("a-1")
	if !b.KeptFor("b") {
		t.Fatalf("the slot that came free is kept for %+v", b.Kept)
	}
	b.refused("c")
	b.opens("b", 1)
}

func TestGrantRefusals(t *testing.T) {
	b := newTable(t, 2)
	b.opens("a", 2)
	if _, _, why := b.Grant("a", b.tabs); why != Nobody {
		t.Errorf("with nobody waiting: %v", why)
	}
	b.Request("b", b.tabs)
	if _, _, why := b.Grant("c", b.tabs); why != NothingOwn {
		t.Errorf("of an agent without tabs: %v", why)
	}
	if _, _, why := b.Grant("b", b.tabs); why != Nobody {
		t.Errorf("of who waits itself: %v", why)
	}
}

func TestOrphans(t *testing.T) {
	b := newTable(t, 1)
	b.opens("a", 1)
	b.Saw("dead", "1:1")
	b.Saw("idle", "2:2")
	b.Request("dead", b.tabs)
	b.Request("idle", b.tabs)
	alive := func(_ string, a Agent) bool { return a.Process == "2:2" }
	b.now = b.now.Add(119 * time.Second)
	if got := b.Orphans(alive); len(got) != 0 {
		t.Errorf("after 119 s: %v", got)
	}
	b.now = b.now.Add(time.Second)
	if got := b.Orphans(alive); !slices.Equal(got, []string{"dead"}) {
		t.Errorf("after 120 s: %v, want the dead one and not who is idle", got)
	}
	b.Forget("dead")
	if b.Place("idle") != 1 || len(b.Agents) != 1 {
		t.Errorf("left: %+v", b.State)
	}
	b.Saw("idle", "") // it said nothing of its process this time
	if b.Agents["idle"].Process != "2:2" {
		t.Error("its process is forgotten")
	}
}

// A kept slot and the queue are what a crash must not lose.
func TestStateLasts(t *testing.T) {
	b := newTable(t, 1)
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
	if b.Place("c") != 1 {
		t.Errorf("the queue is %+v", b.Queue)
	}
	b.opens("b", 1)
}
