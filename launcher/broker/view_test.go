package broker

import (
	"bytes"
	"fmt"
	"image/jpeg"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// A person sees how a page is after it has changed more often than pictures are taken of it.
func TestViewShowsTheLastChange(t *testing.T) {
	t.Parallel()
	r := start(t, wire.Settings{})
	page := r.connect("a").open()
	page.show(r.site.URL, `<body style="background: white">`)
	var newest verbs.View
	look(r, &newest, 10_000)
	page.eval(`new Promise(done => { let n = 0; (function change() {
		document.body.style.background = n++ % 2 ? "rgb(255,0,0)" : "rgb(0,255,0)";
		if (n < 20) return requestAnimationFrame(change);
		document.body.style.background = "rgb(0,0,255)";
		requestAnimationFrame(() => requestAnimationFrame(done));
	})() })`)
	until(t, "the newest picture is blue", func() bool {
		look(r, &newest, 1000)
		return isBlue(t, newest)
	})
}

// look waits for a picture of tab t1 of session a that is newer than the newest one, and stores it.
func look(r *rig, newest *verbs.View, wait int) {
	in := verbs.ViewIn{Session: "a", Tab: "t1", Width: 320, After: newest.Number, Wait: wait}
	if next := ask(r, verbs.BrokerView, in); len(next.JPEG) > 0 {
		*newest = next
	}
}

// isBlue reports whether a picture is blue.
func isBlue(t *testing.T, v verbs.View) bool {
	t.Helper()
	if len(v.JPEG) == 0 {
		return false
	}
	image, err := jpeg.Decode(bytes.NewReader(v.JPEG))
	if err != nil {
		t.Fatal(err)
	}
	red, green, blue, _ := image.At(20, 20).RGBA()
	return red < 0x4000 && green < 0x4000 && blue > 0xb000
}

// A person who looks at a page that was just opened waits for its first picture.
func TestViewOfANewPage(t *testing.T) {
	t.Parallel()
	r := start(t, wire.Settings{})
	a := r.connect("a")
	for n := 1; n <= 10; n++ {
		if a.open(); len(ask(r, verbs.BrokerView, verbs.ViewIn{Session: "a", Tab: fmt.Sprintf("t%d", n), Width: 320, Wait: 20_000}).JPEG) == 0 {
			t.Fatalf("there is no picture of tab %d", n)
		}
	}
}

// The view of a page that does not change goes on, without a new picture, as long as a request waits.
func TestViewOfAStillPage(t *testing.T) {
	t.Parallel()
	r := start(t, wire.Settings{})
	r.connect("a").open().show(r.site.URL, "<title>still</title>")
	var newest verbs.View
	until(t, "the page is drawn", func() bool {
		before := newest.Number
		look(r, &newest, 1000)
		return newest.Number > 0 && newest.Number == before
	})
	before := newest.Number
	if look(r, &newest, int(2*viewTime.Milliseconds())); newest.Number != before {
		t.Error("there is a new picture")
	}
}

// The view of a page goes on after the page has crashed and was opened again, and after it has moved
// to another process.
func TestViewAfterACrash(t *testing.T) {
	t.Parallel()
	r := start(t, wire.Settings{})
	page := r.connect("a").open()
	paint := func(site, color string) {
		page.show(site, `<body style="background: `+color+`">`)
	}
	paint(r.site.URL, "red")
	var newest verbs.View
	look(r, &newest, 10_000)
	blue := func() bool {
		look(r, &newest, 1000)
		return isBlue(t, newest)
	}
	paint(strings.Replace(r.site.URL, "127.0.0.1", "localhost", 1), "blue")
	until(t, "the page in another process is shown", blue)
	paint(r.site.URL, "red")
	page.peer.mu.Lock()
	page.peer.sendLocked(page.session, "Page.crash", nil) // Chromium does not respond
	page.peer.mu.Unlock()
	until(t, "the page has crashed", func() bool { return ask(r, verbs.BrokerTabs, verbs.TabsIn{Session: "a"}).Tabs[0].Crashed })
	paint(r.site.URL, "blue")
	until(t, "the page after the crash is shown", blue)
}
