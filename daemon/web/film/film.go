// Package film makes videos of pictures that arrive at irregular times. It runs ffmpeg and knows no
// page. Package web passes the pictures to it.
package film

import (
	"bytes"
	"errors"
	"fmt"
	"image/jpeg"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	maxLength  = time.Hour        // a longer film ends by itself, so that it does not fill the disk
	finishTime = 20 * time.Second // for ffmpeg to write the end of the file
	maxMessage = 4 << 10          // bytes of what ffmpeg complains about
)

// Film is a video that is being made. Its methods may be called from several goroutines at the same
// time.
type Film struct {
	path  string
	part  string // the file that ffmpeg writes; it is renamed to path at the end
	fps   int
	shown func() // called after each picture of the video: see Start

	end     chan struct{} // closed to end the film
	endOnce sync.Once
	ended   chan struct{} // closed when the fields frames and err are final
	frames  int
	err     error

	mu     sync.Mutex // guards newest
	newest []byte
	first  chan struct{} // closed when newest is set
}

// Start starts a film of fps pictures a second, which is written to path when it ends. Its format
// follows from the extension of path, which is .webm or .mp4. The film ends with [Film.Stop], after
// an hour, or when the channel gone is closed. The function shown is called after each picture of the
// film; it must return at once. Start returns [wire.CodeInstall] if there is no ffmpeg.
func Start(path string, fps int, gone <-chan struct{}, shown func()) (*Film, error) {
	program, err := ffmpeg()
	if err != nil {
		return nil, err
	}
	part, err := os.CreateTemp(filepath.Dir(path), ".abrowser-*"+filepath.Ext(path))
	if err == nil {
		err = part.Close()
	}
	if err != nil {
		return nil, writeError(err)
	}
	f := &Film{
		path: path, part: part.Name(), fps: fps, shown: shown,
		end: make(chan struct{}), ended: make(chan struct{}), first: make(chan struct{}),
	}
	go func() { // ends when the film ends
		defer close(f.ended)
		f.err = f.run(program, gone)
	}()
	return f, nil
}

// Check returns [wire.CodeInstall] if ffmpeg is not installed.
func Check() error {
	_, err := ffmpeg()
	return err
}

func ffmpeg() (string, error) {
	program, err := exec.LookPath("ffmpeg")
	if err != nil {
		return "", wire.Errorf(wire.CodeInstall, "record needs ffmpeg, which is not installed").WithHint("abrowser install --with-deps")
	}
	return program, nil
}

// Put sets the picture, a JPEG, that the film shows from now on.
func (f *Film) Put(picture []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.newest == nil {
		close(f.first)
	}
	f.newest = picture
}

// First waits until the film has its first picture, has ended, or the time is over.
func (f *Film) First(limit time.Duration) {
	select {
	case <-f.first:
	case <-f.ended:
	case <-time.After(limit):
	}
}

// Path returns the path to which the film is written.
func (f *Film) Path() string { return f.path }

// Stop ends the film, waits until it is written, and describes it.
func (f *Film) Stop() (verbs.RecordStopOut, error) {
	f.endOnce.Do(func() { close(f.end) })
	<-f.ended
	return verbs.RecordStopOut{Path: f.path, Frames: f.frames, Duration: float64(f.frames) / float64(f.fps)}, f.err
}

// run makes the film. If it fails, a file that was at the film's path before stays there.
func (f *Film) run(program string, gone <-chan struct{}) error {
	defer os.Remove(f.part) // fails if it was renamed
	began := time.Now()
	select {
	case <-f.first:
	case <-gone:
	case <-f.end:
	case <-time.After(maxLength):
	}
	picture := f.current()
	if picture == nil {
		return wire.Errorf(wire.CodeNotFound, "the page has shown no picture, so there is no video").WithHint("abrowser screenshot")
	}
	e, err := startEncoder(program, f.part, f.fps, picture)
	if err != nil {
		return err
	}
	f.encode(e, began, gone)
	if err := e.finish(); err != nil {
		return err
	}
	if err := os.Rename(f.part, f.path); err != nil {
		return writeError(err)
	}
	return nil
}

