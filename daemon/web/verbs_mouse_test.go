package web_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/daemon/daemontest"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// logOf returns a script that shows html, and records each of the given events in window.log.
func logOf(html string, events ...string) string {
	return fmt.Sprintf(`(() => {
		document.body.innerHTML = %q;
		window.log = [];
		for (const type of %q.split(" ")) addEventListener(type, (e) => log.push([type, e.button ?? e.key ?? "", e.shiftKey ? "shift" : ""].filter((x) => x !== "").join(":")), true);
		return 0;
	})()`, html, strings.Join(events, " "))
}

func TestMouse(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/page/one"))
	eval(t, s, logOf("", "mousedown", "mouseup", "click", "contextmenu", "wheel")+`; addEventListener("mousemove", (e) => window.at = [e.clientX, e.clientY, e.buttons].join()); 0`)
	if out := do(t, s, verbs.MouseMove, verbs.MouseMoveIn{X: 120, Y: 80}); !out.Moved || out.X != 120 || out.Y != 80 {
		t.Errorf("mouse move = %+v", out)
	}
	do(t, s, verbs.MouseDown, verbs.MouseButtonIn{})
	do(t, s, verbs.MouseMove, verbs.MouseMoveIn{X: 130, Y: 90, Steps: 3})
	if got := eval(t, s, "at"); got != `"130,90,1"` {
		t.Errorf("with the button pressed the mouse is at %s", got)
	}
	do(t, s, verbs.MouseUp, verbs.MouseButtonIn{})
	do(t, s, verbs.MouseDown, verbs.MouseButtonIn{Button: "right"})
	do(t, s, verbs.MouseUp, verbs.MouseButtonIn{Button: "right"})
	if out := do(t, s, verbs.MouseWheel, verbs.MouseWheelIn{Down: -40, Right: 3}); out.Down != -40 || out.Right != 3 {
		t.Errorf("mouse wheel = %+v", out)
	}
	if got := eval(t, s, "log.join()"); got != `"mousedown:0,mouseup:0,click:0,mousedown:2,contextmenu:2,mouseup:2,wheel:0"` {
		t.Errorf("the page got %s", got)
	}
	fails(t, s, verbs.MouseDown, verbs.MouseButtonIn{Button: "fourth"}, wire.CodeBadInput)
	fails(t, s, verbs.MouseMove, verbs.MouseMoveIn{X: 1, Y: 1, Steps: 100_000}, wire.CodeBadInput)
}

func TestScrollIntoView(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/page/one"))
	eval(t, s, `document.body.innerHTML = '<p style="height: 5000px">tall</p><b id="far">far</b><i id="none" hidden>none</i>', 0`)
	do(t, s, verbs.ScrollIntoView, verbs.ElementIn{Element: element("#far")})
	if got := eval(t, s, `(({top, bottom}) => top >= 0 && bottom <= innerHeight)(document.querySelector("#far").getBoundingClientRect())`); got != "true" {
		t.Error("the element is not in view")
	}
	fails(t, s, verbs.ScrollIntoView, verbs.ElementIn{Element: element("#none"), TimeoutIn: verbs.TimeoutIn{Timeout: 4000}}, wire.CodeNotActionable)
	fails(t, s, verbs.ScrollIntoView, verbs.ElementIn{Element: element("#nowhere"), TimeoutIn: verbs.TimeoutIn{Timeout: 4000}}, wire.CodeNotFound)
}

const (
	boxes = `<div id="a" style="width: 90px; height: 40px; background: red">a</div><div style="height: 60px"></div><div id="b" style="width: 200px; height: 90px; background: blue">b</div>`
	// native is a script for a page with an element that the browser itself drags.
	native = `a.draggable = true;
		a.addEventListener("dragstart", (e) => { e.dataTransfer.setData("text/plain", "from a"); log.push("dragstart"); });
		b.addEventListener("dragover", (e) => e.preventDefault());
		b.addEventListener("drop", (e) => { e.preventDefault(); log.push("drop " + e.dataTransfer.getData("text/plain")); });`
	// captured is a script for a page that follows the mouse by pointer events, as sliders do. Like
	// many libraries, it begins a drag only after some pixels.
	captured = `let from;
		a.addEventListener("pointerdown", (e) => { from = e; a.setPointerCapture(e.pointerId); });
		a.addEventListener("pointermove", (e) => { if (from && Math.hypot(e.clientX - from.clientX, e.clientY - from.clientY) > 5 && !log.length) log.push("began"); });
		a.addEventListener("pointerup", (e) => { const { left, right, top, bottom } = b.getBoundingClientRect(); if (log.length && e.clientX > left && e.clientX < right && e.clientY > top && e.clientY < bottom) log.push("dropped"); from = undefined; });`
	// sorted is a script for a list that reorders itself during the drag, as sortable lists do.
	sorted = `document.body.innerHTML = '<ul id="list"><li id="a">a</li><li>m</li><li id="b">b</li></ul>';
		let dragged;
		list.addEventListener("mousedown", (e) => { dragged = e.target; e.preventDefault(); });
		addEventListener("mousemove", (e) => { const over = e.target.closest?.("li"); if (dragged && over && over !== dragged) { const below = dragged.compareDocumentPosition(over) & 4; list.insertBefore(dragged, below ? over.nextSibling : over); } });
		addEventListener("mouseup", () => { if (dragged) log.push([...list.children].map((li) => li.textContent).join("")); dragged = undefined; });`
)

