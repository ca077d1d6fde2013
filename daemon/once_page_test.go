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
