package patches

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

// boardOf has owners with so many tabs, all opened one second after the other.
func boardOf(t *testing.T, o Options, tabs map[string]int) (*Mux, *recorder) {
	t.Helper()
	rec := &recorder{}
	o.Transport, o.FirstID = rec, firstID
	m := New(o)
	m.ready = true
	at := time.Unix(1000, 0)
	for name, n := range tabs {
		tn := m.tenantFor(name)
		for i := range n {
			at = at.Add(time.Second)
			id := name + string(rune('1'+i))
			tn.tabs[id] = &Tab{Number: i + 1, Target: id, Opened: at}
		}
	}
	return m, rec
}

func targetsOf(all []ExtraTab) string {
	var ids []string
	for _, e := range all {
		ids = append(ids, e.Agent+":"+e.Target)
	}
	slices.Sort(ids)
	return strings.Join(ids, " ")
}

func TestTabsThatAreMadeCount(t *testing.T) {
	m, _ := boardOf(t, Options{}, map[string]int{"a": 3, "b": 1, "c": 0, "left": 4})
	m.tenants["a"].Agent = "parent"
	m.tenants["left"].Released = time.Unix(1, 0)
	if got, want := targetsOf(m.ExtraTabs()), "parent:a2 parent:a3"; got != want {
		t.Errorf("the extra tabs are %s, want %s", got, want)
	}
	m.creates[1], m.creates[2], m.creates[3] = m.tenants["b"], m.tenants["c"], nil
	if got, want := targetsOf(m.ExtraTabs()), "b: parent:a2 parent:a3"; got != want {
		t.Errorf("while tabs are made: %s, want %s", got, want)
	}
	if !m.HasNoTab("new") || m.HasNoTab("b") || m.HasNoTab("c") {
		t.Error("a tab that is being made is none")
	}
	m.Evict("a2", time.Second, func() {})
	if got, want := targetsOf(m.ExtraTabs()), "b: parent:a3"; got != want {
		t.Errorf("while one is closed: %s, want %s", got, want)
	}
	if all := m.Tenants(); len(all[0].Pages) != 2 {
		t.Errorf("what is as good as closed is listed: %+v", all[0].Pages)
	}
}

func TestRoomIsMadeOnceThereIsATab(t *testing.T) {
	m, rec := boardOf(t, Options{Admit: func(string) (string, error) { return "a2", nil }}, map[string]int{"a": 3})
	settle, refusal := m.reserveTab(m.tenants["a"])
	if refusal != nil || len(rec.sent) != 0 || targetsOf(m.ExtraTabs()) != "a:a3" {
		t.Fatalf("before there is a tab: %v %q", refusal, rec.sent)
	}
	settle(false)
	if len(rec.sent) != 0 || targetsOf(m.ExtraTabs()) != "a:a2 a:a3" {
		t.Errorf("where there is none in the end: %q", rec.sent)
	}
	settle, _ = m.reserveTab(m.tenants["a"])
	settle(true)
	if len(rec.sent) != 1 || !strings.Contains(rec.sent[0], `"Target.closeTarget"`) || !strings.Contains(rec.sent[0], `"a2"`) {
		t.Errorf("what is sent is %q", rec.sent)
	}
	m.Admit = func(string) (string, error) { return "", errors.New("POOL_FULL: no") }
	if _, refusal := m.reserveTab(m.tenants["a"]); refusal == nil || refusal.Message != "POOL_FULL: no" {
		t.Errorf("a refusal is %+v", refusal)
	}
}

func TestClaim(t *testing.T) {
	m, _ := boardOf(t, Options{}, map[string]int{"s": 1})
	claim := func(agent string, looks bool, want string) {
		t.Helper()
		if got, _ := m.Claim("s", agent, looks); got != want {
			t.Errorf("claimed by %q (looks: %v) it is %q's, want %q", agent, looks, got, want)
		}
	}
	claim("reader", true, "")
	claim("", false, "")
	claim("a", false, "a")
	claim("b", false, "a")
	claim("", false, "a")
	m.tenants["s"].Released = time.Unix(1, 0)
	m.AgentAlive = func(agent string) bool { return agent == "a" }
	claim("reader", true, "a")
	claim("b", false, "a") // for a is idle, and not dead
	if !m.Claimed("s") {
		t.Error("at rest it is not held for its agent, who lives")
	}
	m.tenants["s"].Ended = true
	if m.Claimed("s") {
		t.Error("ended it is held for its agent")
	}
	if holder, ended := m.Claim("s", "", false); holder != "a" || !ended {
		t.Errorf("of an ended one nobody's question learns %q %v", holder, ended)
	}
	claim("reader", true, "")
	claim("b", false, "b")
	if got, ended := m.Claim("new", "a", false); got != "a" || ended || m.tenants["new"].live() {
		t.Errorf("a new one: %q %v", got, ended)
	}
	if got, _ := m.Claim("other", "reader", true); got != "" || m.tenants["other"] != nil {
		t.Error("who reads makes a session")
	}
}

// A connection that was on its way when its session was ended comes after all. It brings
// the session back to nobody.
func TestLateComer(t *testing.T) {
	m, _ := boardOf(t, Options{}, map[string]int{"s": 1})
	tn := m.tenants["s"]
	m.Claim("s", "a", false)
	m.End("s", false, 0, func(EndResult) {})
	m.addClient(&client{tenant: tn})
	if holder, ended := m.Claim("s", "", false); holder != "" || !ended || !tn.live() {
		t.Errorf("with the late one it is %q's, ended %v, live %v", holder, ended, tn.live())
	}
	if got, ended := m.Claim("s", "b", false); got != "b" || !ended {
		t.Errorf("the next one finds it %q's, ended %v", got, ended)
	}
	m.addClient(&client{tenant: tn})
	if holder, ended := m.Claim("s", "c", false); holder != "b" || ended {
		t.Errorf("at work for the next one it is %q's, ended %v", holder, ended)
	}
}

func TestGoodbye(t *testing.T) {
	m, rec := boardOf(t, Options{}, map[string]int{"works": 3, "rests": 2, "ended": 1, "other": 2})
	for _, name := range []string{"works", "rests", "ended"} {
		m.tenants[name].Agent = "agent"
	}
	m.tenants["works"].clients = []*client{{}}
	m.tenants["rests"].Released = time.Unix(1, 0)
	m.tenants["ended"].Released, m.tenants["ended"].Ended = time.Unix(1, 0), true
	m.tenants["other"].Agent = "another"
	var got AgentEnd
	m.EndAgent("agent", 0, func(p AgentEnd) { got = p })
	m.Tick()
	if want := []string{"rests", "works"}; !slices.Equal(got.Tenants, want) || !slices.Equal(got.Disconnected, want[:1]) {
		t.Errorf("it is the end of %+v", got)
	}
	if !m.tenants["rests"].Ended || !m.tenants["works"].Ended || m.tenants["other"].Ended {
		t.Error("the agent's sessions are to end, and nobody else's")
	}
	if sent := strings.Join(rec.sent, " "); strings.Contains(sent, "rests") || strings.Contains(sent, "other") || !strings.Contains(sent, `"works2"`) || !strings.Contains(sent, `"works3"`) {
		t.Errorf("what is sent is %s", sent)
	}
}
