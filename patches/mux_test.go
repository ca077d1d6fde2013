package patches

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/abrowser/abrowser/patches/cdp"
)

// TestVectors plays each message stream in testdata to a Mux and compares the Mux's outputs with
// those in the stream. The inputs are these sections:
//
//	from-playwright CLIENT           messages of a client
//	from-browser                     messages of the browser
//	join CLIENT TENANT [GROUP]       a client connects
//	leave CLIENT                     a client disconnects
//	tick DURATION                    time passes
//	end TENANT [close]               calls End; with close, it closes the tabs
//	incognito TENANT                 calls Incognito
//	prune                            calls Prune for all tenants and any age
//	barrier TENANT                   calls BarrierFor, then TenantNamed
//	activity TENANT                  calls TakeActivity
//	reopened TENANT                  calls Reopened
//	delivered [failed]               ends the oldest delivery
//	restart                          starts a new Mux for the same browser
//	died                             starts a new Mux for the next browser
//	external                         starts a new Mux for an external browser
//	spares                           sets SpareAfter to 1
//	visible                          sets Visible
//	cleanup                          sets CleanupScript
//
// After each input, its outputs follow in the sections to-browser, to-playwright CLIENT, cut
// CLIENT, deliver, discard and result. The flag -update rewrites the outputs. In the browser's
// replies, @METHOD stands for the id of the last call of METHOD, and @METHOD PARAM for the id of
// the last call of METHOD whose text contains PARAM.
func TestVectors(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("testdata/*.txtar: %d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := play(t, txtar.Parse(raw))
			if string(got) == string(raw) {
				return
			}
			if updating() {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			t.Errorf("the stream differs (-update rewrites it):\n%s", difference(string(raw), string(got)))
		})
	}
}

// updating reports whether the flag -update was given. It calls flag.Lookup, because the package
// has no global variables.
func updating() bool {
	f := flag.Lookup("update")
	return f != nil && f.Value.String() == "true"
}

func TestMain(m *testing.M) {
	flag.Bool("update", false, "rewrite the expected half of testdata")
	flag.Parse()
	os.Exit(m.Run())
}

// difference returns the first line in which two texts differ, with the lines around it.
func difference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(w), len(g)) {
		if i >= len(w) || i >= len(g) || w[i] != g[i] {
			from := max(0, i-4)
			return "want:\n" + strings.Join(w[from:min(len(w), i+3)], "\n") + "\ngot:\n" + strings.Join(g[from:min(len(g), i+3)], "\n")
		}
	}
	return ""
}

// recorder is a Transport that records the calls of its methods.
type recorder struct {
	out  []txtar.File
	sent []string
	last State
	// deliveries has a function for each delivery that the Mux requested. The function ends the
	// delivery. If its argument is true, every copy has failed.
	deliveries []func(fails bool)
}

func (r *recorder) note(section, text string) {
	if n := len(r.out); n == 0 || r.out[n-1].Name != section {
		r.out = append(r.out, txtar.File{Name: section})
	}
	f := &r.out[len(r.out)-1]
	f.Data = append(f.Data, text+"\n"...)
}

func (r *recorder) ToBrowser(msg []byte) {
	r.sent = append(r.sent, string(msg))
	r.note("to-browser", string(msg))
}

// number replaces each @METHOD and @METHOD PARAM in a reply with an id; see [TestVectors].
func (r *recorder) number(reply string) string {
	return regexp.MustCompile(`@([\w.]+)(?: (\w+))?`).ReplaceAllStringFunc(reply, func(ref string) string {
		method, param, _ := strings.Cut(ref[1:], " ")
		for i := len(r.sent) - 1; i >= 0; i-- {
			if strings.Contains(r.sent[i], `"method":"`+method+`"`) && strings.Contains(r.sent[i], param) {
				return r.sent[i][len(`{"id":`):strings.Index(r.sent[i], ",")]
			}
		}
		return ref
	})
}

func (r *recorder) ToClient(c ClientID, msg []byte) {
	r.note(fmt.Sprintf("to-playwright %d", c), string(msg))
}
func (r *recorder) Cut(c ClientID, why string) { r.note(fmt.Sprintf("cut %d", c), why) }
func (r *recorder) Save(s State)               { r.last = s }

// Deliver records a delivery. The delivery ends when the stream has a section "delivered".
func (r *recorder) Deliver(file string, to []Delivery, done func([]string)) {
	where := make([]string, len(to))
	for i, d := range to {
		r.note("deliver", fmt.Sprintf("%s to %q as %s, exactly: %t", file, d.Dir, d.Name, d.Exact))
		where[i] = d.Dir + "/" + d.Name
	}
	r.deliveries = append(r.deliveries, func(fails bool) {
		if fails {
			clear(where)
		}
		done(where)
	})
}

