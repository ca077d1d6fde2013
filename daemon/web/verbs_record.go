package web

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/daemon/web/film"
	"github.com/abrowser/abrowser/daemon/web/har"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const hintHARStop = "abrowser network har stop"

// recorderCall is a command that records requests, a trace or a video.
type recorderCall struct{ *call }

func (c recorderCall) harStart(ctx context.Context, in verbs.HARStartIn) (verbs.HARStartOut, error) {
	if err := c.MaySet(ctx); err != nil {
		return verbs.HARStartOut{}, err
	}
	if h := c.State.Get().HAR; h != nil {
		return verbs.HARStartOut{}, wire.Errorf(wire.CodeBadInput, "the requests are being recorded into %s already", h.Path).WithHint(hintHARStop)
	}
	path, err := c.record(in.Path, in.Content)
	return verbs.HARStartOut{Started: err == nil, Path: path}, err
}

// record starts a recording, and returns the path of its HAR.
func (c recorderCall) record(path, content string) (string, error) {
	path, err := harPath(c.Root, c.Name, path)
	if err != nil {
		return "", err
	}
	if err := c.recorder.journal.Remove(); err != nil {
		return "", err
	}
	if err := c.State.Change(func(s *daemon.State) { s.HAR = &daemon.Recording{Path: path, Content: content} }); err != nil {
		return "", err
	}
	if conn := c.current(); conn != nil && !conn.isLost() {
		c.recorder.watch(conn)
	}
	return path, nil
}

// harPath returns the path to which a HAR is written. That is the path that the caller has given,
// which must be absolute. If the caller has given none, it is a new path in the root directory.
func harPath(root home.Root, session, given string) (string, error) {
	if given == "" {
		return root.Path("har", session+"-"+time.Now().Format("20060102-150405.000")+".har"), nil
	}
	if !filepath.IsAbs(given) {
		return "", wire.Errorf(wire.CodeBadInput, "%s is not an absolute path", given).WithHint("give the whole path")
	}
	return given, nil
}

func (c recorderCall) harStop(ctx context.Context, in verbs.HARStopIn) (verbs.HARStopOut, error) {
	if err := c.MaySet(ctx); err != nil {
		return verbs.HARStopOut{}, err
	}
	h := c.State.Get().HAR
	if h == nil {
		return verbs.HARStopOut{}, wire.Errorf(wire.CodeBadInput, "no requests are being recorded").WithHint("abrowser network har start")
	}
	path, err := harPath(c.Root, c.Name, cmp.Or(in.Path, h.Path))
	if err != nil {
		return verbs.HARStopOut{}, err
	}
	c.awaitEvents()
	n, err := c.recorder.stop(path)
	if err != nil {
		return verbs.HARStopOut{}, wire.Errorf(wire.CodePermission, "%v; the recording goes on", err).WithHint(hintHARStop + " PATH")
	}
	return verbs.HARStopOut{Path: path, RequestCount: n}, nil
}

// awaitEvents waits up to catchTime until Playwright has reported everything that has happened so
// far. The wait is needed because a response over the direct connection may arrive before
// Playwright's reports.
func (p *pages) awaitEvents() {
	conn := p.current()
	if conn == nil || conn.isLost() {
		return
	}
	if page := conn.page(p.session.Tabs.Active().TargetID); page != nil {
		ctx, cancel := context.WithTimeout(context.Background(), catchTime)
		defer cancel()
		// The response comes after all earlier events. Its content does not matter.
		_, _ = askAside(ctx, conn, page.info)
	}
}

// openHAR starts the recording that an open command asks for, and makes Playwright answer requests
// from the HAR files that the command names.
func (c recorderCall) openHAR(in verbs.OpenIn) error {
	if err := verbs.CheckHARFiles(in.HARs); err != nil {
		return err
	}
	if h := c.State.Get().HAR; in.HAR != "" && (h == nil || h.Path != in.HAR) {
		if h != nil {
			return wire.Errorf(wire.CodeBadInput, "the requests are being recorded into %s already", h.Path).WithHint(hintHARStop)
		}
		if _, err := c.record(in.HAR, "all"); err != nil {
			return err
		}
	}
	for _, path := range in.HARs {
		if slices.Contains(c.State.Get().HARs, path) {
			continue
		}
		if err := har.Check(path); err != nil {
			return wire.Errorf(wire.CodeBadInput, "%s is not a HAR file: %v", path, err).WithHint("abrowser network har start FILE records one")
		}
		conn := c.current()
		if err := c.watch(readTime, func() error { return conn.replayHARs([]string{path}) }); err != nil {
			return codeError(err)
		}
		if err := c.State.Change(func(s *daemon.State) { s.HARs = append(slices.Clone(s.HARs), path) }); err != nil {
			return err
		}
	}
	return nil
}

