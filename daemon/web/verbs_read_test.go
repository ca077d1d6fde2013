package web_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// While a page replaces its document again and again, a command finds an element that each document
// has. On a busy machine a short-lived document is gone before the command can ask it, so every
// fourth document lives longer. A command that nevertheless runs out of time must report a timeout,
// and not a wrong answer.
func TestReadWhileThePageReloads(t *testing.T) {
	t.Parallel()
	s := home.Start(t)
	var documents atomic.Int64
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		lifetime := 80 // milliseconds
		// Count only requests for the document. The browser also requests an icon with each
		// document. If those were counted too, every fourth request could be one for the icon.
		if r.URL.Path == "/" && documents.Add(1)%4 == 0 {
			lifetime = 1000
		}
		_, _ = fmt.Fprintf(w, `<p id="there">there</p><script>setTimeout(() => location.reload(), %d)</script>`, lifetime)
	}))
	t.Cleanup(web.Close)
	open(t, s, web.URL)
	in := verbs.GetIn{Element: element("#there")}
	answers := 0
	for end := time.Now().Add(8 * time.Second); time.Now().Before(end); {
		count, _, err := ask(t, s, verbs.GetCount, in)
		if err == nil {
			answers++
		}
		if err == nil && count.Count != 1 || err != nil && !errors.Is(err, wire.CodeTimeout) {
			t.Errorf("get count = %d, %v, want 1", count.Count, err)
		}
		is, _, err := ask(t, s, verbs.IsVisible, in)
		if err == nil && !is.Visible || err != nil && !errors.Is(err, wire.CodeTimeout) {
			t.Errorf("is visible = %t, %v, want true", is.Visible, err)
		}
	}
	if answers == 0 {
		t.Error("get count never answers")
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/form"))
	in := func(selector string) verbs.GetIn { return verbs.GetIn{Element: element(selector)} }
	if got := do(t, s, verbs.GetText, in("h1")); got.Value != "Form" || got.Origin != web.URL("/form") {
		t.Errorf("get text h1 = %+v", got)
	}
	if got := do(t, s, verbs.GetHTML, in("#hover")).HTML; got != "Hover" {
		t.Errorf("get html = %q", got)
	}
	if got := do(t, s, verbs.GetValue, in("#name")).Value; got != "init" {
		t.Errorf("get value = %q", got)
	}
	if got := do(t, s, verbs.GetAttr, verbs.GetAttrIn{Element: element("#name"), Attribute: "placeholder"}).Value; got == nil || *got != "Your name" {
		t.Errorf("get attr placeholder = %v", got)
	}
	if got := do(t, s, verbs.GetAttr, verbs.GetAttrIn{Element: element("#name"), Attribute: "nope"}).Value; got != nil {
		t.Errorf("get attr of a missing attribute = %q, want null", *got)
	}
	if got := do(t, s, verbs.GetCount, in("option")).Count; got != 6 {
		t.Errorf("get count option = %d, want 6", got)
	}
	if got := do(t, s, verbs.GetCount, in("#nope")).Count; got != 0 {
		t.Errorf("get count #nope = %d, want 0", got)
	}
	if got := do(t, s, verbs.GetBox, in("h1")); got.Width < 100 || got.Height < 10 {
		t.Errorf("get box = %+v", got)
	}
	if got := do(t, s, verbs.GetStyles, in("h1")).Styles["display"]; got != "block" {
		t.Errorf("get styles: display = %q", got)
	}
	if got := do(t, s, verbs.IsVisible, in("h1")).Visible; !got {
		t.Error("is visible h1 = false")
	}
	if got := do(t, s, verbs.IsEnabled, in("#send")).Enabled; !got {
		t.Error("is enabled #send = false")
	}
	if do(t, s, verbs.IsChecked, in("#agree")).Checked || !do(t, s, verbs.IsChecked, in("#small")).Checked || do(t, s, verbs.IsChecked, in("h1")).Checked {
		t.Error("is checked is wrong")
	}
	if got := do(t, s, verbs.GetText, in("//h1")).Value; got != "Form" {
		t.Errorf("get text //h1 = %q", got)
	}
	if got := do(t, s, verbs.GetText, in("role=button[name=Hover]")).Value; got != "Hover" {
		t.Errorf("get text role=button = %q", got)
	}
	fails(t, s, verbs.GetText, in("#nope"), wire.CodeNotFound)
	fails(t, s, verbs.IsVisible, in("#nope"), wire.CodeNotFound)
	fails(t, s, verbs.GetValue, in("h1"), wire.CodeNotActionable)
	fails(t, s, verbs.GetText, in(" "), wire.CodeBadInput)
	fails(t, s, verbs.GetText, in("h1["), wire.CodeBadInput)
	fails(t, s, verbs.GetCount, in("h1["), wire.CodeBadInput)
}

