package patches

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

// muxWith returns a Mux with the given tenants. tabs maps the name of each tenant to the number of
// its tabs. The tabs were opened one second apart.
func muxWith(t *testing.T, o Options, tabs map[string]int) (*Mux, *recorder) {
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

func extraTargets(all []ExtraTab) string {
	var ids []string
	for _, e := range all {
		ids = append(ids, e.Agent+":"+e.Target)
	}
	slices.Sort(ids)
	return strings.Join(ids, " ")
}

func TestExtraTabsCountTabsBeingCreated(t *testing.T) {
	m, _ := muxWith(t, Options{}, map[string]int{"a": 3, "b": 1, "c": 0, "left": 4})
	m.tenants["a"].Agent = "parent"
	m.tenants["left"].Released = time.Unix(1, 0)
	if got, want := extraTargets(m.ExtraTabs()), "parent:a2 parent:a3"; got != want {
		t.Errorf("ExtraTabs() = %s, want %s", got, want)
	}
	m.creates[1], m.creates[2], m.creates[3] = m.tenants["b"], m.tenants["c"], nil
	if got, want := extraTargets(m.ExtraTabs()), "b: parent:a2 parent:a3"; got != want {
		t.Errorf("while tabs are being created: %s, want %s", got, want)
	}
	if !m.HasNoTab("new") || m.HasNoTab("b") || m.HasNoTab("c") {
		t.Error("HasNoTab does not count a tab that is being created")
	}
	m.Evict("a2", time.Second, func() {})
	if got, want := extraTargets(m.ExtraTabs()), "b: parent:a3"; got != want {
		t.Errorf("while a tab is being closed: %s, want %s", got, want)
	}
	if all := m.Tenants(); len(all[0].Pages) != 2 {
		t.Errorf("a tab that is being closed is listed: %+v", all[0].Pages)
	}
}

func TestReserveTabEvictsAfterCreation(t *testing.T) {
	m, rec := muxWith(t, Options{Admit: func(string) (string, error) { return "a2", nil }}, map[string]int{"a": 3})
	settle, refusal := m.reserveTab(m.tenants["a"])
	if refusal != nil || len(rec.sent) != 0 || extraTargets(m.ExtraTabs()) != "a:a3" {
		t.Fatalf("before the tab is created: %v, sent %q", refusal, rec.sent)
	}
	settle(false)
	if len(rec.sent) != 0 || extraTargets(m.ExtraTabs()) != "a:a2 a:a3" {
		t.Errorf("after the creation failed: sent %q", rec.sent)
	}
	settle, _ = m.reserveTab(m.tenants["a"])
	settle(true)
	if len(rec.sent) != 1 || !strings.Contains(rec.sent[0], `"Target.closeTarget"`) || !strings.Contains(rec.sent[0], `"a2"`) {
		t.Errorf("sent %q, want closeTarget for a2", rec.sent)
	}
	m.Admit = func(string) (string, error) { return "", errors.New("POOL_FULL: no") }
	if _, refusal := m.reserveTab(m.tenants["a"]); refusal == nil || refusal.Message != "POOL_FULL: no" {
		t.Errorf("refusal = %+v, want POOL_FULL", refusal)
	}
}

func TestClaim(t *testing.T) {
	m, _ := muxWith(t, Options{}, map[string]int{"s": 1})
	claim := func(agent string, looks bool, want string) {
		t.Helper()
		if got, _ := m.Claim("s", agent, looks); got != want {
			t.Errorf("Claim by %q (looks: %v) = %q, want %q", agent, looks, got, want)
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
	claim("b", false, "a") // agent a is not connected but alive
	if !m.Claimed("s") {
		t.Error("Claimed = false for a released tenant whose agent is alive")
	}
	m.tenants["s"].Ended = true
	if m.Claimed("s") {
		t.Error("Claimed = true for an ended tenant")
	}
	if holder, ended := m.Claim("s", "", false); holder != "a" || !ended {
		t.Errorf("a query of an ended tenant returns %q %v, want a, true", holder, ended)
	}
	claim("reader", true, "")
	claim("b", false, "b")
	if got, ended := m.Claim("new", "a", false); got != "a" || ended || m.tenants["new"].live() {
		t.Errorf("a new tenant: %q %v", got, ended)
	}
	if got, _ := m.Claim("other", "reader", true); got != "" || m.tenants["other"] != nil {
		t.Error("a claim that only looks creates a tenant")
	}
}

// TestTenantOfFailedJoin checks that a tenant is released after Grace if its first client did not
// get a root session.
func TestTenantOfFailedJoin(t *testing.T) {
	now := time.Unix(1000, 0)
	m, rec := muxWith(t, Options{Clock: func() time.Time { return now }}, nil)
	joined := true
	m.Join(1, "s", "", func(ok bool) { joined = ok })
	m.FromBrowser([]byte(rec.number(`{"id":@Target.attachToBrowserTarget,"error":{"code":-32000,"message":"no"}}`)))
	if joined || !m.tenants["s"].live() {
		t.Fatalf("after the refusal: joined %v, live %v", joined, m.tenants["s"].live())
	}
	now = now.Add(m.Grace)
	m.Tick()
	if m.tenants["s"].live() {
		t.Error("the tenant is still live after Grace")
	}
}

// TestTenantsWithNothingAreForgotten checks which tenants are forgotten when another one is released:
// only those that were ended or released long ago and have nothing left.
func TestTenantsWithNothingAreForgotten(t *testing.T) {
	start := time.Unix(1000, 0)
	now := start
	o := Options{Clock: func() time.Time { return now }, AgentAlive: func(agent string) bool { return agent == "alive" }}
	m, _ := muxWith(t, o, map[string]int{
		"a tab": 1, "a lost tab": 0, "a new tab": 0, "a download": 0, "a context": 0, "incognito": 0, "an agent": 0,
		"a client": 0, "a joining client": 0, "ended": 0, "released": 0, "last": 0,
	})
	m.tenants["a lost tab"].Lost = []Tab{{Number: 1}}
	m.creates[1] = m.tenants["a new tab"]
	m.downloads.byGUID["d"] = &download{owner: m.tenants["a download"]}
	m.tenants["a context"].Contexts = []string{"C"}
	m.tenants["incognito"].Incognito = true
	m.tenants["an agent"].Agent = "alive"
	m.tenants["ended"].Agent, m.tenants["ended"].Ended = "alive", true
	m.addClient(&client{tenant: m.tenants["a client"]})
	m.Join(1, "a joining client", "", func(bool) {})
	for name, tn := range m.tenants {
		if name != "a client" && name != "last" {
			tn.Released, tn.Last = start, start
		}
	}
	all := m.State().Tenants
	for _, tt := range []struct {
		after time.Duration
		gone  []string
	}{
		{forgetEndedAfter, nil},
		{forgetEndedAfter + time.Millisecond, []string{"ended"}},
		{forgetAfter, []string{"ended"}},
		{forgetAfter + time.Millisecond, []string{"ended", "released"}},
	} {
		now = start.Add(tt.after)
		last := m.tenants["last"]
		last.Released, last.Last = time.Time{}, now
		m.release(last)
		var gone []string
		for _, tn := range all {
			if m.tenants[tn.Name] == nil {
				gone = append(gone, tn.Name)
			}
		}
		if !slices.Equal(gone, tt.gone) {
			t.Errorf("after %v the tenants %q are forgotten, want %q", tt.after, gone, tt.gone)
		}
	}
}

// TestLateConnectionLeavesTenantUnclaimed checks that, if a client connects after its tenant was
// ended, the tenant is live again but has no agent.
func TestLateConnectionLeavesTenantUnclaimed(t *testing.T) {
	m, _ := muxWith(t, Options{}, map[string]int{"s": 1})
	tn := m.tenants["s"]
	m.Claim("s", "a", false)
	m.End("s", false, 0, func(EndResult) {})
	m.addClient(&client{tenant: tn})
	if holder, ended := m.Claim("s", "", false); holder != "" || !ended || !tn.live() {
		t.Errorf("after the late connection: agent %q, ended %v, live %v", holder, ended, tn.live())
	}
	if got, ended := m.Claim("s", "b", false); got != "b" || !ended {
		t.Errorf("the next claim: agent %q, ended %v", got, ended)
	}
	m.addClient(&client{tenant: tn})
	if holder, ended := m.Claim("s", "c", false); holder != "b" || ended {
		t.Errorf("a claim by c after b's client has connected: agent %q, ended %v, want b, false", holder, ended)
	}
}

func TestEndAgent(t *testing.T) {
	m, rec := muxWith(t, Options{}, map[string]int{"works": 3, "rests": 2, "ended": 1, "other": 2})
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
		t.Errorf("EndAgent ended %+v", got)
	}
	if !m.tenants["rests"].Ended || !m.tenants["works"].Ended || m.tenants["other"].Ended {
		t.Error("want the agent's tenants to end and no others")
	}
	if sent := strings.Join(rec.sent, " "); strings.Contains(sent, "rests") || strings.Contains(sent, "other") || !strings.Contains(sent, `"works2"`) || !strings.Contains(sent, `"works3"`) {
		t.Errorf("sent %s, want closeTarget for works2 and works3 only", sent)
	}
}
