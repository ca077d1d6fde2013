package web_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/abrowser/abrowser/daemon/daemontest"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	stillTime = 3 * time.Second // see TestGivesUpOnAStillPage
	unchanged = "; the page has not changed for 3s"
)

// stillPage is a script that makes a page with elements that are not ready.
const stillPage = `document.body.innerHTML = "<button id=go disabled>go</button> <input id=read readonly> <button id=covered>covered</button> <p id=text>text</p>" +
	"<select id=choice disabled><option>a</option></select><div id=cover style='position: absolute; inset: 0'></div>";
	const go = document.querySelector("#go"), text = document.querySelector("#text"), cover = document.querySelector("#cover"); `

// startStill starts a session, and runs stillPage and the statements in the parameter more in its
// page.
func startStill(t *testing.T, web *site.Site, more string) *daemontest.Session {
	t.Helper()
	s := home.Start(t)
	open(t, s, web.URL("/form"))
	eval(t, s, "{ "+stillPage+strings.ReplaceAll(more, "CROSS", web.CrossURL(""))+" } 0")
	return s
}

// clickFor clicks an element, and returns how long that took.
func clickFor(t *testing.T, s *daemontest.Session, selector string, in verbs.TimeoutIn) (time.Duration, error) {
	t.Helper()
	began := time.Now()
	_, _, err := ask(t, s, verbs.Click, verbs.ClickIn{Element: element(selector), TimeoutIn: in})
	return time.Since(began), err
}

// If the command sets no timeout, an action gives up 3 s after the last change of the page. The
// error says so, and says what the element lacks.
func TestGivesUpOnAStillPage(t *testing.T) {
	t.Parallel()
	web := site.Start(t)
	for _, tt := range []struct {
		name, more string
		act        func(*daemontest.Session) error
		code       wire.Code
		want       string
	}{
		{"disabled", "", clickOn(t, "#go"), wire.CodeNotActionable, `"#go" is not enabled`},
		{"covered", "", clickOn(t, "#covered"), wire.CodeNotActionable, `"#covered" is covered by <div id="cover"></div>`},
		{"missing", "", clickOn(t, "#none"), wire.CodeNotFound, `element not found: #none`},
		{"read-only", "", func(s *daemontest.Session) error {
			_, _, err := ask(t, s, verbs.Fill, verbs.FillIn{Element: element("#read"), Text: "a"})
			return err
		}, wire.CodeNotActionable, `"#read" is not editable`},
		{"disabled select", "", func(s *daemontest.Session) error {
			_, _, err := ask(t, s, verbs.Select, verbs.SelectIn{Element: element("#choice"), Values: []string{"a"}})
			return err
		}, wire.CodeNotActionable, `"#choice" is not enabled`},
		{"not focusable", "", func(s *daemontest.Session) error {
			_, _, err := ask(t, s, verbs.Type, verbs.TypeIn{Element: element("#text"), Text: "a"})
			return err
		}, wire.CodeNotActionable, `"#text" does not take the focus`},
		{"beside an endless animation", `text.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 500, iterations: Infinity });`, clickOn(t, "#go"), wire.CodeNotActionable, `"#go" is not enabled`},
		{"beside a stream of events", `new EventSource("/never");`, clickOn(t, "#go"), wire.CodeNotActionable, `"#go" is not enabled`},
		{
			"in a page that reacts to scrolling", `document.body.insertAdjacentHTML("beforeend", "<div style='height: 9000px'></div>");
			addEventListener("scroll", () => text.textContent = scrollY); cover.style.position = "fixed"; document.querySelector("#covered").style = "position: absolute; top: 3000px";`,
			clickOn(t, "#covered"), wire.CodeNotActionable, `"#covered" is covered by <div id="cover"></div>`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := startStill(t, web, tt.more)
			began := time.Now()
			err := tt.act(s)
			took := time.Since(began)
			if !errors.Is(err, tt.code) || wire.AsError(err).Message != tt.want+unchanged || wire.AsError(err).Hint == "" {
				t.Errorf("%v, want %s: %s%s", err, tt.code, tt.want, unchanged)
			}
			if took < stillTime || took > 3*stillTime { // below the default timeout of 10 s
				t.Errorf("it took %v", took)
			}
		})
	}
}