func TestEval(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/"))
	for _, tt := range []struct{ script, want, unserializable string }{
		{"1 + 1", "2", ""},
		{"'x<y'", `"x<y"`, ""},
		{`({guid: "x", a: [1, {guid: 2}]})`, `{"guid":"x","a":[1,{"guid":2}]}`, ""},
		{"NaN", "null", "NaN"},
		{"-0", "null", "-0"},
		{"10n", "null", "10n"},
		{"undefined", "null", ""},
		{"null", "null", ""},
		{"Promise.resolve(7)", "7", ""},
		{"await new Promise(r => setTimeout(() => r('late'), 30))", `"late"`, ""},
		{"const a = 1; a + 2", "3", ""},
		{"const a = 2; a + 2", "4", ""},
		{"(() => 1)", "null", ""},
	} {
		out := do(t, s, verbs.Eval, verbs.EvalIn{Script: tt.script})
		if got := strings.ReplaceAll(string(out.Result), `\u003c`, "<"); got != tt.want || out.Unserializable != tt.unserializable {
			t.Errorf("eval %s = %s %q, want %s %q", tt.script, out.Result, out.Unserializable, tt.want, tt.unserializable)
		}
	}
	if got := string(do(t, s, verbs.Eval, verbs.EvalIn{Script: "MSsx", Base64: true}).Result); got != "2" {
		t.Errorf("eval -b = %s", got)
	}
	fails(t, s, verbs.Eval, verbs.EvalIn{Script: "throw new Error('x')"}, wire.CodeEvaluation)
	fails(t, s, verbs.Eval, verbs.EvalIn{Script: "throw 'text'"}, wire.CodeEvaluation)
	fails(t, s, verbs.Eval, verbs.EvalIn{Script: "Promise.reject(new Error('late'))"}, wire.CodeEvaluation)
	fails(t, s, verbs.Eval, verbs.EvalIn{Script: "1 +"}, wire.CodeEvaluation)
	fails(t, s, verbs.Eval, verbs.EvalIn{Script: "const o = {}; o.o = o; o"}, wire.CodeEvaluation)
	fails(t, s, verbs.Eval, verbs.EvalIn{Script: ""}, wire.CodeBadInput)
	fails(t, s, verbs.Eval, verbs.EvalIn{Script: "%%%", Base64: true}, wire.CodeBadInput)
}

func TestScreenshot(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/tall"))
	do(t, s, verbs.Screenshot, verbs.ScreenshotIn{Selector: "h1"})
	view := do(t, s, verbs.Screenshot, verbs.ScreenshotIn{})
	full := do(t, s, verbs.Screenshot, verbs.ScreenshotIn{Full: true})
	if w, h := sizeOf(t, view.Image); w != 1280 || h != 720 {
		t.Errorf("the picture is %dx%d, want 1280x720", w, h)
	}
	if _, h := sizeOf(t, full.Image); h <= 720 {
		t.Errorf("the picture of the whole page is %d high", h)
	}
	if out := do(t, s, verbs.Screenshot, verbs.ScreenshotIn{Selector: "h1"}); out.Path != "" || len(out.Image) == 0 {
		t.Errorf("screenshot h1 has the path %q and %d bytes", out.Path, len(out.Image))
	}
	out := do(t, s, verbs.Screenshot, verbs.ScreenshotIn{Selector: "/tmp/x.jpg"})
	if out.Path != "/tmp/x.jpg" || len(out.Image) < 2 || out.Image[0] != 0xff {
		t.Errorf("screenshot /tmp/x.jpg has the path %q and is no JPEG", out.Path)
	}
	fails(t, s, verbs.Screenshot, verbs.ScreenshotIn{Selector: "#nope"}, wire.CodeNotFound)
	fails(t, s, verbs.Screenshot, verbs.ScreenshotIn{Selector: "x.webp"}, wire.CodeBadInput)
}

// noise is a script that fills the page with random pixels. Because these cannot be compressed, the
// size of a picture of the page is 2 MB.
const noise = `(() => {
	document.body.innerHTML = '<canvas width="1000" height="700">';
	const paint = document.querySelector("canvas").getContext("2d"), all = paint.createImageData(1000, 700);
	for (let i = 0; i < all.data.length; i += 65536) crypto.getRandomValues(all.data.subarray(i, i + 65536));
	for (let i = 3; i < all.data.length; i += 4) all.data[i] = 255;
	paint.putImageData(all, 0, 0);
	return 0;
})()`

