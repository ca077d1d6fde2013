package web_test

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/abrowser/abrowser/daemon/daemontest"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// oncePage is a format string for a script, and takes further statements for the script. The script
// makes a page with two buttons and a field. The page counts the trusted clicks on the first
// button, all clicks on the other one, the trusted keys in the field, and all input events of the
// window.
const oncePage = `(() => {
	document.body.innerHTML = '<button id="go">go</button> <input id="name"> <button id="other">other</button>';
	window.clicks = window.others = window.keys = window.input = 0;
	const go = document.querySelector("#go"), name = document.querySelector("#name");
	go.addEventListener("click", (e) => clicks += e.isTrusted);
	document.querySelector("#other").addEventListener("click", () => others++);
	name.addEventListener("keydown", (e) => keys += e.isTrusted);
	for (const type of ["pointerdown", "mousedown", "mouseup", "click", "keydown"]) addEventListener(type, () => input++, true);
	window.report = (name) => { // to the site, before it returns
		const request = new XMLHttpRequest();
		request.open("POST", "/count/" + name, false);
		request.send();
	};
	window.block = (time) => { // the page does nothing else, and needs no processor
		const request = new XMLHttpRequest();
		request.open("GET", "/slow?ms=" + time, false);
		request.send();
	};
	%s
	return 0;
})()`

func timed(ms int) verbs.TimeoutIn { return verbs.TimeoutIn{Timeout: ms} }

// No input is sent to an element to find out whether the element is ready.
func TestWaitingSendsNoInput(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/form"))
	for _, tt := range []struct{ name, before string }{
		{"disabled", `go.disabled = name.disabled = true`},
		{"hidden", `go.style.display = name.style.display = "none"`},
		{"covered", `const c = document.createElement("div"); c.style = "position: fixed; inset: 0"; document.body.append(c); name.disabled = true`},
		{"moving", `let x = 0; (function move() { go.style.translate = ++x + "px"; requestAnimationFrame(move); })(); name.disabled = true`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			eval(t, s, fmt.Sprintf(oncePage, tt.before))
			for name, act := range map[string]func() error{
				"click": func() error {
					_, _, err := ask(t, s, verbs.Click, verbs.ClickIn{Element: element("#go"), TimeoutIn: timed(700)})
					return err
				},
				"dblclick": func() error {
					_, _, err := ask(t, s, verbs.Dblclick, verbs.ElementIn{Element: element("#go"), TimeoutIn: timed(700)})
					return err
				},
				"type": func() error {
					_, _, err := ask(t, s, verbs.Type, verbs.TypeIn{Element: element("#name"), Text: "text", TimeoutIn: timed(700)})
					return err
				},
			} {
				// On a busy machine the time may be over before the page has responded once.
				if err := act(); !errors.Is(err, wire.CodeNotActionable) && !errors.Is(err, wire.CodeTimeout) {
					t.Errorf("%s: %v, want %s", name, err, wire.CodeNotActionable)
				}
			}
			if got := eval(t, s, "input"); got != "0" {
				t.Errorf("the window got %s events", got)
			}
		})
	}
}

