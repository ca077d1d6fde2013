package patches

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// FuzzRules lets a hostile client of tenant s2 send any message. The client must not reach the page
// of tenant s1. So every message to the browser must be valid JSON. It must be sent on one of the
// client's own CDP sessions or be a call of the Mux itself. No message of the Target domain may
// have an id of tenant s1.
func FuzzRules(f *testing.F) {
	for _, seed := range []string{
		`{"id":1,"method":"Target.closeTarget","params":{"targetId":"P1"}}`,
		`{"id":1,"method":"Target.attachToTarget","params":{"targetId":"P1","flatten":true},"sessionId":"R2"}`,
		`{"id":1,"method":"Target.detachFromTarget","params":{"sessionId":"R1"}}`,
		`{"id":1,"method":"Runtime.evaluate","params":{},"sessionId":"S1"}`,
		`{"id":1,"method":"Target.disposeBrowserContext","params":{"browserContextId":"CTX1"}}`,
		`{"id":1,"method":"Target.createTarget","params":{"url":"x","browserContextId":"CTX1"}}`,
		`{"id":1,"method":"Storage.getCookies","params":{"browserContextId":"CTX1"}}`,
		`{"id":1,"method":"Target.getTargetInfo","params":{"targetId":"P2","targetid":"P1"}}`,
		`{"id":1,"method":"Browser.close"}`, `{"id":1,"method":"Target.setAutoAttach","params":{"autoAttach":true,"flatten":true}}`,
		`{"id":1,"method":"Target.setDiscoverTargets","params":{"discover":true}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, msg []byte) {
		m, rec := twoTenants()
		rec.out, rec.sent = nil, nil
		fromClient(m, 2, string(msg))
		for _, sent := range rec.sent {
			var m struct {
				Method    string
				SessionID string `json:"sessionId"`
				Params    map[string]json.RawMessage
			}
			if err := json.Unmarshal([]byte(sent), &m); err != nil || strings.IndexByte(sent, 0) >= 0 {
				t.Fatalf("%q became %q: %v", msg, sent, err)
			}
			ours := []string{"Target.createTarget", "Target.createBrowserContext", "Target.disposeBrowserContext", "Target.detachFromTarget", "Runtime.runIfWaitingForDebugger"}
			if m.SessionID != "S2" && m.SessionID != "R2" && (m.SessionID != "" || !slices.Contains(ours, m.Method)) {
				t.Fatalf("%q became %q, on a session of another client", msg, sent)
			}
			if !strings.HasPrefix(m.Method, "Target.") {
				continue
			}
			for _, foreign := range []string{"P1", "S1", "R1", "CTX1"} {
				for name, value := range m.Params {
					if string(value) == `"`+foreign+`"` && (name == "targetId" || name == "sessionId" || name == "browserContextId") {
						t.Fatalf("%q became %q, which names an object of another tenant", msg, sent)
					}
				}
			}
		}
		for _, got := range rec.out {
			if got.Name != "to-browser" && strings.Contains(string(got.Data), `"targetId":"P1"`) {
				t.Fatalf("%q revealed a foreign page: %s %s", msg, got.Name, got.Data)
			}
		}
	})
}

// twoTenants returns a Mux with two tenants. Tenant s1 has client 1 with the root session S1, and
// the page P1 in its browser context CTX1. Client 1 is attached to P1 with the session R1. In the
// same way, tenant s2 has client 2, S2, P2, CTX2 and R2.
func twoTenants() (*Mux, *recorder) {
	rec := &recorder{}
	m := New(Options{Transport: rec, Clock: func() time.Time { return time.Time{} }, FirstID: firstID})
	m.ready, m.shared = true, "SHARED"
	for i, n := range []string{"1", "2"} {
		id := ClientID(i + 1)
		browser := func(text string) { m.FromBrowser([]byte(rec.number(strings.ReplaceAll(text, "#", n)))) }
		m.Join(id, "s"+n, "", func(bool) {})
		browser(`{"id":@Target.attachToBrowserTarget,"result":{"sessionId":"S#"}}`)
		fromClient(m, id, `{"id":1,"method":"Target.setAutoAttach","params":{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true}}`)
		fromClient(m, id, `{"id":2,"method":"Target.createBrowserContext"}`)
		browser(`{"id":@Target.createBrowserContext,"result":{"browserContextId":"CTX#"}}`)
		browser(`{"method":"Target.attachedToTarget","params":{"sessionId":"R#","targetInfo":{"targetId":"P#","type":"page","title":"","url":"","browserContextId":"CTX#"},"waitingForDebugger":true}}`)
		fromClient(m, id, `{"id":3,"method":"Runtime.runIfWaitingForDebugger","sessionId":"R`+n+`"}`)
	}
	return m, rec
}

// ruleMethods returns the methods that ruleFor names.
func ruleMethods(t *testing.T) (want []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "rules.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(file.Decls, func(d ast.Decl) bool {
		f, ok := d.(*ast.FuncDecl)
		return ok && f.Name.Name == "ruleFor"
	})
	if i < 0 {
		t.Fatal("rules.go has no ruleFor")
	}
	ast.Inspect(file.Decls[i], func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if method, err := strconv.Unquote(lit.Value); err == nil && len(method) > 1 && strings.Contains(method, ".") {
				want = append(want, method)
			}
		}
		return true
	})
	slices.Sort(want)
	return want
}

// TestREADME checks that the first table in README.md has exactly the methods that ruleFor names, and
// that the second table says what happens to every other method of Chromium.
func TestREADME(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	want := ruleMethods(t)
	var got []string
	for line := range strings.Lines(string(text)) {
		if cells := strings.Split(line, "|"); len(cells) == 4 {
			for _, found := range regexp.MustCompile("`([A-Za-z]+\\.[A-Za-z]+)`").FindAllStringSubmatch(cells[1], -1) {
				got = append(got, found[1])
			}
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("README.md has the methods\n%q, ruleFor\n%q", got, want)
	}
}

// domainRow has the cells of a row of README.md's table of domains.
type domainRow struct{ page, browser string }

// domainRows returns the rows by the name of the domain.
func domainRows(t *testing.T, readme string) map[string]domainRow {
	t.Helper()
	rows := map[string]domainRow{}
	for line := range strings.Lines(readme) {
		cells := strings.Split(line, "|")
		if len(cells) != 6 {
			continue
		}
		if strings.TrimSpace(cells[4]) == "" {
			t.Errorf("the table gives no reason for %s", cells[1])
		}
		for _, found := range regexp.MustCompile("`([A-Za-z]+)`").FindAllStringSubmatch(cells[1], -1) {
			if _, twice := rows[found[1]]; twice {
				t.Errorf("the table has %s twice", found[1])
			}
			rows[found[1]] = domainRow{strings.TrimSpace(cells[2]), strings.TrimSpace(cells[3])}
		}
	}
	return rows
}

// Every method of Chromium without a rule is treated as README.md says for its domain.
func TestDomainsOfTheREADME(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadFile("testdata/methods.txt")
	if err != nil {
		t.Fatal(err)
	}
	rows, named, used := domainRows(t, string(readme)), ruleMethods(t), map[string]bool{}
	for method := range strings.FieldsSeq(string(list)) {
		domain, _, _ := strings.Cut(method, ".")
		used[domain] = true
		if _, found := slices.BinarySearch(named, method); found {
			continue
		}
		got := domainRow{treatment(method, "R2"), treatment(method, "")}
		if got != rows[domain] {
			t.Errorf("%s: %+v, want %+v", method, got, rows[domain])
		}
	}
	for domain := range rows {
		if !used[domain] {
			t.Errorf("Chromium has no domain %s", domain)
		}
	}
}

// treatment returns what the Mux does with a call of client 2 on a session.
func treatment(method, session string) string {
	m, rec := twoTenants()
	rec.out, rec.sent = nil, nil
	on := ""
	if session != "" {
		on = `,"sessionId":"` + session + `"`
	}
	fromClient(m, 2, `{"id":9,"method":"`+method+`","params":{"x":1}`+on+`}`)
	switch text := string(rec.out[0].Data); {
	case len(rec.sent) == 1 && strings.Contains(rec.sent[0], `"method":"`+method+`","params":{"x":1}`):
		return "forwarded"
	case strings.Contains(text, "Not allowed"):
		return "refused"
	case strings.Contains(text, "wasn't found"):
		return "unknown"
	default:
		return text
	}
}