func TestDrag(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/page/one"))
	for _, tt := range []struct{ name, page, want string }{
		{"an element that the browser drags", native, "dragstart,drop from a"},
		{"a page that captures the pointer", captured, "began,dropped"},
		{"a list that reorders itself", sorted, "mba"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			eval(t, s, fmt.Sprintf("(() => { document.body.innerHTML = %q; window.log = []; const a = document.querySelector('#a'), b = document.querySelector('#b'); %s; return 0 })()", boxes, tt.page))
			out := do(t, s, verbs.Drag, verbs.DragIn{Source: "#a", Target: "#b"})
			if !out.Dragged || out.Source != "#a" || out.Target != "#b" {
				t.Errorf("drag = %+v", out)
			}
			if got := eval(t, s, "log.join()"); got != fmt.Sprintf("%q", tt.want) {
				t.Errorf("the page saw %s, want %s", got, tt.want)
			}
		})
	}
}

// If an element cannot be dropped on, the error names the element, and the mouse button is never
// pressed. If the target disappears after the press, the button is released.
func TestDragToNothing(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/page/one"))
	eval(t, s, fmt.Sprintf("(() => { document.body.innerHTML = %q + '<p id=hidden hidden></p>'; window.log = []; const b = document.querySelector('#b'); for (const type of ['mousedown', 'mouseup']) addEventListener(type, () => log.push(type)); return 0 })()", boxes))
	short := verbs.TimeoutIn{Timeout: 4000}
	for target, code := range map[string]wire.Code{"#nowhere": wire.CodeNotFound, "#hidden": wire.CodeNotActionable} {
		if err := fails(t, s, verbs.Drag, verbs.DragIn{Source: "#a", Target: target, TimeoutIn: short}, code); !strings.Contains(err.Message, target) {
			t.Errorf("the error is %q, want it to name %s", err.Message, target)
		}
	}
	if err := fails(t, s, verbs.Drag, verbs.DragIn{Source: "#gone", Target: "#b", TimeoutIn: short}, wire.CodeNotFound); !strings.Contains(err.Message, "#gone") {
		t.Errorf("the error is %q", err.Message)
	}
	fails(t, s, verbs.Drag, verbs.DragIn{Source: "#a", Target: "h1["}, wire.CodeBadInput)
	if got := eval(t, s, "log.join()"); got != `""` {
		t.Errorf("the page got %s", got)
	}
	// The target goes away when the drag begins.
	eval(t, s, `document.querySelector("#a").addEventListener("mousedown", () => document.querySelector("#b").remove()), 0`)
	fails(t, s, verbs.Drag, verbs.DragIn{Source: "#a", Target: "#b", TimeoutIn: short}, wire.CodeResultUnknown)
	if got := eval(t, s, "log.join()"); got != `"mousedown,mouseup"` {
		t.Errorf("the page got %s", got)
	}
}

// A swipe scrolls the page as far as the finger moves, and not further because of momentum, also while
// the page or the machine is busy.
func TestSwipeHasNoMomentum(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/tall"))
	const distance, tolerance = 300, 100 // busy pages lose one or two of the eight movements
	for _, busy := range []int{0, 10, 30} {
		eval(t, s, fmt.Sprintf(`clearInterval(window.busy); document.body.style.height = "5000px"; scrollTo(0, 1000);
			window.busy = setInterval(() => { const until = performance.now() + %d; while (performance.now() < until); }, 16); 1`, busy))
		for range 2 {
			do(t, s, verbs.Swipe, verbs.SwipeIn{Direction: "up", Distance: distance})
			first := settled(t, s)
			do(t, s, verbs.Swipe, verbs.SwipeIn{Direction: "down", Distance: distance})
			second := settled(t, s)
			if up, down := first-1000, first-second; math.Abs(up-distance) > tolerance || math.Abs(down-distance) > tolerance {
				t.Errorf("busy for %d ms of each 16 ms: a swipe of %d scrolls by %v, and one in the other direction by %v", busy, distance, up, down)
			}
			eval(t, s, "scrollTo(0, 1000); 1")
		}
	}
}

// settled returns how far the page is scrolled, once it has been the same for 300 ms.
func settled(t testing.TB, s *daemontest.Session) float64 {
	t.Helper()
	y, err := strconv.ParseFloat(eval(t, s, `new Promise((done) => {
		let last = -1, since = 0;
		const look = setInterval(() => {
			if (scrollY != last) { last = scrollY; since = performance.now(); }
			if (performance.now() - since > 300) { clearInterval(look); done(scrollY); }
		}, 20);
	})`), 64)
	if err != nil {
		t.Fatal(err)
	}
	return y
}
