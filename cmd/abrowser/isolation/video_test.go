//go:build linux

package isolation_test

import (
	"bytes"
	"fmt"
	"image/color"
	"image/png"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
)

// Two tasks record videos of their pages at the same time. Each video begins with the first colour
// of its own page and ends with the last one, also over a navigation to another site.
func TestVideosOfTwoTasks(t *testing.T) {
	t.Parallel()
	s := site.Start(t)
	h := e2e.NewHome(t)
	dir := t.TempDir()
	paint := func(c string) string {
		return fmt.Sprintf(`document.body.style.background = %q; new Promise((done) => requestAnimationFrame(() => setTimeout(done, 700)))`, c)
	}
	colors := map[string][2]string{"left": {"rgb(255,0,0)", "rgb(0,0,255)"}, "right": {"rgb(0,255,0)", "rgb(255,255,0)"}}
	var together sync.WaitGroup
	for task, shows := range colors {
		together.Go(func() {
			for _, args := range [][]string{
				{"open", s.URL("/page/" + task)},
				{"eval", paint(shows[0])},
				{"record", "start", filepath.Join(dir, task+".webm")},
				{"eval", paint(shows[0])},
				{"open", s.CrossURL("/page/" + task)},
				{"eval", paint(shows[1])},
				{"eval", paint(shows[1])},
			} {
				if r := h.Try(task, args...); r.Status != 0 {
					t.Errorf("%s", r)
				}
			}
		})
	}
	together.Wait()
	want := map[string][2]color.RGBA{
		"left": {{R: 255, A: 255}, {B: 255, A: 255}}, "right": {{G: 255, A: 255}, {R: 255, G: 255, A: 255}},
	}
	for task := range colors {
		out := e2e.Ask[verbs.RecordStopOut](t, h, task, "record", "stop")
		if out.Frames < 5 || out.Duration < 2 {
			t.Errorf("the video of %s: %+v", task, out)
		}
		for i, at := range []float64{0.1, out.Duration - 0.2} {
			got := colorAt(t, out.Path, at)
			if !near(got.R, want[task][i].R) || !near(got.G, want[task][i].G) || !near(got.B, want[task][i].B) {
				t.Errorf("the video of %s shows %v at %.1f s of %.1f s, want %v", task, got, at, out.Duration, want[task][i])
			}
		}
	}
}

// A video shows how a page is after it has changed more often than the video shows pictures. The page
// does that three times, because by chance the browser may send its last picture at once.
func TestVideoShowsTheLastChange(t *testing.T) {
	t.Parallel()
	s, h := site.Start(t), e2e.NewHome(t)
	path := filepath.Join(t.TempDir(), "a.webm")
	h.Text(t, "task", "open", s.URL("/page/one"))
	h.Text(t, "task", "record", "start", path, "--fps", "2")
	want := []color.RGBA{{B: 255}, {R: 255, B: 255}, {}}
	for _, c := range want {
		h.Text(t, "task", "eval", fmt.Sprintf(`new Promise((done) => {
			let n = 0;
			const change = () => {
				document.body.style.background = n++ %% 2 ? "rgb(255,0,0)" : "rgb(0,255,0)";
				if (n < 20) return requestAnimationFrame(change);
				document.body.style.background = "rgb(%d,%d,%d)";
				setTimeout(done, 4000);
			};
			change();
		})`, c.R, c.G, c.B))
	}
	out := e2e.Ask[verbs.RecordStopOut](t, h, "task", "record", "stop")
	var shown []color.RGBA
	for at := 0.25; at < out.Duration-0.5; at += 0.5 { // each of its pictures but the last
		shown = append(shown, colorAt(t, out.Path, at))
	}
	for i, c := range want {
		is := func(got color.RGBA) bool { return near(got.R, c.R) && near(got.G, c.G) && near(got.B, c.B) }
		if !slices.ContainsFunc(shown, is) || i == len(want)-1 && !is(shown[len(shown)-1]) {
			t.Errorf("the video shows %v, want %v among them, the last one at its end", shown, c)
		}
	}
}

func near(a, b uint8) bool { return max(a, b)-min(a, b) < 60 }

// colorAt returns a colour near the lower edge of a video, at a time in seconds.
func colorAt(t *testing.T, path string, at float64) color.RGBA {
	t.Helper()
	raw, err := exec.CommandContext(t.Context(), "ffmpeg", "-v", "error", "-ss", fmt.Sprintf("%.2f", at), "-i", path, "-frames:v", "1", "-f", "image2pipe", "-c:v", "png", "pipe:1").Output()
	if err != nil {
		t.Fatalf("ffmpeg: %v", err)
	}
	img, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	r, g, b, a := img.At(img.Bounds().Dx()/2, img.Bounds().Dy()-10).RGBA()
	return color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), uint8(a >> 8)}
}
