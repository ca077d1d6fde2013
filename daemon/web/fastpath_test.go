package web_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/abrowser/abrowser/daemon/daemontest"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// quickPage is a format string for a script, and takes further statements for the script. The
// script makes a page with a button and a field, and counts the events that they get.
const quickPage = `(() => {
	document.body.innerHTML = '<button id="go">go</button> <input id="name">';
	window.clicks = window.doubles = window.fills = window.astray = 0;
	document.querySelector("#go").addEventListener("click", () => clicks++);
	document.querySelector("#go").addEventListener("dblclick", () => doubles++);
	document.querySelector("#name").addEventListener("input", () => fills++);
	window.cover = () => {
		const e = document.createElement("div");
		e.style = "position: fixed; inset: 0";
		e.id = "cover";
		e.onclick = e.onmousedown = () => astray++;
		document.body.append(e);
	};
	window.busy = (time, then) => setTimeout(() => { for (const end = Date.now() + time; Date.now() < end;); then?.(); });
	%s
	return 0;
})()`

// An action is performed once, and on no other element. This is so for an element that is ready at
// once, and for one that the driver waits for.
func TestFastPath(t *testing.T) {
	t.Parallel()
	click := func(t *testing.T, s *daemontest.Session) error {
		_, _, err := ask(t, s, verbs.Click, verbs.ClickIn{Element: element("#go"), TimeoutIn: verbs.TimeoutIn{Timeout: 8000}})
		return err
	}
	fill := func(t *testing.T, s *daemontest.Session) error {
		_, _, err := ask(t, s, verbs.Fill, verbs.FillIn{Element: element("#name"), Text: "text"})
		return err
	}
	fillDate := func(t *testing.T, s *daemontest.Session) error {
		_, _, err := ask(t, s, verbs.Fill, verbs.FillIn{Element: element("#name"), Text: "2026-11-22"})
		return err
	}
	tests := []struct {
		name, before string
		act          func(*testing.T, *daemontest.Session) error
		after        string // clicks, doubles, fills, value, astray
	}{
		{"click", "", click, "1 0 0  0"},
		{"dblclick", "", func(t *testing.T, s *daemontest.Session) error {
			_, _, err := ask(t, s, verbs.Dblclick, verbs.ElementIn{Element: element("#go")})
			return err
		}, "2 1 0  0"},
		{"fill", "", fill, "0 0 1 text 0"},
		{"fill with nothing", `document.querySelector("#name").value = "old";`, func(t *testing.T, s *daemontest.Session) error {
			_, _, err := ask(t, s, verbs.Fill, verbs.FillIn{Element: element("#name")})
			return err
		}, "0 0 1  0"},
		{"click on what is disabled for a while", `go.disabled = true; setTimeout(() => go.disabled = false, 300);`, click, "1 0 0  0"},
		{"click on what is covered for a while", `cover(); setTimeout(() => document.querySelector("#cover").remove(), 300);`, click, "1 0 0  0"},
		{"click out of view", `go.style = "position: absolute; top: 5000px";`, click, "1 0 0  0"},
		{"click on what the pointer's coming covers", `go.onmouseover = () => { cover(); go.onmouseover = null; setTimeout(() => document.querySelector("#cover")?.remove(), 700); };`, click, "1 0 0  0"},
		{"fill what is read-only for a while", `const f = document.querySelector("#name"); f.readOnly = true; setTimeout(() => f.readOnly = false, 300);`, fill, "0 0 1 text 0"},
		{"click on a page that is busy", "busy(1800);", click, "1 0 0  0"},
		{"click on what is slow to take it", `go.addEventListener("mousedown", () => { for (const end = Date.now() + 1500; Date.now() < end;); });`, click, "1 0 0  0"},
		{"fill on a page that is busy", "busy(1800);", fill, "0 0 1 text 0"},
		{"fill of a date on a page that is busy", `document.querySelector("#name").type = "date"; busy(1800);`, fillDate, "0 0 1 2026-11-22 0"},
		// Between its two busy periods the page only has time to report whether the element is
		// ready.
		{"fill of a date on a page that gets busy", `document.querySelector("#name").type = "date"; busy(300, () => busy(1800));`, fillDate, "0 0 1 2026-11-22 0"},
	}
	s := home.Start(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			eval(t, s, fmt.Sprintf(quickPage, "const go = document.querySelector('#go'); "+tt.before))
			if err := tt.act(t, s); err != nil {
				t.Fatal(err)
			}
			const state = `[clicks, doubles, fills, document.querySelector("#name").value, astray].join(" ")`
			if got, want := eval(t, s, state), `"`+tt.after+`"`; got != want {
				t.Errorf("the page has seen %s, want %s", got, want)
			}
		})
	}
}

