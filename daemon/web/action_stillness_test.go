package web_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/daemon/daemontest"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const stillPairs = 2

// stillCases returns the number of pages to test: 1000 if ABROWSER_TEST_LONG is set, otherwise 100.
func stillCases() int {
	if os.Getenv("ABROWSER_TEST_LONG") != "" {
		return 1000
	}
	return 100
}

// However the elements move, abrowser clicks the same elements as an unmodified Playwright.
// Playwright always waits for two frames before a click. abrowser does not wait for them if nothing
// animates the element.
func TestStillnessMatchesPlaywright(t *testing.T) {
	t.Parallel()
	var work sync.WaitGroup
	var mu sync.Mutex
	ready, cases := 0, stillCases()
	unmodified := home.Playwright(t)
	for pair := range stillPairs {
		random := rand.New(rand.NewPCG(20, uint64(pair)))
		ours := home.Start(t)
		theirs, err := unmodified.NewPage()
		if err != nil {
			t.Fatal(err)
		}
		work.Go(func() {
			for range cases / stillPairs {
				html := stillCase(random)
				a, b, _ := clicksOfBoth(t, ours, theirs, html, 150)
				// A busy machine is slow and may draw two frames as one. So the case is tried again,
				// with a limit that depends on how long a click takes now.
				for range 4 {
					if a == b {
						break
					}
					_, _, usual := clicksOfBoth(t, ours, theirs, readyCase, 10_000)
					a, b, _ = clicksOfBoth(t, ours, theirs, html, 150+4*int(usual.Milliseconds()))
				}
				if a != b {
					t.Errorf("abrowser: %s, Playwright: %s\n%s", a, b, html)
				}
				if b == "clicked" {
					mu.Lock()
					ready++
					mu.Unlock()
				}
			}
		})
	}
	work.Wait()
	if ready < cases/4 || ready > cases*3/4 {
		t.Errorf("%d of %d cases are ready: they show too little", ready, cases)
	}
}

// readyCase is a page of the slowest kind, with a button that is ready.
const readyCase = `<iframe data-html="<button id='target'>button</button>"></iframe>`

// clicksOfBoth calls clicks and clicksUnmodified at the same time. It returns their results, and how
// long both together took.
func clicksOfBoth(t *testing.T, ours *daemontest.Session, theirs playwright.Page, html string, limit int) (a, b string, took time.Duration) {
	var both sync.WaitGroup
	began := time.Now()
	both.Go(func() { a = clicks(t, ours, html, limit) })
	both.Go(func() { b = clicksUnmodified(theirs, html, limit) })
	both.Wait()
	return a, b, time.Since(began)
}

// clicks shows html in the session's page, and clicks #target there with a timeout of limit
// milliseconds. It returns "clicked", "not ready", or the text of another error.
func clicks(t *testing.T, s *daemontest.Session, html string, limit int) string {
	script, inFrame := show(html)
	if _, _, err := ask(t, s, verbs.Eval, verbs.EvalIn{Script: script}); err != nil {
		return err.Error()
	}
	target := "#target"
	if inFrame { // a selector does not find an element in a frame
		seen, _, err := ask(t, s, verbs.Snapshot, verbs.SnapshotIn{})
		if err != nil {
			return err.Error()
		}
		ref := regexp.MustCompile(`button "button".*\[ref=(e[0-9]+)\]`).FindStringSubmatch(seen.Snapshot)
		if ref == nil { // it is not visible
			return "not ready"
		}
		target = "@" + ref[1]
	}
	_, _, err := ask(t, s, verbs.Click, verbs.ClickIn{Element: element(target), TimeoutIn: verbs.TimeoutIn{Timeout: limit}})
	switch {
	case err == nil:
		return "clicked"
	case errors.Is(err, wire.CodeNotActionable), errors.Is(err, wire.CodeTimeout):
		return "not ready"
	}
	return err.Error()
}

// clicksUnmodified does the same as clicks, in a page of an unmodified Playwright.
func clicksUnmodified(p playwright.Page, html string, limit int) string {
	script, inFrame := show(html)
	if _, err := p.Evaluate(script); err != nil {
		return err.Error()
	}
	target := p.Locator("#target")
	if inFrame {
		target = p.FrameLocator("iframe").Locator("#target")
	}
	err := target.Click(playwright.LocatorClickOptions{Timeout: playwright.Float(float64(limit))})
	switch {
	case err == nil:
		return "clicked"
	case errors.Is(err, playwright.ErrTimeout):
		return "not ready"
	}
	return err.Error()
}

// show returns a script that makes html the content of a page. The result inFrame is true if
// #target is in a frame of that page.
func show(html string) (script string, inFrame bool) {
	return fmt.Sprintf(`document.body.setHTMLUnsafe(%s);
		for (const f of document.querySelectorAll("iframe")) f.contentDocument.body.innerHTML = f.dataset.html; 0`, strconv.Quote(html)), strings.Contains(html, "<iframe")
}

// stillCase returns a page with a button that may be covered, disabled, transformed, animated,
// in a shadow root or in a frame.
func stillCase(r *rand.Rand) string {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	styles := `<style>
		@keyframes slide { from { transform: translateX(0) } to { transform: translateX(300px) } }
		@keyframes grow { from { height: 10px } to { height: 200px } }
		@keyframes fade { from { opacity: .4 } to { opacity: 1 } }
		@keyframes paint { from { background: red; color: blue } to { background: green; color: white } }
		@keyframes nudge { from { margin-left: 0 } to { margin-left: 90px } }
	</style>`
	moves := func() string {
		if r.IntN(2) == 0 {
			return ""
		}
		return fmt.Sprintf("animation: %s %s %s %s;", pick("slide", "grow", "fade", "paint", "nudge"), "20s",
			pick("linear", "steps(2)"), pick("infinite", "infinite paused", "1 -40s"))
	}
	looks := pick("", "", "", "transform: rotate(20deg) scale(1.2);", "transform: skewX(15deg);", "visibility: hidden;", "display: none;",
		"opacity: 0;", "pointer-events: none;", "position: absolute; left: 120px; top: 90px;", "width: 0; height: 0; padding: 0; border: 0;")
	button := fmt.Sprintf(`<button id="target" %s style="%s%s">button</button>`, pick("", "", "", "", "disabled"), looks, moves())
	before := fmt.Sprintf(`<div style="height: 20px; width: 80px; %s">before</div>`, moves())
	cover := pick("", "", "", "", `<div style="position: fixed; inset: 0; background: #8888"></div>`, `<div style="position: fixed; inset: 0; pointer-events: none"></div>`)
	inside := fmt.Sprintf(`%s%s<div style="%s">%s</div>%s`, styles, before, pick("", "", "", moves(), "transform: scale(.7);"), button, cover)
	switch r.IntN(6) {
	case 0:
		return fmt.Sprintf(`<div><template shadowrootmode="open">%s</template></div>`, inside)
	case 1:
		escaped := strings.NewReplacer(`&`, "&amp;", `"`, "&quot;").Replace(inside)
		return fmt.Sprintf(`%s<iframe style="width: 500px; height: 300px; border: 0;" data-html="%s"></iframe>`, styles, escaped)
	}
	return inside
}