func clickOn(t *testing.T, selector string) func(*daemontest.Session) error {
	return func(s *daemontest.Session) error {
		_, err := clickFor(t, s, selector, verbs.TimeoutIn{})
		return err
	}
}

// While the page changes, an action waits until its timeout. These pages never stop changing.
func TestWaitsForAChangingPage(t *testing.T) {
	t.Parallel()
	web := site.Start(t)
	const timeout = 3 * stillTime / 2
	for _, tt := range []struct{ name, more string }{
		{"clock", `setInterval(() => text.textContent = Date(), 1000);`},
		{"attribute in a shadow root", `const root = text.attachShadow({ mode: "open" }); root.innerHTML = "<div><b></b></div>"; const inner = root.querySelector("div").attachShadow({ mode: "open" });
			inner.innerHTML = "<i></i>"; setInterval(() => inner.querySelector("i").title += 1, 1000);`},
		{"frame", `const f = document.createElement("iframe"); document.body.append(f); f.contentDocument.body.append("0"); setInterval(() => f.contentDocument.body.firstChild.data += 1, 1000);`},
		{"request", `fetch("/never");`},
		{"request of a frame of another origin", `document.body.insertAdjacentHTML("beforeend", "<iframe src='CROSS/never'></iframe>");`},
		{"frame of another origin", `document.body.insertAdjacentHTML("beforeend", "<iframe src='data:text/html,<b>0</b><script>setInterval(() => document.body.title += 1, 1000)</script>'></iframe>");`},
		{"animation with an end", `text.animate([{ opacity: 0 }, { opacity: 1 }], 60_000);`},
		{"animation with an end in a shadow root", `text.attachShadow({ mode: "open" }).innerHTML = "<b>b</b>"; text.shadowRoot.firstChild.animate([{ opacity: 0 }, { opacity: 1 }], 60_000);`},
		{"navigation", `location.href = "/never";`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := startStill(t, web, tt.more)
			in := verbs.TimeoutIn{Timeout: int(timeout.Milliseconds()), TimeoutIsDefault: true}
			took, err := clickFor(t, s, "#go", in)
			isLate := errors.Is(err, wire.CodeNotActionable) || errors.Is(err, wire.CodeTimeout)
			if !isLate || strings.Contains(err.Error(), unchanged) || took < timeout {
				t.Errorf("the click took %v: %v", took, err)
			}
		})
	}
}

// If the command sets a timeout, an action waits until then, even if the page does not change. If
// the command sets none, and a clock keeps changing the page, the action waits until the default
// timeout of the verb.
func TestTimeoutsAreWaitedFor(t *testing.T) {
	t.Parallel()
	web := site.Start(t)
	for _, tt := range []struct {
		name, more string
		in         verbs.TimeoutIn
		timeout    time.Duration
	}{
		{"asked for", "", timed(5000), 5 * time.Second},
		{"longer than the default", "", timed(12_000), 12 * time.Second},
		{"default of the caller on a still page", "", verbs.TimeoutIn{Timeout: 1000, TimeoutIsDefault: true}, time.Second},
		{"default of the verb", `setInterval(() => text.textContent = Date(), 1000);`, verbs.TimeoutIn{}, 10 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := startStill(t, web, tt.more)
			took, err := clickFor(t, s, "#go", tt.in)
			if !errors.Is(err, wire.CodeNotActionable) || wire.AsError(err).Message != `"#go" is not enabled` || took < tt.timeout {
				t.Errorf("the click took %v: %v", took, err)
			}
		})
	}
}