// The fast path checks the element before Playwright does. If this check finds why the element is
// not ready, the error of the command gives that reason, even if the time limit is too short for
// Playwright to find it.
func TestFastPathReason(t *testing.T) {
	t.Parallel()
	s := home.Start(t)
	for _, tt := range []struct{ before, want string }{
		{"document.querySelector('#go').disabled = true;", `"#go" is not enabled`},
		{"cover();", `"#go" is covered by <div id="cover"></div>`},
	} {
		eval(t, s, fmt.Sprintf(quickPage, tt.before))
		for timeout := 10; ; timeout *= 2 { // until the time limit is enough for one check
			_, _, err := ask(t, s, verbs.Click, verbs.ClickIn{Element: element("#go"), TimeoutIn: verbs.TimeoutIn{Timeout: timeout}})
			if errors.Is(err, wire.CodeTimeout) && timeout < 5000 {
				continue
			}
			if !errors.Is(err, wire.CodeNotActionable) || wire.AsError(err).Message != tt.want {
				t.Errorf("within %d ms: %v, want %s", timeout, err, tt.want)
			}
			t.Logf("%s: within %d ms", tt.want, timeout)
			break
		}
	}
}

// An action on a ready element needs no driver: it is performed while the driver is suspended. On a
// busy machine the page may respond later than the fast path allows. For example, a fill has to
// begin within promptTime. The action is then left to the driver. So the test makes several tries,
// and one of them has to succeed.
func TestFastPathNeedsNoDriver(t *testing.T) {
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/form"))
	eval(t, s, fmt.Sprintf(quickPage, `for (const e of [go, document.querySelector("#name")]) for (const type of ["click", "dblclick", "input"]) e.addEventListener(type, () => window.at = Date.now());`))
	do(t, s, verbs.GetText, verbs.GetIn{Element: element("#go")}) // connects to the page
	driver := sharedDriver(t)
	// perform suspends the driver for a second at most, and runs an action. It returns 0 if the
	// action was performed while the driver was suspended. Otherwise it returns how many
	// milliseconds after the driver's resumption the action was performed.
	perform := func(name string, act func() error) int64 {
		if err := syscall.Kill(driver, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		var goesOn atomic.Int64
		timer := time.AfterFunc(time.Second, func() {
			goesOn.Store(time.Now().UnixMilli())
			_ = syscall.Kill(driver, syscall.SIGCONT) // if the driver is gone, the command fails
		})
		err := act()
		timer.Stop()
		_ = syscall.Kill(driver, syscall.SIGCONT) // if the driver is gone, the command has failed
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		at, _ := strconv.ParseInt(eval(t, s, "at"), 10, 64)
		if goesOn.Load() == 0 {
			return 0
		}
		return max(0, at-goesOn.Load())
	}
	for name, act := range map[string]func() error{
		"click": func() error { _, _, err := ask(t, s, verbs.Click, verbs.ClickIn{Element: element("#go")}); return err },
		"dblclick": func() error {
			_, _, err := ask(t, s, verbs.Dblclick, verbs.ElementIn{Element: element("#go")})
			return err
		},
		"fill": func() error {
			_, _, err := ask(t, s, verbs.Fill, verbs.FillIn{Element: element("#name"), Text: "text"})
			return err
		},
	} {
		const tries = 5
		var late []int64
		for len(late) < tries {
			after := perform(name, act)
			if after == 0 {
				break
			}
			late = append(late, after)
		}
		if len(late) == tries {
			t.Errorf("%s was performed %v ms after the driver was resumed", name, late)
		}
	}
}

// An action that the page does not acknowledge in time has an unknown result, and is not
// performed again.
func TestFastPathUnknownResult(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/form"))
	eval(t, s, fmt.Sprintf(quickPage, `document.querySelector("#go").addEventListener("mousedown", () => {
		const request = new XMLHttpRequest();
		request.open("GET", "/gate/pressed", false);
		request.send();
	});`))
	fails(t, s, verbs.Click, verbs.ClickIn{Element: element("#go"), TimeoutIn: verbs.TimeoutIn{Timeout: 4000}}, wire.CodeResultUnknown)
	web.Open("pressed")
	if got := eval(t, s, "clicks"); got != "1" {
		t.Errorf("it was clicked %s times", got)
	}
}

// If the caller disconnects while the fast path waits for the page, nothing is clicked or filled.
func TestFastPathCallerDisconnects(t *testing.T) {
	t.Parallel()
	s := home.Start(t)
	for range 2 {
		eval(t, s, fmt.Sprintf(quickPage, "busy(800);"))
		disconnectAfter(t, s, verbs.Click, verbs.ClickIn{Element: element("#go")}, 250*time.Millisecond, wire.CodeInterrupted)
		time.Sleep(1200 * time.Millisecond) // a click that was not cancelled would happen by then
		eval(t, s, "busy(800), 0")
		disconnectAfter(t, s, verbs.Fill, verbs.FillIn{Element: element("#name"), Text: "text"}, 250*time.Millisecond, wire.CodeInterrupted)
		time.Sleep(1200 * time.Millisecond) // a fill that was not cancelled would happen by then
		if got := eval(t, s, `clicks + " " + fills`); got != `"0 0"` {
			t.Errorf("after the callers disconnected there were %s clicks and fills", got)
		}
	}
}

// If several elements match a selector, the first is used, with a warning. A ref selects its own
// element.
func TestFastPathSelectors(t *testing.T) {
	t.Parallel()
	s := home.Start(t)
	eval(t, s, fmt.Sprintf(quickPage, `document.body.insertAdjacentHTML("beforeend", '<button onclick="astray++">go</button>');`))
	out, warnings, err := ask(t, s, verbs.Click, verbs.ClickIn{Element: element("button")})
	if err != nil || out.Clicked != "button" || len(warnings) != 1 {
		t.Errorf("a click on the first of two = %+v, %v, %v", out, warnings, err)
	}
	seen := do(t, s, verbs.Snapshot, verbs.SnapshotIn{})
	ref := regexp.MustCompile(`button "go" \[ref=(e\d+)\]`).FindStringSubmatch(seen.Snapshot)
	if ref == nil {
		t.Fatalf("no button in %s", seen.Snapshot)
	}
	do(t, s, verbs.Click, verbs.ClickIn{Element: element("@" + ref[1])})
	if got := eval(t, s, `clicks + " " + astray`); got != `"2 0"` {
		t.Errorf("the page has seen %s", got)
	}
}

// inForm puts the button of quickPage into a form. It defines queue(n, time), which adds n tasks to
// the page's event loop, each of which takes time milliseconds.
const inForm = `
	const form = document.createElement("form");
	form.action = "/slow";
	form.innerHTML = "<input name=ms value=400>";
	document.body.append(form);
	form.append(document.querySelector("#go"));
	window.queue = (n, time) => {
		for (let i = 0; i < n; i++) {
			const { port1, port2 } = new MessageChannel();
			port1.onmessage = () => { for (const end = Date.now() + time; Date.now() < end;); };
			port2.postMessage(0);
		}
	}`

// When a click that navigates is answered, the URL of the new document is known. A click that
// does not navigate leaves the URL as it is.
func TestFastPathClickNavigates(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	for _, tt := range []struct{ name, before, does, want string }{
		{"a slow link", "", `location.href = "/slow?ms=400"`, "/slow?ms=400"},
		{"a hash", "", `location.hash = "there"`, "/form#there"},
		{"a state", "", `history.pushState({}, "", "/pushed")`, "/pushed"},
		{"nothing", "", "", "/form"},
		// From here on, the click is dispatched in one task of the page's event loop, and the page
		// navigates in a later task.
		{"a form", inForm, `queue(10, 20)`, "/slow?ms=400"},
		{"a timer", "", `setTimeout(() => location.href = "/slow?ms=400")`, "/slow?ms=400"},
		{
			"a timer of a large page", `document.body.insertAdjacentHTML("beforeend", "<i></i>".repeat(2000))`,
			`setTimeout(() => location.href = "/slow?ms=400")`, "/slow?ms=400",
		},
		{
			"a timer of a page that stops the mouseup event", `addEventListener("mouseup", (e) => e.stopImmediatePropagation(), true)`,
			`setTimeout(() => location.href = "/slow?ms=400")`, "/slow?ms=400",
		},
		{"a message", "", `const { port1, port2 } = new MessageChannel(); port1.onmessage = () => { location.href = "/slow?ms=400" }; port2.postMessage(0);`, "/slow?ms=400"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			open(t, s, web.URL("/form"))
			eval(t, s, fmt.Sprintf(quickPage, fmt.Sprintf("%s; document.querySelector('#go').addEventListener('click', () => { %s });", tt.before, tt.does)))
			steps := []verbs.Step{step(t, "click", verbs.ClickIn{Element: element("#go")}), step(t, "get url", verbs.TabIn{})}
			if got := lastURL(t, s, steps); got != web.URL(tt.want) {
				t.Errorf("after the click the page is at %s, want %s", got, web.URL(tt.want))
			}

			open(t, s, web.URL("/form"))
			eval(t, s, fmt.Sprintf(quickPage, fmt.Sprintf("%s; document.querySelector('#go').addEventListener('click', () => { %s });", tt.before, tt.does)))
			do(t, s, verbs.Click, verbs.ClickIn{Element: element("#go")})
			if got := do(t, s, verbs.GetURL, verbs.TabIn{}).URL; got != web.URL(tt.want) {
				t.Errorf("as commands of their own: after the click the page is at %s, want %s", got, web.URL(tt.want))
			}
		})
	}
}