func (r *recorder) Discard(name string) { r.note("discard", name) }

// fromClient passes a client's message to the Mux.
func fromClient(m *Mux, id ClientID, msg string) {
	r, err := cdp.ParseRequest([]byte(msg))
	m.FromClient(id, r, err)
}

const firstID = 1000000001

// filterOf is the filter of a session: no proxy runs at its address.
func filterOf(tenant string, domains []string) (string, error) {
	return fmt.Sprintf("filter-of-%s-for-%s", tenant, strings.Join(domains, "-")), nil
}

// play passes the inputs of a stream to a Mux. It returns the stream with the Mux's actual outputs.
func play(t *testing.T, in *txtar.Archive) []byte {
	t.Helper()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	rec := &recorder{}
	first := int64(firstID)
	m := New(Options{Transport: rec, Clock: func() time.Time { return now }, FirstID: firstID, DownloadDir: "/downloads", Filter: filterOf})
	m.ready, m.shared = true, "SHARED"
	for _, f := range in.Files {
		words := strings.Fields(f.Name)
		lines := strings.Split(strings.TrimSuffix(string(f.Data), "\n"), "\n")
		switch words[0] {
		case "to-browser", "to-playwright", "cut", "result", "deliver", "discard":
			continue
		}
		rec.out = append(rec.out, f)
		rec.out = append(rec.out, txtar.File{Name: "mark"})
		switch words[0] {
		case "from-playwright":
			for _, l := range lines {
				fromClient(m, clientOf(t, words[1]), l)
			}
		case "from-browser":
			for _, l := range lines {
				m.FromBrowser([]byte(rec.number(l)))
			}
		case "join":
			m.Join(clientOf(t, words[1]), words[2], strings.Join(words[3:], ""), func(bool) {})
		case "leave":
			m.Leave(clientOf(t, words[1]))
		case "end":
			m.End(words[1], len(words) > 2, time.Second, func(e EndResult) {
				text := fmt.Sprint(e.Kept, " closed ", e.Closed)
				if e.Discarded > 0 {
					text = fmt.Sprint(e.Discarded, " discarded")
				}
				rec.note("result", text)
			})
		case "incognito":
			m.Incognito(words[1], words[2:], func(err error) { rec.note("result", fmt.Sprint("incognito: ", err)) })
		case "prune":
			m.Prune("", 0, time.Second, func(gone map[string][]Tab) { rec.note("result", fmt.Sprint(len(gone["a"]), " pruned")) })
		case "tick":
			d, err := time.ParseDuration(words[1])
			if err != nil {
				t.Fatal(err)
			}
			now = now.Add(d)
			m.Tick()
		case "restart", "died", "external":
			state := m.State()
			if words[0] == "died" {
				state = state.Died()
			}
			first += 1000
			o := Options{Transport: rec, Clock: func() time.Time { return now }, FirstID: first, State: state, DownloadDir: "/downloads", SpareAfter: m.SpareAfter, Filter: filterOf}
			if words[0] == "external" {
				o.External, o.Visible, o.DownloadDir = true, true, ""
			}
			m = New(o)
			m.Start(func() { m.Reopen(func() {}) })
		case "barrier":
			m.BarrierFor(words[1], time.Second, func() {
				for _, l := range m.TenantNamed(words[1]) {
					rec.note("result", fmt.Sprint(l.Name, " ", len(l.Pages), " pages, the first is ", l.Pages[0].Title))
				}
			})
		case "activity":
			rec.note("result", fmt.Sprint(words[1], " had activity: ", m.TakeActivity(words[1])))
		case "spares":
			m.SpareAfter = 1
		case "visible":
			m.Visible = true
		case "cleanup":
			m.CleanupScript = "goodbye()"
		case "reopened":
			_, tabs := m.Reopened(words[1])
			rec.note("result", fmt.Sprint(tabs))
		case "delivered":
			rec.deliveries[0](len(words) > 1)
			rec.deliveries = rec.deliveries[1:]
		default:
			t.Fatalf("unknown section %q", f.Name)
		}
	}
	out := &txtar.Archive{Comment: in.Comment}
	for _, f := range rec.out {
		if f.Name != "mark" {
			out.Files = append(out.Files, f)
		}
	}
	now = now.Add(captureTime)
	m.Tick()
	for id, call := range m.pending {
		if call.isCapture && call.client == nil {
			t.Errorf("capture %d, whose client has left, is pending for ever", id)
		}
	}
	return txtar.Format(out)
}

func clientOf(t *testing.T, word string) ClientID {
	t.Helper()
	n, err := strconv.Atoi(word)
	if err != nil {
		t.Fatal(err)
	}
	return ClientID(n)
}
