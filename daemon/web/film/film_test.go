package film

import (
	"bytes"
	"encoding/json"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

func TestDue(t *testing.T) {
	for _, tt := range []struct {
		passed time.Duration
		fps    int
		want   int
	}{
		{0, 10, 0},
		{99 * time.Millisecond, 10, 0},
		{100 * time.Millisecond, 10, 1},
		{time.Second, 30, 30},
		{maxLength, 30, 108000},
	} {
		if got := due(tt.passed, tt.fps); got != tt.want {
			t.Errorf("due(%v, %d) = %d, want %d", tt.passed, tt.fps, got, tt.want)
		}
	}
}

// picture returns a JPEG of one colour.
func picture(t *testing.T, width, height int, c color.Color) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(img, img.Bounds(), image.NewUniform(c), image.Point{}, draw.Src)
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A film shows each picture as long as no other one comes, has its real duration, and replaces an
// older file only at its end. Pictures of other sizes fit in.
func TestFilm(t *testing.T) {
	for _, ext := range []string{".webm", ".mp4"} {
		t.Run(ext, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "-film"+ext)
			if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
				t.Fatal(err)
			}
			shown := make(chan struct{}, 1000)
			f, err := Start(path, 10, nil, func() { shown <- struct{}{} })
			if err != nil {
				t.Fatal(err)
			}
			f.Put(picture(t, 321, 201, color.RGBA{R: 255, A: 255}))
			for range 10 {
				<-shown
			}
			if old, err := os.ReadFile(path); err != nil || string(old) != "old" {
				t.Errorf("before the end the file is %.20q, %v", old, err)
			}
			f.Put(picture(t, 100, 400, color.RGBA{B: 255, A: 255}))
			for range 10 {
				<-shown
			}
			out, err := f.Stop()
			if err != nil || out.Path != path || out.Frames < 20 || out.Duration != float64(out.Frames)/10 {
				t.Fatalf("Stop() = %+v, %v", out, err)
			}
			if again, err := f.Stop(); again != out || err != nil {
				t.Errorf("the second Stop() = %+v, %v", again, err)
			}
			var probed struct {
				Streams []struct {
					Width, Height int
					Frames        string `json:"nb_read_frames"`
				}
				Format struct{ Duration string }
			}
			raw, err := exec.CommandContext(t.Context(), "ffprobe", "-v", "error", "-count_frames", "-show_streams", "-show_format", "-of", "json", "file:"+path).Output()
			if err != nil || json.Unmarshal(raw, &probed) != nil || len(probed.Streams) != 1 {
				t.Fatalf("ffprobe: %v, %s", err, raw)
			}
			if s := probed.Streams[0]; s.Width != 320 || s.Height != 200 || s.Frames != strconv.Itoa(out.Frames) {
				t.Errorf("the video is %+v, want 320x200 and %d frames", s, out.Frames)
			}
			if long, err := strconv.ParseFloat(probed.Format.Duration, 64); err != nil || long < out.Duration-0.2 || long > out.Duration+0.2 {
				t.Errorf("the video takes %s s, want %v", probed.Format.Duration, out.Duration)
			}
			if c := colorAt(t, path, "0.2"); c.R < 200 || c.B > 60 {
				t.Errorf("at the beginning it shows %v, want red", c)
			}
			if c := colorAt(t, path, strconv.FormatFloat(out.Duration-0.3, 'f', 1, 64)); c.B < 200 || c.R > 60 {
				t.Errorf("at the end it shows %v, want blue", c)
			}
			if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) > 0 {
				t.Errorf("left: %q", left)
			}
		})
	}
}

// colorAt returns the colour in the middle of a video at a time in seconds.
func colorAt(t *testing.T, path, at string) color.RGBA {
	t.Helper()
	raw, err := exec.CommandContext(t.Context(), "ffmpeg", "-v", "error", "-ss", at, "-i", "file:"+path, "-frames:v", "1", "-f", "image2pipe", "-c:v", "png", "pipe:1").Output()
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	r, g, b, a := img.At(img.Bounds().Dx()/2, img.Bounds().Dy()/2).RGBA()
	return color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), uint8(a >> 8)}
}

// A film without a picture, in a missing folder, or of something that is no picture, fails and leaves
// no file. A film ends when its page is gone.
func TestFilmFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "film.webm")
	f, err := Start(path, 10, nil, func() {})
	if err != nil {
		t.Fatal(err)
	}
	if out, err := f.Stop(); !errors.Is(err, wire.CodeNotFound) {
		t.Errorf("without a picture: %+v, %v", out, err)
	}
	if _, err := Start(filepath.Join(dir, "missing", "film.webm"), 10, nil, func() {}); err == nil {
		t.Error("a film in a missing folder has started")
	}
	f, err = Start(path, 10, nil, func() {})
	if err != nil {
		t.Fatal(err)
	}
	f.Put([]byte("no picture"))
	if out, err := f.Stop(); !errors.Is(err, wire.CodeInternal) {
		t.Errorf("no picture: %+v, %v", out, err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	gone := make(chan struct{})
	f, err = Start(path, 10, gone, func() {})
	if err != nil {
		t.Fatal(err)
	}
	f.Put(picture(t, 64, 64, color.White))
	close(gone)
	<-f.ended
	if info, err := os.Stat(path); err != nil || info.Size() == 0 || info.Mode().Perm() != 0o600 {
		t.Errorf("after the page is gone: %v, %v", info, err)
	}
}