func writeError(err error) error {
	return wire.Errorf(wire.CodePermission, "writing the video: %v", err).WithHint("name a file in a directory that can be written")
}

// encode writes pictures until the film has to end. It writes as many pictures as the time that has
// passed requires, so that the film has its real duration although a picture may come late.
func (f *Film) encode(e *encoder, began time.Time, gone <-chan struct{}) {
	tick := time.NewTicker(time.Second / time.Duration(f.fps))
	defer tick.Stop()
	for {
		over := false
		select {
		case <-tick.C:
		case <-gone:
			over = true
		case <-f.end:
			over = true
		}
		passed := min(time.Since(began), maxLength)
		for wanted := max(1, due(passed, f.fps)); f.frames < wanted; f.frames++ {
			if _, err := e.in.Write(f.current()); err != nil {
				return // finish returns what ffmpeg complains about
			}
		}
		if over || passed == maxLength {
			return
		}
		f.shown()
	}
}

// due returns the number of pictures in a film of this length.
func due(passed time.Duration, fps int) int {
	return int(passed * time.Duration(fps) / time.Second)
}

// HasPicture reports whether the film has a picture of the page.
func (f *Film) HasPicture() bool { return f.current() != nil }

func (f *Film) current() []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.newest
}

// encoder is a running ffmpeg.
type encoder struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	says   bytes.Buffer
	exited chan error
}

// startEncoder starts ffmpeg, which reads pictures from its standard input. All pictures are shown in
// the size of the first one.
func startEncoder(program, path string, fps int, first []byte) (*encoder, error) {
	size, err := jpeg.DecodeConfig(bytes.NewReader(first))
	if err != nil {
		return nil, wire.Errorf(wire.CodeInternal, "the browser's picture cannot be read: %v", err)
	}
	width, height := size.Width&^1, size.Height&^1 // the codecs need even numbers
	args := []string{
		"-loglevel", "error", "-f", "image2pipe", "-c:v", "mjpeg", "-framerate", fmt.Sprint(fps), "-i", "pipe:0", "-an",
		"-vf", fmt.Sprintf("scale=%d:%d:force_original_aspect_ratio=decrease,pad=%d:%d:(ow-iw)/2:(oh-ih)/2:white,format=yuv420p", width, height, width, height),
	}
	if filepath.Ext(path) == ".mp4" {
		args = append(args, "-c:v", "libx264", "-preset", "ultrafast", "-crf", "28", "-movflags", "+faststart", "-f", "mp4")
	} else {
		args = append(args, "-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-crf", "12", "-b:v", "1M", "-f", "webm")
	}
	e := &encoder{exited: make(chan error, 1)}
	// ffmpeg ends when its input ends, also if this process is killed. See finish, too.
	e.cmd = exec.Command(program, append(args, "-threads", "1", "-y", "file:"+path)...) //nolint:noctx // see above
	e.cmd.Stderr = &limited{&e.says}
	if e.in, err = e.cmd.StdinPipe(); err == nil {
		err = e.cmd.Start()
	}
	if err != nil {
		return nil, wire.Errorf(wire.CodeInstall, "starting ffmpeg: %v", err).WithHint("ffmpeg -version")
	}
	go func() { e.exited <- e.cmd.Wait() }() // ends with ffmpeg, which finish ends
	return e, nil
}

// finish ends the input and waits until ffmpeg has written the file.
func (e *encoder) finish() error {
	_ = e.in.Close() // ffmpeg may have ended already
	var err error
	select {
	case err = <-e.exited:
	case <-time.After(finishTime):
		_ = e.cmd.Process.Kill()
		err = errors.Join(<-e.exited, errors.New("it took too long"))
	}
	if err != nil {
		return wire.Errorf(wire.CodeInternal, "ffmpeg could not write the video: %v: %s", err, strings.TrimSpace(e.says.String())).WithHint("ffmpeg -codecs")
	}
	return nil
}

// limited writes into a buffer up to maxMessage bytes, and drops the rest.
type limited struct{ buffer *bytes.Buffer }

func (l limited) Write(p []byte) (int, error) {
	if room := maxMessage - l.buffer.Len(); room > 0 {
		l.buffer.Write(p[:min(len(p), room)])
	}
	return len(p), nil
}
