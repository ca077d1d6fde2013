package daemon_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/wire"
)

// A box that the page checks or replaces by itself ends up as asked for, clicked once at most.
func TestCheckOfABoxThatChanges(t *testing.T) {
	s, web := home.Start(t), site.Start(t)
	for _, tt := range []struct{ name, before, clicks string }{
		{"the page checks it while it is waited for", `box.disabled = true; setTimeout(() => { box.checked = true; box.disabled = false }, 500)`, "0"},
		{"the page checks it while it moves", `let x = 0; box.style.position = "relative"; (function move() { box.style.left = ++x + "px"; if (x < 60) requestAnimationFrame(move); else box.checked = true })()`, "0"},
		{"the page replaces it when it is clicked", `box.onchange = () => { box.outerHTML = '<input type="checkbox" id="box" checked>' }`, "1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			open(t, s, web.URL("/form"))
			eval(t, s, fmt.Sprintf(oncePage, `go.insertAdjacentHTML("afterend", '<input type="checkbox" id="box">'); const box = document.querySelector("#box");
				box.onclick = () => clicks++;`+tt.before))
			if _, _, err := ask(t, s, wire.Check, wire.ElementIn{Element: element("#box")}); err != nil {
				t.Errorf("check: %v", err)
			}
			if got := eval(t, s, `clicks + " " + document.querySelector("#box").checked`); got != fmt.Sprintf("%q", tt.clicks+" true") {
				t.Errorf("clicks, and whether it is checked: %s", got)
			}
		})
	}
}

// The keys of a chord that the page does not acknowledge in time are released before the
// next command.
func TestKeysAreReleased(t *testing.T) {
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/form"))
	eval(t, s, fmt.Sprintf(oncePage, `let once = 0; addEventListener("keydown", () => once++ || spin(8000))`))
	fails(t, s, wire.Press, wire.PressIn{Key: "Control+b", Waits: timed(2500)}, wire.CodeResultUnknown)
	do(t, s, wire.Type, wire.TypeIn{Element: element("#name"), Text: "abc"})
	if got := eval(t, s, `document.querySelector("#name").value`); got != `"abc"` {
		t.Errorf("the field has %s", got)
	}
}

// A chord with a key that does not exist sends nothing.
func TestPressOfAnUnknownKey(t *testing.T) {
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/form"))
	eval(t, s, fmt.Sprintf(oncePage, "name.focus()"))
	for _, key := range []string{"a+", "Control+", "Control+a+", "Control+nokey", "nokey"} {
		eval(t, s, "input = 0")
		fails(t, s, wire.Press, wire.PressIn{Key: key}, wire.CodeBadInput)
		if got := eval(t, s, "input"); got != "0" {
			t.Errorf("press %q sent %s events", key, got)
		}
	}
	do(t, s, wire.Press, wire.PressIn{Key: "Shift++"})
	do(t, s, wire.Press, wire.PressIn{Key: "+"})
	if got := eval(t, s, `document.querySelector("#name").value`); got != `"++"` {
		t.Errorf("the field has %s", got)
	}
}