// A click is confirmed if the element gets a click event. If the page moves or covers the element
// while the mouse button is pressed, the element gets no click event, and the result is unknown.
// There is one exception: if the page cancels the press by preventDefault, the click counts as
// done.
func TestClickIsConfirmed(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	for _, tt := range []struct {
		name, does string
		known      bool
		clicks     string
	}{
		{"it moves away under the button", `go.onmousedown = () => { go.style = "position: absolute; top: 300px" }`, false, "0"},
		{"a cover comes under the button", `go.onmousedown = () => document.body.insertAdjacentHTML("beforeend", "<div style='position: fixed; inset: 0'></div>")`, false, "0"},
		{"the page handles the press", `go.onmousedown = (e) => { e.preventDefault(); go.style = "position: absolute; top: 300px" }`, true, "0"},
		{"the page keeps the click from all that listen later", `addEventListener("click", (e) => { clicks++; e.stopImmediatePropagation() }, true)`, true, "1"},
		{"the page keeps the click from all that listen later, and is busy", `addEventListener("click", (e) => { clicks++; e.stopImmediatePropagation(); setTimeout(() => block(60)) }, true)`, true, "1"},
		{"the click sends the page away", `go.onclick = () => { location.href = "/form?sent" }`, true, ""},
		{"the click opens a dialog", `go.onclick = () => { alert("clicked") }`, true, "1"},
		{"the click closes the page's access to itself", `go.onclick = () => { document.body.innerHTML = "" }`, true, "1"},
	} {
		for _, way := range []struct {
			name      string
			modifiers []string
		}{{"at once", nil}, {"by the driver", []string{"Alt"}}} {
			t.Run(tt.name+" "+way.name, func(t *testing.T) {
				open(t, s, web.URL("/form"))
				eval(t, s, fmt.Sprintf(oncePage, tt.does))
				_, _, err := ask(t, s, verbs.Click, verbs.ClickIn{Element: element("#go"), Modifiers: way.modifiers})
				if tt.known && err != nil || !tt.known && !errors.Is(err, wire.CodeResultUnknown) {
					t.Errorf("the click: %v, known is %v", err, tt.known)
				}
				if tt.clicks == "" {
					return
				}
				if got := eval(t, s, "clicks"); got != tt.clicks {
					t.Errorf("the page counted %s clicks, want %s", got, tt.clicks)
				}
			})
		}
	}
}

// A click by a ref is confirmed in each frame of the page too, whatever its origin. The frames are the
// page's own, one of another origin, and one of another origin inside a frame.
func TestClickIsConfirmedInFrames(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	for _, tt := range []struct {
		name  string
		outer []string // the frames from the outermost one to the button's
	}{
		{"same", []string{"#same"}}, {"cross", []string{"#cross"}}, {"deep", []string{"#nest", "iframe"}},
	} {
		for _, modifiers := range [][]string{nil, {"Alt"}} { // at once, and by the driver
			t.Run(fmt.Sprint(tt.name, modifiers), func(t *testing.T) {
				open(t, s, web.URL("/frames"))
				button := element(refOf(t, snapshot(t, s), "button", "Button "+tt.name))
				do(t, s, verbs.Click, verbs.ClickIn{Element: button, Modifiers: modifiers})
				for _, frame := range tt.outer {
					do(t, s, verbs.FrameSelect, verbs.FrameIn{Selector: frame})
				}
				if got, want := eval(t, s, "out.textContent"), fmt.Sprintf("%q", "clicked "+tt.name); got != want {
					t.Errorf("after a click the frame shows %s, want %s", got, want)
				}
				eval(t, s, `(() => {
					out.textContent = "";
					document.querySelector("button").onmousedown = (e) => { e.target.style = "position: absolute; top: 100px" };
				})()`)
				do(t, s, verbs.FrameMain, verbs.Empty{})
				_, _, err := ask(t, s, verbs.Click, verbs.ClickIn{Element: button, Modifiers: modifiers})
				if !errors.Is(err, wire.CodeResultUnknown) {
					t.Errorf("a click on a button that moves away when it is pressed: %v, want %s", err, wire.CodeResultUnknown)
				}
			})
		}
	}
}

// If a script moves an element, a click on the element waits until it has stopped.
func TestMovedByAScript(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	for _, tt := range []struct{ name, before string }{
		{"by frames", `(function move() { if (performance.now() > end) return moving = false; go.style.left = ++x + "px"; requestAnimationFrame(move); })()`},
		{"by an interval", `const timer = setInterval(() => { if (performance.now() > end) return clearInterval(timer), moving = false; go.style.left = ++x + "px"; }, 20)`},
		{"by a style sheet", `const sheet = new CSSStyleSheet(); document.adoptedStyleSheets = [sheet]; sheet.replaceSync("#go { left: 0 }");
			(function move() { if (performance.now() > end) return moving = false; sheet.cssRules[0].style.left = ++x + "px"; name.dataset.x = x; requestAnimationFrame(move); })()`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			open(t, s, web.URL("/form"))
			eval(t, s, fmt.Sprintf(oncePage, `let x = 0, moving = true; window.early = 0; const end = performance.now() + 900; go.style.position = "relative";
				go.addEventListener("pointerdown", () => early += moving);`+tt.before))
			do(t, s, verbs.Click, verbs.ClickIn{Element: element("#go")})
			if got := eval(t, s, `clicks + " " + early`); got != `"1 0"` {
				t.Errorf("clicks, and presses while it moved: %s", got)
			}
		})
	}
}

