package broker

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// stripes is a page of 20 stripes, each 170 pixels high and in a colour of its own.
const stripes = `<!doctype html><style>body{margin:0} div{height:170px}</style><script>
	for (let i = 0; i < 20; i++) document.write("<div style='background:rgb(" + i * 12 + ",0,0)'></div>");
</script>`

// captureStripes takes a picture of the whole page, and returns an error if a stripe is not where it
// belongs.
func captureStripes(p *tab) error {
	const width, height = 1200, 3400
	raw, err := p.peer.call(p.session, "Page.captureScreenshot", map[string]any{
		"captureBeyondViewport": true, "clip": map[string]any{"x": 0, "y": 0, "width": width, "height": height, "scale": 1},
	})
	if err != nil {
		return err
	}
	var out struct{ Data []byte }
	if err := json.Unmarshal(raw, &out); err != nil {
		return err
	}
	picture, err := png.Decode(bytes.NewReader(out.Data))
	if err != nil {
		return err
	}
	if size := picture.Bounds().Size(); size.X != width || size.Y != height {
		return fmt.Errorf("the picture has the size %v", size)
	}
	var wrong []int // the rows of the picture that have a wrong colour
	for y := range height {
		if r, g, b, _ := picture.At(width/2, y).RGBA(); int(r>>8) != y/170*12 || g != 0 || b != 0 {
			wrong = append(wrong, y)
		}
	}
	if len(wrong) > 0 {
		return fmt.Errorf("%d rows have a wrong colour, from row %d (%v) to row %d", len(wrong), wrong[0], picture.At(width/2, wrong[0]), wrong[len(wrong)-1])
	}
	return nil
}

// A picture of a page is right whatever other clients of the session do at that time: they take
// pictures of the page, too, emulate other sizes, and leave.
func TestCapturesOfOnePage(t *testing.T) {
	t.Parallel()
	for name, disturb := range map[string]func(*testing.T, *rig, *tab){
		"captured": func(t *testing.T, _ *rig, p *tab) {
			clip := map[string]any{"x": 0, "y": 0, "width": 100, "height": 100, "scale": 1}
			if _, err := p.peer.call(p.session, "Page.captureScreenshot", map[string]any{"clip": clip}); err != nil {
				t.Error(err)
			}
		},
		"resized": func(t *testing.T, _ *rig, p *tab) {
			size := map[string]any{"width": 800, "height": 600, "deviceScaleFactor": 1, "mobile": false}
			for method, params := range map[string]any{"Emulation.setDeviceMetricsOverride": size, "Emulation.clearDeviceMetricsOverride": nil} {
				if _, err := p.peer.call(p.session, method, params); err != nil {
					t.Error(err)
				}
			}
		},
		"left": func(t *testing.T, r *rig, p *tab) {
			other := r.connect("a")
			size := map[string]any{"width": 800, "height": 600, "deviceScaleFactor": 1, "mobile": false}
			if _, err := other.call(other.tab(p.target).session, "Emulation.setDeviceMetricsOverride", size); err != nil {
				t.Error(err)
			}
			other.close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, wire.Settings{})
			page := r.connect("a").open()
			page.show(r.site.URL, stripes)
			beside := r.connect("a").tab(page.target)
			done := make(chan error, 1)
			go func() {
				var err error
				for i := 0; err == nil && i < 8; i++ {
					if err = captureStripes(page); err != nil {
						err = fmt.Errorf("picture %d: %w", i, err)
					}
				}
				done <- err
			}()
			times := 0
			for ; len(done) == 0; times++ {
				disturb(t, r, beside)
			}
			if err := <-done; err != nil {
				t.Errorf("after the page was %s %d times: %v", name, times, err)
			}
		})
	}
}

// A client that leaves during a capture leaves the page at its size.
func TestClientLeavesDuringACapture(t *testing.T) {
	t.Parallel()
	r := start(t, wire.Settings{})
	page := r.connect("a").open()
	page.show(r.site.URL, stripes)
	const size = "[innerWidth, innerHeight].join()"
	before := page.eval(size)
	for range 8 {
		other := r.connect("a")
		captured := make(chan error, 1)
		go func() { captured <- captureStripes(other.tab(page.target)) }()
		time.Sleep(5*time.Millisecond + rand.N(30*time.Millisecond)) // the capture takes about 60 ms; nothing reports its steps
		other.close()
		<-captured
		if err := captureStripes(page); err != nil {
			t.Errorf("the next picture: %v", err)
		}
		until(t, "the page has its size again", func() bool { return page.eval(size) == before })
	}
}

// A picture of a page is right if a person sees the tab for the first time while it is taken.
func TestTabIsShownDuringACapture(t *testing.T) {
	t.Parallel()
	r := start(t, wire.Settings{})
	a := r.connect("a")
	captures := map[string]func(*tab) error{"whole": captureStripes, "view": func(p *tab) error {
		_, err := p.peer.call(p.session, "Page.captureScreenshot", map[string]any{})
		return err
	}}
	for name, capture := range captures {
		for range 4 {
			page := a.open()
			page.show(r.site.URL, stripes)
			captured := make(chan error, 1)
			go func() { captured <- capture(page) }()
			time.Sleep(5*time.Millisecond + rand.N(30*time.Millisecond)) // the capture takes about 60 ms; nothing reports its steps
			tabs := r.tabs("a")
			ask(r, verbs.BrokerInput, verbs.InputIn{Session: "a", Tab: tabs[len(tabs)-1], Method: "Page.bringToFront", Params: "{}"})
			if err := <-captured; err != nil {
				t.Errorf("picture of the %s in tab %d: %v", name, len(tabs), err)
			}
		}
	}
}
