package walk_test

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e/apps"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// clickTime is how long a click on a page at rest may take. abrowser promises one second.
const clickTime = 4 * time.Second

// mostLoads is how often an app is loaded again so that one click can be the first on its page.
// Without this limit, an app that replaces its elements at each click would be loaded for each of
// its refs.
const mostLoads = 8

// everyRef makes TestWalk click every ref, however often it has to load an app.
var everyRef = flag.Bool("walk.all", false, "click every ref of each app") //nolint:gochecknoglobals // a flag of this test

// row is the result for an app.
type row struct {
	app                          string
	usable, without, refs, fails int
	refused                      int // refs whose elements are disabled or covered
	left                         int // refs whose clicks failed, and were not repeated on a page of their own because of mostLoads
	details                      []string
}

// In real apps each element that can be used has a ref, and each ref clicks its element.
func TestWalk(t *testing.T) {
	all := apps.Start(t)
	var mu sync.Mutex
	var rows []row
	t.Run("apps", func(t *testing.T) {
		for _, app := range all {
			t.Run(app.Name, func(t *testing.T) {
				t.Parallel()
				p := &page{t: t, session: home.Start(t), app: app}
				r := row{app: app.Name}
				p.load()
				p.complete(&r)
				p.truthful(&r)
				mu.Lock()
				defer mu.Unlock()
				rows = append(rows, r)
			})
		}
	})
	slices.SortFunc(rows, func(a, b row) int { return strings.Compare(a.app, b.app) })
	table := fmt.Sprintf("%-12s %7s %11s %5s %8s %5s %6s\n", "app", "usable", "without ref", "refs", "refused", "left", "failed")
	for _, r := range rows {
		table += fmt.Sprintf("%-12s %7d %11d %5d %8d %5d %6d\n", r.app, r.usable, r.without, r.refs, r.refused, r.left, r.fails)
		for _, d := range r.details {
			table += "    " + d + "\n"
		}
	}
	t.Log("\n" + table)
}

// complete checks that each usable element has a ref.
func (p *page) complete(r *row) {
	p.t.Helper()
	for _, e := range p.usable() {
		r.usable++
		if !e.Has && e.Excuse == "" {
			r.without++
			r.details = append(r.details, "without: "+e.Why+" "+e.Is)
		}
	}
	if r.without > 0 {
		p.t.Errorf("%s: %d usable elements have no ref", p.app.Name, r.without)
	}
}

// truthful clicks all refs, one after the other. A click may fail because an earlier one has
// changed the page. All clicks that failed are repeated on a page that was loaded again. Those that
// fail there, too, are repeated one at a time, each as the first click on a page that was loaded
// again. Without the flag walk.all, the app is loaded only mostLoads times for such clicks.
func (p *page) truthful(r *row) {
	p.t.Helper()
	r.refs = len(p.refs)
	left := p.refs
	for round := 0; len(left) > 0; round++ {
		if round > 1+mostLoads && !*everyRef {
			r.left = len(left)
			return
		}
		if round > 0 {
			left = p.reload(left)
		}
		var again []ref
		for i, one := range left {
			if round > 1 && i > 0 {
				again = append(again, left[i:]...)
				break
			}
			why := p.click(one)
			switch {
			case why == "":
			case strings.HasSuffix(why, "is not enabled"):
				r.refused++
			case i > 0 && (round == 0 || !strings.HasPrefix(why, "refused")):
				again = append(again, one)
			case strings.HasPrefix(why, "refused"):
				r.refused++
				r.details = append(r.details, fmt.Sprintf("%s %q: %s", one.is.Role, one.is.Name, why))
			default:
				r.fails++
				r.details = append(r.details, fmt.Sprintf("FAILED %s %q: %s", one.is.Role, one.is.Name, why))
				p.t.Errorf("%s: the click on %s %q: %s", p.app.Name, one.is.Role, one.is.Name, why)
			}
		}
		left = again
	}
}

// reload loads the app anew, and returns the refs that the elements of the old refs have now.
func (p *page) reload(old []ref) (now []ref) {
	p.t.Helper()
	p.load()
	for _, o := range old {
		at := slices.IndexFunc(p.refs, func(n ref) bool { return n.number == o.number && n.is == o.is })
		if at < 0 {
			p.t.Errorf("%s: %s %q has no ref after the app was loaded anew", p.app.Name, o.is.Role, o.is.Name)
			continue
		}
		now = append(now, p.refs[at])
	}
	return now
}

// click clicks a ref, and returns why the click failed. It returns an empty text if the click was
// delivered to the element.
func (p *page) click(r ref) string {
	p.t.Helper()
	if _, _, err := ask(p.t, p.session, verbs.Eval, verbs.EvalIn{Script: "walk.got.clear()"}); err != nil {
		return "the page was replaced"
	}
	began := time.Now()
	in := verbs.ClickIn{Element: verbs.Element{Selector: r.name}, TimeoutIn: verbs.TimeoutIn{Timeout: int(clickTime.Milliseconds()) / 4}}
	_, warnings, err := ask(p.t, p.session, verbs.Click, in)
	switch took := time.Since(began); {
	case took > clickTime:
		return fmt.Sprintf("slow: it took %v", took)
	case errors.Is(err, wire.CodeNotActionable):
		return "refused: " + err.Error()
	case err != nil:
		return err.Error()
	case strings.Contains(strings.Join(warnings, "\n"), "nothing on the page uses a click") && !isContent(r.is.Role):
		return "it has the warning that nothing uses it"
	}
	got, _, err := ask(p.t, p.session, verbs.Eval, verbs.EvalIn{Script: fmt.Sprintf("walk.got.has(%q) || walk.focused() === %[1]q", r.number)})
	if err != nil || string(got.Result) != "true" {
		return "the event was not delivered to the element"
	}
	return ""
}

// isContent reports whether elements of the role have refs because of their text, and not because
// they can be used. A click on such an element need not have an effect.
func isContent(role string) bool {
	return slices.Contains([]string{"heading", "cell", "gridcell", "columnheader", "rowheader", "listitem", "article", "region", "main", "navigation"}, role)
}
