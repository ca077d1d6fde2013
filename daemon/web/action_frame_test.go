package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// A click in a frame of another origin, inside a frame, whose input did not arrive in that frame is
// not reported as done. The frame is hidden when the mouse has come over it, before the press.
func TestClickThatAFrameDoesNotSee(t *testing.T) {
	t.Parallel()
	s := home.Start(t)
	var clicked atomic.Bool
	over, hidden := make(chan struct{}), make(chan struct{}) // closed when the mouse is over the frame, and when the frame is hidden
	closeOver, closeHidden := sync.OnceFunc(func() { close(over) }), sync.OnceFunc(func() { close(hidden) })
	await := func(r *http.Request, event chan struct{}) {
		select {
		case <-event:
		case <-r.Context().Done():
		}
	}
	var web *httptest.Server
	web = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		const frame = `<iframe src="%s" style="width: 400px; height: 200px"></iframe>`
		switch r.URL.Path {
		case "/":
			_, _ = fmt.Fprintf(w, frame, "/middle")
		case "/middle":
			_, _ = fmt.Fprintf(w, frame+`<script>
				const frames = (n, then) => (n ? requestAnimationFrame(() => frames(n - 1, then)) : then());
				fetch("/over").then(() => {
					document.querySelector("iframe").style.display = "none";
					frames(5, () => fetch("/hidden"));
				})</script>`, strings.Replace(web.URL, "127.0.0.1", "localhost", 1)+"/inner")
		case "/inner":
			_, _ = fmt.Fprint(w, `<button onclick="fetch('/clicked')">Go</button><script>
				addEventListener("pointermove", () => {
					const request = new XMLHttpRequest(); // the page does nothing else until the frame is hidden
					request.open("GET", "/wait", false);
					request.send();
				}, { once: true })</script>`)
		case "/over":
			await(r, over)
		case "/wait":
			closeOver()
			await(r, hidden)
		case "/hidden":
			closeHidden()
		case "/clicked":
			clicked.Store(true)
		}
	}))
	t.Cleanup(web.Close)
	open(t, s, web.URL)
	button := refOf(t, snapshot(t, s), "button", "Go")
	fails(t, s, verbs.Click, verbs.ClickIn{Element: element(button), TimeoutIn: timed(3000)}, wire.CodeResultUnknown)
	if clicked.Load() {
		t.Error("the frame saw the click, so this test shows nothing")
	}
}