// Input that the browser withholds from the page while a dialog is open is sent again.
func TestInputDuringADialog(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/form"))
	do(t, s, verbs.PolicyDialog, verbs.DialogPolicyIn{Mode: "accept"})
	for delay := 0; delay < 60; delay += 6 {
		eval(t, s, fmt.Sprintf(oncePage, fmt.Sprintf(`name.focus(); setTimeout(() => alert("open"), %d)`, delay)))
		_, _, err := ask(t, s, verbs.Press, verbs.PressIn{Key: "a"})
		got := eval(t, s, "keys")
		if err == nil && got != "1" || err != nil && !errors.Is(err, wire.CodeResultUnknown) {
			t.Errorf("with an alert after %d ms: the page counted %s keys, and the error is %v", delay, got, err)
		}
	}
}

// A script that is sent to a busy page does not start after its command's time is over. If a
// script is stopped, its result is unknown.
func TestScriptIsBegunInTime(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/form"))
	eval(t, s, fmt.Sprintf(oncePage, `fetch("/gate/block").then(() => { report("block"); block(4000); })`))
	text(t, s, "#go") // waits until it is known that the script has not navigated, so that the eval below need not
	web.Open("block")
	counts(t, web, "block")()
	fails(t, s, verbs.Eval, verbs.EvalIn{Script: "clicks++", TimeoutIn: timed(300)}, wire.CodeTimeout)
	if got := eval(t, s, "clicks"); got != "0" { // the page runs scripts in the order of their arrival, so the earlier one would have run
		t.Errorf("the script that timed out ran %s times", got)
	}
	fails(t, s, verbs.Eval, verbs.EvalIn{Script: "clicks++; new Promise(() => {})", TimeoutIn: timed(300)}, wire.CodeResultUnknown)
	if got := eval(t, s, "clicks"); got != "1" {
		t.Errorf("the script that was stopped ran %s times", got)
	}
}

// killedDuring runs an action, and kills the session's driver as soon as moment() returns. It
// returns the action's error.
func killedDuring(t *testing.T, s *daemontest.Session, moment func(), act func() error) error {
	t.Helper()
	pid := sharedDriver(t)
	done := make(chan error, 1)
	go func() { done <- act() }()
	awaitState(t, s, "busy")
	moment()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	return <-done
}

// If the driver is killed in the wait phase of an action, the next driver performs the action,
// once. If it is killed in the act phase, the action's result is unknown. The listeners that the
// dead driver has left in the page do not block later input.
func TestDriverIsKilledInAnAction(t *testing.T) {
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/form"))
	click := func() error {
		_, _, err := ask(t, s, verbs.Click, verbs.ClickIn{Element: element("#go"), Modifiers: []string{"Alt"}, TimeoutIn: timed(10_000)})
		return err
	}
	eval(t, s, fmt.Sprintf(oncePage, "go.disabled = true; setTimeout(() => go.disabled = false, 4000)"))
	if err := killedDuring(t, s, func() { time.Sleep(500 * time.Millisecond) }, click); err != nil {
		t.Errorf("killed in the wait phase: %v", err)
	}
	if got := eval(t, s, "clicks"); got != "1" {
		t.Errorf("the button was clicked %s times", got)
	}
	for _, tt := range []struct{ event, clicks string }{
		{"mousedown", "1"},
		// Alt is pressed before the mouse button. The driver's listeners are in the page by
		// then, and have seen no mouse event yet.
		{"keydown", "0"},
	} {
		// The driver sends the press and the release of the mouse button one after the other. The page
		// reports the press late, so that the driver is not killed between the two.
		eval(t, s, fmt.Sprintf(oncePage, fmt.Sprintf(`addEventListener("%[1]s", () => { block(1000); report("%[1]s"); block(1500); }, { once: true })`, tt.event)))
		if err := killedDuring(t, s, counts(t, web, tt.event), click); !errors.Is(err, wire.CodeResultUnknown) {
			t.Errorf("killed at %s: %v, want %s", tt.event, err, wire.CodeResultUnknown)
		}
		if got := eval(t, s, "clicks"); got != tt.clicks {
			t.Errorf("killed at %s: clicked %s times, want %s", tt.event, got, tt.clicks)
		}
		do(t, s, verbs.Click, verbs.ClickIn{Element: element("#other")})
		if got := eval(t, s, "others"); got != "1" {
			t.Errorf("killed at %s: the other button was clicked %s times, want 1", tt.event, got)
		}
	}
}