// An element that becomes ready while the page changes is clicked, although that takes longer
// than the time after which an action gives up on a still page.
func TestChangesLeadToTheElement(t *testing.T) {
	t.Parallel()
	web := site.Start(t)
	for _, tt := range []struct{ name, selector, more string }{
		{"transition", "#covered", `cover.style.transition = "opacity 4500ms"; cover.getBoundingClientRect(); cover.style.opacity = 0; cover.ontransitionend = () => cover.remove();`},
		{"short transition", "#covered", `cover.style.transition = "opacity 2s"; cover.getBoundingClientRect(); cover.style.opacity = 0; cover.ontransitionend = () => cover.remove();`},
		{"request", "#go", `fetch("/slow?ms=4500").then(() => (cover.remove(), go.disabled = false));`},
		{"requests after each other", "#go", `const next = (n) => fetch("/slow?ms=1000").then(() => n ? next(n - 1) : (cover.remove(), go.disabled = false)); next(4);`},
		{"navigation", "h1", `location.href = "/slow?ms=4500";`},
		{"steps", "#go", `setTimeout(() => text.textContent = 1, 2200); setTimeout(() => (cover.remove(), go.disabled = false), 4400);`},
		{"longer than the time before", "#go", `setTimeout(() => (cover.remove(), go.disabled = false), 2500);`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := startStill(t, web, tt.more)
			if _, err := clickFor(t, s, tt.selector, verbs.TimeoutIn{}); err != nil {
				t.Error(err)
			}
		})
	}
}

// Waiting does not help an element of a wrong kind, so the error comes at once, although the page
// changes and the command sets a long timeout.
func TestWrongKind(t *testing.T) {
	t.Parallel()
	web, s := site.Start(t), home.Start(t)
	open(t, s, web.URL("/form"))
	eval(t, s, `{ document.body.innerHTML = "<h1 id=h>heading</h1> <div id=hidden hidden>div</div> <select id=select disabled></select> <input id=box type=checkbox disabled> <input id=text disabled> <button id=go disabled>go</button>";
		setInterval(() => document.body.title += 1, 300); } 0`)
	const timeout = 20_000
	for _, tt := range []struct {
		verb, selector, want string
	}{
		{"fill", "#h", "Element is not an <input>"},
		{"fill", "#hidden", "Element is not an <input>"},
		{"fill", "#select", "Element is not an <input>"},
		{"fill", "#box", `Input of type "checkbox" cannot be filled`},
		{"fill", "#go", "Element is not an <input>"},
		{"check", "#h", "Not a checkbox or radio button"},
		{"check", "#hidden", "Not a checkbox or radio button"},
		{"uncheck", "#text", "Not a checkbox or radio button"},
		{"select", "#h", "Element is not a <select> element"},
		{"select", "#hidden", "Element is not a <select> element"},
		{"select", "#text", "Element is not a <select> element"},
	} {
		t.Run(tt.verb+" "+tt.selector, func(t *testing.T) {
			began := time.Now()
			var err error
			switch at := (verbs.ElementIn{Element: element(tt.selector), TimeoutIn: timed(timeout)}); tt.verb {
			case "fill":
				_, _, err = ask(t, s, verbs.Fill, verbs.FillIn{Element: at.Element, Text: "a", TimeoutIn: at.TimeoutIn})
			case "select":
				_, _, err = ask(t, s, verbs.Select, verbs.SelectIn{Element: at.Element, Values: []string{"a"}, TimeoutIn: at.TimeoutIn})
			default:
				err = clickBy(t, s, tt.verb, tt.selector, timeout)
			}
			if took := time.Since(began); took > timeout*time.Millisecond/4 {
				t.Errorf("it took %v", took)
			}
			if !errors.Is(err, wire.CodeNotActionable) || !strings.Contains(err.Error(), tt.want) || wire.AsError(err).Hint == "" {
				t.Errorf("%v, want %s: %s", err, wire.CodeNotActionable, tt.want)
			}
		})
	}
}