// replayHARs makes Playwright answer requests from HAR files. A request to which the files contain
// no response is sent to the server.
func (conn *connection) replayHARs(paths []string) error {
	for _, path := range paths {
		if err := conn.context.RouteFromHAR(path, playwright.BrowserContextRouteFromHAROptions{NotFound: playwright.HarNotFoundFallback}); err != nil {
			return err
		}
	}
	return nil
}

// traceStart starts a trace of the session's pages.
func (c recorderCall) traceStart(ctx context.Context, in verbs.TraceStartIn) (verbs.TraceStartOut, error) {
	if err := c.MaySet(ctx); err != nil {
		return verbs.TraceStartOut{}, err
	}
	if err := c.trace.Check(); err != nil {
		return verbs.TraceStartOut{}, err
	}
	conn, err := c.connected(ctx)
	if err != nil {
		return verbs.TraceStartOut{}, err
	}
	err = c.watch(actionTime, func() error { return c.trace.Start(conn.context.Tracing(), conn.lost, !in.NoScreenshots) })
	return verbs.TraceStartOut{Started: err == nil}, codeError(err)
}

// traceStop ends the trace. It writes the trace to a file that the command then moves.
func (c recorderCall) traceStop(ctx context.Context, in verbs.TraceStopIn) (verbs.TraceStopOut, error) {
	if err := c.MaySet(ctx); err != nil {
		return verbs.TraceStopOut{}, err
	}
	recording, err := c.trace.Take()
	if err != nil {
		return verbs.TraceStopOut{}, err
	}
	if err := os.MkdirAll(c.driver.temp, 0o700); err != nil {
		return verbs.TraceStopOut{}, wire.OSError("writing the trace", err)
	}
	path := filepath.Join(c.driver.temp, rand.Text()+".zip")
	err = c.watch(waitTime, func() error { return recording.Stop(path) })
	return verbs.TraceStopOut{Path: in.Path, Source: path}, codeError(err)
}

// traceCommand makes the trace, if one is recorded, show what follows as a part of the command with
// the given name and input. The returned function ends that part. A failure only makes the trace less
// readable.
func (c recorderCall) traceCommand(ctx context.Context, name string, in any) (end func()) {
	recording, conn := c.trace.Current(), c.current()
	if recording == nil || conn == nil {
		return func() {}
	}
	ask := func(what string, do func() error) {
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), probeTime)
		defer cancel()
		if _, err := askAside(limited, conn, func() (struct{}, error) { return struct{}{}, do() }); err != nil {
			c.Log.Warn("recording the trace", "step", what, "error", err)
		}
	}
	if e, ok := in.(verbs.ElementNamer); ok {
		name += " " + e.ElementName()
	}
	ask("begin", func() error { return recording.Begin(name) })
	return func() {
		if c.trace.Current() != nil {
			ask("end", recording.End)
		}
	}
}

const (
	usualFPS  = 10
	filmSize  = 1280            // pixels: the largest width and height of a video
	firstTime = 2 * time.Second // the longest wait for the first picture; a page in trouble shows it later
	filmJPEGs = 80              // the quality of the pictures that the browser sends, from 0 to 100
)

// camera films a page.
type camera struct {
	film *film.Film
	page *page

	mu         sync.Mutex // guards the fields below
	pending    []int      // pictures that are not acknowledged yet
	unanswered int        // pictures whose acknowledgement the browser has not answered yet
	came       int        // pictures since the screencast was started

	control sync.Mutex // held while the screencast is started or stopped; guards over
	over    bool
}

// maxUnacknowledged is the number of unacknowledged pictures from which on Chromium drops further ones.
// It counts pictures, too, that it has not sent yet because it still encodes them.
const maxUnacknowledged = 3

// take handles the event with which the browser sends a picture of the page.
func (c *camera) take(event any) {
	params, _ := event.(map[string]any)
	data, _ := params["data"].(string)
	number, _ := params["sessionId"].(float64)
	picture, err := base64.StdEncoding.DecodeString(data)
	if err != nil || len(picture) == 0 {
		return
	}
	c.mu.Lock()
	c.pending = append(c.pending, int(number))
	c.unanswered++
	c.came++
	c.mu.Unlock()
	c.film.Put(picture)
}

// acknowledge acknowledges the pictures that have come. Before that, the browser sends only a few
// further ones, and drops the rest. So it sends hardly more pictures than the film shows. When the page
// has stopped changing, the last picture may be among the dropped ones. Then acknowledge starts the
// screencast again, because the browser begins each screencast with a picture of the page as it is.
func (c *camera) acknowledge() {
	c.mu.Lock()
	pending := c.pending
	c.pending = nil
	if c.came >= maxUnacknowledged && c.unanswered == 0 {
		c.came = 0
		c.page.conn.spawn(c.restart)
	}
	c.mu.Unlock()
	for _, number := range pending {
		c.page.conn.spawn(func() {
			_, _ = c.page.cdp.Send("Page.screencastFrameAck", map[string]any{"sessionId": number}) // fails if the page is gone
			c.mu.Lock()
			defer c.mu.Unlock()
			c.unanswered--
		})
	}
}