// The command's time limit applies only to the wait phase. Typing that has begun in time is
// completed. In this test the time limit is 3 s, and typing 52 characters at 100 ms each takes 5 s.
func TestTypingIsDoneInWhole(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/form"))
	eval(t, s, fmt.Sprintf(oncePage, ""))
	const text = "typing takes longer than the time for the wait phase"
	do(t, s, verbs.Type, verbs.TypeIn{Element: element("#name"), Text: text, Delay: 100, TimeoutIn: timed(3000)})
	if got := eval(t, s, `document.querySelector("#name").value`); got != fmt.Sprintf("%q", text) {
		t.Errorf("the field has %s", got)
	}
}

// Typing ends when the page navigates: the keys were meant for a field of the old document, and
// the new document may give the focus to another field.
func TestTypingEndsWithTheDocument(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/form"))
	eval(t, s, fmt.Sprintf(oncePage, `name.addEventListener("input", () => name.value.length === 5 && location.reload())`))
	text := strings.Repeat("text ", 20)
	_, _, err := ask(t, s, verbs.Type, verbs.TypeIn{Element: element("#name"), Text: text, Delay: 30})
	if !errors.Is(err, wire.CodeResultUnknown) || !strings.Contains(err.Error(), "the page navigated after") {
		t.Fatalf("type = %v, want that it is not known", err)
	}
	var typed int
	_, counted, _ := strings.Cut(err.Error(), "the page navigated ")
	if _, scanErr := fmt.Sscanf(counted, "after %d of", &typed); scanErr != nil || typed > 50 {
		t.Errorf("type = %v, want that it ended early", err)
	}
}

// If the page removes the field during the typing, the remaining keys are not sent, because they
// could trigger the page's shortcuts.
func TestTypingIntoARemovedField(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/form"))
	eval(t, s, fmt.Sprintf(oncePage, `
		window.shortcuts = "";
		document.addEventListener("keydown", (e) => { if (e.target === document.body) shortcuts += e.key; });
		name.addEventListener("input", () => name.value.length === 3 && name.remove());`))
	_, _, err := ask(t, s, verbs.Type, verbs.TypeIn{Element: element("#name"), Text: "delete all", Delay: 20})
	if !errors.Is(err, wire.CodeResultUnknown) {
		t.Errorf("type = %v, want %s", err, wire.CodeResultUnknown)
	}
	do(t, s, verbs.Press, verbs.PressIn{Key: "k"})
	if got := eval(t, s, "shortcuts"); got != `"k"` {
		t.Errorf("the page got the shortcuts %s, want those of the press", got)
	}
}

// The verb check succeeds even if the page replaces the checkbox when it is clicked, as some
// frameworks do.
func TestCheckOfWhatIsReplaced(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/form"))
	eval(t, s, fmt.Sprintf(oncePage, `
		window.changes = 0;
		document.body.innerHTML = "<input type=checkbox id=box>";
		document.querySelector("#box").onchange = (e) => {
			changes++;
			const next = document.createElement("input");
			Object.assign(next, { type: "checkbox", id: "box", checked: true });
			e.target.replaceWith(next);
		}`))
	do(t, s, verbs.Check, verbs.ElementIn{Element: element("#box")})
	if got := eval(t, s, "changes"); got != "1" {
		t.Errorf("the checkbox changed %s times", got)
	}
}