// A page may respond to the daemon before Playwright has reported what happened. The daemon
// waits for Playwright's report.
func TestLatePlaywrightEvents(t *testing.T) {
	s, web := home.Start(t), site.Start(t)
	for _, tt := range []struct {
		verb string
		in   any
	}{
		{"eval", verbs.EvalIn{Script: `history.pushState({}, "", "/pushed")`}},
		{"pushstate", verbs.PushStateIn{URL: "/pushed"}},
	} {
		t.Run(tt.verb, func(t *testing.T) {
			open(t, s, web.URL("/form"))
			eval(t, s, "1") // makes the direct connection to the page
			pid := sharedDriver(t)
			if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			time.AfterFunc(200*time.Millisecond, func() { _ = syscall.Kill(pid, syscall.SIGCONT) })
			steps := []verbs.Step{step(t, tt.verb, tt.in), step(t, "get url", verbs.TabIn{})}
			if got := lastURL(t, s, steps); got != web.URL("/pushed") {
				t.Errorf("the page is at %s", got)
			}
		})
	}
}

// lastURL runs the steps as one batch, so that there is no pause between them, and returns the
// URL that the last step reports.
func lastURL(t *testing.T, s *daemontest.Session, steps []verbs.Step) string {
	t.Helper()
	out := do(t, s, verbs.Batch, verbs.BatchIn{Steps: steps})
	last := out.Results[len(out.Results)-1]
	var at verbs.PageURL
	if last.Error != nil || json.Unmarshal(last.Result, &at) != nil {
		t.Fatalf("the batch: %+v", out)
	}
	return at.URL
}