// restart stops the screencast and starts it again.
func (c *camera) restart() {
	c.control.Lock()
	defer c.control.Unlock()
	if !c.over {
		_, _ = c.page.cdp.Send("Page.stopScreencast", nil) // fails if the page is gone
		_ = c.start()                                      // likewise
	}
}

// stop stops the screencast for good.
func (c *camera) stop() error {
	c.control.Lock()
	defer c.control.Unlock()
	c.over = true
	_, err := c.page.cdp.Send("Page.stopScreencast", nil)
	return err
}

// start makes the browser send pictures of the page, beginning with one of the page as it is.
func (c *camera) start() error {
	_, err := c.page.cdp.Send("Page.startScreencast", map[string]any{"format": "jpeg", "quality": filmJPEGs, "maxWidth": filmSize, "maxHeight": filmSize})
	return err
}

// recordStart starts a video of the session's page.
func (c recorderCall) recordStart(ctx context.Context, in verbs.RecordStartIn) (verbs.RecordStartOut, error) {
	if running := c.camera.Load(); running != nil {
		return verbs.RecordStartOut{}, wire.Errorf(wire.CodeBadInput, "a video is being recorded into %s already", running.film.Path()).WithHint("abrowser record stop")
	}
	return c.recordPage(ctx, in)
}

// recordRestart ends a video, if one is being recorded, and starts another one.
func (c recorderCall) recordRestart(ctx context.Context, in verbs.RecordStartIn) (verbs.RecordStartOut, error) {
	if err := c.checkRecord(in); err != nil {
		return verbs.RecordStartOut{}, err
	}
	var before *verbs.RecordStopOut
	if c.camera.Load() != nil {
		stopped, err := c.recordStop(ctx, verbs.Empty{})
		if err != nil {
			return verbs.RecordStartOut{}, err
		}
		before = &stopped
	}
	out, err := c.recordPage(ctx, in)
	out.Stopped = before
	return out, err
}

// checkRecord returns an error if a video cannot be recorded with this input, before anything is done.
func (c recorderCall) checkRecord(in verbs.RecordStartIn) error {
	if err := film.Check(); err != nil || in.URL == "" {
		return err
	}
	_, err := c.address(in.URL)
	return err
}

func (c recorderCall) recordPage(ctx context.Context, in verbs.RecordStartIn) (verbs.RecordStartOut, error) {
	if err := c.checkRecord(in); err != nil {
		return verbs.RecordStartOut{}, err
	}
	if err := c.MaySet(ctx); err != nil {
		return verbs.RecordStartOut{}, err
	}
	ctx, cancel, err := c.limit(ctx, in, waitTime)
	if err != nil {
		return verbs.RecordStartOut{}, err
	}
	defer cancel()
	if in.URL != "" {
		if _, err := c.open(ctx, verbs.OpenIn{URL: in.URL}); err != nil {
			return verbs.RecordStartOut{}, err
		}
	}
	p, err := c.currentPage(ctx)
	if err != nil {
		return verbs.RecordStartOut{}, err
	}
	made := &camera{page: p}
	made.film, err = film.Start(in.Path, cmp.Or(in.FPS, usualFPS), p.gone, made.acknowledge)
	if err != nil {
		return verbs.RecordStartOut{}, err
	}
	p.camera.Store(made)
	c.camera.Store(made)
	if err := c.watch(daemon.TimeLeft(ctx, actionTime), made.start); err != nil {
		_, _ = c.endFilm()
		return verbs.RecordStartOut{}, codeError(err)
	}
	made.film.First(daemon.TimeLeft(ctx, firstTime))
	return verbs.RecordStartOut{Started: true, Path: in.Path}, nil
}

// recordStop ends the video and waits until its file is written.
func (c recorderCall) recordStop(ctx context.Context, _ verbs.Empty) (verbs.RecordStopOut, error) {
	if err := c.MaySet(ctx); err != nil {
		return verbs.RecordStopOut{}, err
	}
	running := c.camera.Load()
	if running == nil {
		return verbs.RecordStopOut{}, wire.Errorf(wire.CodeBadInput, "no video is being recorded").WithHint("abrowser record start film.webm")
	}
	if p := running.page; !p.isGone() {
		if !running.film.HasPicture() {
			c.on(p).photograph(ctx, running.film)
		}
		limited, cancel := context.WithTimeout(ctx, probeTime)
		defer cancel()
		if _, err := askAside(limited, p.conn, func() (struct{}, error) { return struct{}{}, running.stop() }); err != nil {
			c.Log.Warn("stopping the screencast", "error", err)
		}
	}
	return c.endFilm()
}

// endFilm ends the video, if one is being recorded.
func (p *pages) endFilm() (verbs.RecordStopOut, error) {
	running := p.camera.Swap(nil)
	if running == nil {
		return verbs.RecordStopOut{}, nil
	}
	running.page.camera.Store(nil)
	return running.film.Stop()
}