// If a large screenshot is meant for a file, the driver saves it to disk, and does not send it to
// the daemon.
func TestLargePicture(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/"))
	do(t, s, verbs.Eval, verbs.EvalIn{Script: noise})
	shown := do(t, s, verbs.Screenshot, verbs.ScreenshotIn{})
	if shown.Source != "" || len(shown.Image) < 1<<20 {
		t.Errorf("a picture that is for no file has %d bytes, and the file %q", len(shown.Image), shown.Source)
	}
	for _, full := range []bool{false, true} {
		given := do(t, s, verbs.Screenshot, verbs.ScreenshotIn{Path: "/tmp/x.png", Full: full})
		left, err := os.ReadFile(given.Source)
		if err != nil || len(given.Image) != 0 || given.Path != "/tmp/x.png" {
			t.Fatalf("a picture for a file: %v, %d bytes, path %q", err, len(given.Image), given.Path)
		}
		if !full && !bytes.Equal(left, shown.Image) {
			t.Error("the file has another picture")
		}
		if w, _ := sizeOf(t, left); w != 1280 {
			t.Errorf("the file's picture is %d wide", w)
		}
		if info, err := os.Stat(given.Source); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the file: %v, %v", info, err)
		}
		if err := os.Remove(given.Source); err != nil {
			t.Error(err)
		}
	}
}

// stripes is a script that makes a page of twenty stripes, which is higher than the window. The red part of a
// stripe's colour is twelve times its number, and the blue part is 64, so that no stripe is black or white, which
// would be a part that was not drawn.
const stripes = `document.body.innerHTML = "<style>body { margin: 0 } div { height: 170px }</style>" +
	Array.from({ length: 20 }, (_, i) => '<div style="background: rgb(' + (i * 12) + ' 0 64)"></div>').join(""); 0`

// slowFont is a format string for a script that makes the page load a font for a number of milliseconds. A screenshot
// waits for it.
const slowFont = `(() => {
	const font = new FontFace("slow", "url(/slow?ms=%d)");
	document.fonts.add(font);
	font.load().catch(() => {});
	return 0;
})()`

// A screenshot of the whole page shows each part once, however long it has waited for the page. If the browser takes
// another picture of the page when it begins with this one, it repeats the visible part instead.
func TestFullScreenshotAfterFonts(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/"))
	do(t, s, verbs.SetViewport, verbs.ViewportIn{Width: 1400, Height: 900})
	do(t, s, verbs.Eval, verbs.EvalIn{Script: stripes})
	for ms := 70; ms < 170; ms += 10 {
		do(t, s, verbs.Eval, verbs.EvalIn{Script: fmt.Sprintf(slowFont, ms)})
		picture, err := png.Decode(bytes.NewReader(do(t, s, verbs.Screenshot, verbs.ScreenshotIn{Full: true}).Image))
		if err != nil {
			t.Fatal(err)
		}
		var got, want []color.Color
		for i := range 20 {
			got = append(got, color.NRGBAModel.Convert(picture.At(640, i*170+160)))
			want = append(want, color.NRGBA{uint8(i * 12), 0, 64, 255})
		}
		if !slices.Equal(got, want) {
			t.Fatalf("with a font of %d ms, the picture is %v and the stripes are %v, want %v", ms, picture.Bounds(), got, want)
		}
	}
}

// A screenshot shows the part of the page that is scrolled into view.
func TestScrolledScreenshot(t *testing.T) {
	t.Parallel()
	s, web := home.Start(t), site.Start(t)
	open(t, s, web.URL("/"))
	do(t, s, verbs.Eval, verbs.EvalIn{Script: `document.body.innerHTML = '<div style="height: 3000px"></div><div style="height: 3000px; background: #0000ff"></div>'; scrollTo(0, 3200)`})
	picture, err := png.Decode(bytes.NewReader(do(t, s, verbs.Screenshot, verbs.ScreenshotIn{}).Image))
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []image.Point{{100, 10}, {100, 700}} {
		if r, g, b, _ := picture.At(at.X, at.Y).RGBA(); r != 0 || g != 0 || b != 0xffff {
			t.Errorf("at %v is the colour %x %x %x, want blue", at, r, g, b)
		}
	}
}
