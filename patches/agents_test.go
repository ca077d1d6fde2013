package patches

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

// boardOf has owners with so many tabs, all opened one second after the other.
func boardOf(t *testing.T, o Options, tabs map[string]int) (*Board, *recorder) {
	t.Helper()
	rec := &recorder{}
	o.Line, o.First = rec, firstID
	b := New(o)
	b.ready = true
	at := time.Unix(1000, 0)
	for name, n := range tabs {
		owner := b.ownerOf(name)
		for i := range n {
			at = at.Add(time.Second)
			id := name + string(rune('1'+i))
			owner.tabs[id] = &Tab{Number: i + 1, Target: id, Opened: at}
		}
	}
	return b, rec
}

func targetsOf(all []Extra) string {
	var ids []string
	for _, e := range all {
		ids = append(ids, e.Agent+":"+e.Target)
	}
	slices.Sort(ids)
	return strings.Join(ids, " ")
}

func TestTabsThatAreMadeCount(t *testing.T) {
	b, _ := boardOf(t, Options{}, map[string]int{"a": 3, "b": 1, "c": 0, "left": 4})
	b.owners["a"].Agent = "parent"
	b.owners["left"].Released = time.Unix(1, 0)
	if got, want := targetsOf(b.Extras()), "parent:a2 parent:a3"; got != want {
		t.Errorf("the extra tabs are %s, want %s", got, want)
	}
	b.creates[1], b.creates[2], b.creates[3] = b.owners["b"], b.owners["c"], nil
	if got, want := targetsOf(b.Extras()), "b: parent:a2 parent:a3"; got != want {
		t.Errorf("while tabs are made: %s, want %s", got, want)
	}
	if !b.First("new") || b.First("b") || b.First("c") {
		t.Error("a tab that is being made is none")
	}
	b.Evict("a2", time.Second, func() {})
	if got, want := targetsOf(b.Extras()), "b: parent:a3"; got != want {
		t.Errorf("while one is closed: %s, want %s", got, want)
	}
	if all := b.Owners(); len(all[0].Pages) != 2 {
		t.Errorf("what is as good as closed is listed: %+v", all[0].Pages)
	}
}

func TestRoomIsMadeOnceThereIsATab(t *testing.T) {
	b, rec := boardOf(t, Options{Admit: func(string) (string, error) { return "a2", nil }}, map[string]int{"a": 3})
	settle, refusal := b.makeRoom(b.owners["a"])
	if refusal != nil || len(rec.sent) != 0 || targetsOf(b.Extras()) != "a:a3" {
		t.Fatalf("before there is a tab: %v %q", refusal, rec.sent)
	}
	settle(false)
	if len(rec.sent) != 0 || targetsOf(b.Extras()) != "a:a2 a:a3" {
		t.Errorf("where there is none in the end: %q", rec.sent)
	}
	settle, _ = b.makeRoom(b.owners["a"])
	settle(true)
	if len(rec.sent) != 1 || !strings.Contains(rec.sent[0], `"Target.closeTarget"`) || !strings.Contains(rec.sent[0], `"a2"`) {
		t.Errorf("what is sent is %q", rec.sent)
	}
	b.Admit = func(string) (string, error) { return "", errors.New("POOL_FULL: no") }
	if _, refusal := b.makeRoom(b.owners["a"]); refusal == nil || refusal.Message != "POOL_FULL: no" {
		t.Errorf("a refusal is %+v", refusal)
	}
}

func TestClaim(t *testing.T) {
	b, _ := boardOf(t, Options{}, map[string]int{"s": 1})
	claim := func(agent string, looks bool, want string) {
		t.Helper()
		if got, _ := b.Claim("s", agent, looks); got != want {
			t.Errorf("claimed by %q (looks: %v) it is %q's, want %q", agent, looks, got, want)
		}
	}
	claim("reader", true, "")
	claim("", false, "")
	claim("a", false, "a")
	claim("b", false, "a")
	claim("", false, "a")
	b.owners["s"].Released = time.Unix(1, 0)
	b.Lives = func(agent string) bool { return agent == "a" }
	claim("reader", true, "a")
	claim("b", false, "a") // for a is idle, and not dead
	if !b.Held("s") {
		t.Error("at rest it is not held for its agent, who lives")
	}
	b.owners["s"].Ended = true
	if b.Held("s") {
		t.Error("ended it is held for its agent")
	}
	if holder, ended := b.Claim("s", "", false); holder != "a" || !ended {
		t.Errorf("of an ended one nobody's question learns %q %v", holder, ended)
	}
	claim("reader", true, "")
	claim("b", false, "b")
	if got, ended := b.Claim("new", "a", false); got != "a" || ended || b.owners["new"].live() {
		t.Errorf("a new one: %q %v", got, ended)
	}
	if got, _ := b.Claim("other", "reader", true); got != "" || b.owners["other"] != nil {
		t.Error("who reads makes a session")
	}
}

// A connection that was on its way when its session was ended comes after all. It brings
// the session back to nobody.
func TestLateComer(t *testing.T) {
	b, _ := boardOf(t, Options{}, map[string]int{"s": 1})
	o := b.owners["s"]
	b.Claim("s", "a", false)
	b.Release("s", false, 0, func(Ending) {})
	b.revive(&client{owner: o})
	if holder, ended := b.Claim("s", "", false); holder != "" || !ended || !o.live() {
		t.Errorf("with the late one it is %q's, ended %v, live %v", holder, ended, o.live())
	}
	if got, ended := b.Claim("s", "b", false); got != "b" || !ended {
		t.Errorf("the next one finds it %q's, ended %v", got, ended)
	}
	b.revive(&client{owner: o})
	if holder, ended := b.Claim("s", "c", false); holder != "b" || ended {
		t.Errorf("at work for the next one it is %q's, ended %v", holder, ended)
	}
}

func TestGoodbye(t *testing.T) {
	b, rec := boardOf(t, Options{}, map[string]int{"works": 3, "rests": 2, "ended": 1, "other": 2})
	for _, name := range []string{"works", "rests", "ended"} {
		b.owners[name].Agent = "agent"
	}
	b.owners["works"].clients = []*client{{}}
	b.owners["rests"].Released = time.Unix(1, 0)
	b.owners["ended"].Released, b.owners["ended"].Ended = time.Unix(1, 0), true
	b.owners["other"].Agent = "another"
	var got Parting
	b.Goodbye("agent", 0, func(p Parting) { got = p })
	b.Tick()
	if want := []string{"rests", "works"}; !slices.Equal(got.Owners, want) || !slices.Equal(got.Resting, want[:1]) {
		t.Errorf("it is the end of %+v", got)
	}
	if !b.owners["rests"].Ended || !b.owners["works"].Ended || b.owners["other"].Ended {
		t.Error("the agent's sessions are to end, and nobody else's")
	}
	if sent := strings.Join(rec.sent, " "); strings.Contains(sent, "rests") || strings.Contains(sent, "other") || !strings.Contains(sent, `"works2"`) || !strings.Contains(sent, `"works3"`) {
		t.Errorf("what is sent is %s", sent)
	}
}
