package daemon

import (
	"cmp"
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const hintHARStop = "abrowser network har stop"

func (t *turn) harStart(ctx context.Context, in verbs.HARStartIn) (verbs.HARStartOut, error) {
	if err := t.maySet(ctx, t.call, verbs.HARStart.Name); err != nil {
		return verbs.HARStartOut{}, err
	}
	if h := t.kept.get().HAR; h != nil {
		return verbs.HARStartOut{}, wire.Errorf(wire.CodeBadInput, "the requests are being recorded into %s already", h.Path).WithHint(hintHARStop)
	}
	path, err := t.record(in.Path, in.Content)
	return verbs.HARStartOut{Started: err == nil, Path: path}, err
}

// record begins a recording.
func (t *turn) record(path, content string) (string, error) {
	path, err := harPath(t.root, t.name, path)
	if err != nil {
		return "", err
	}
	if err := t.recorder.journal.Remove(); err != nil {
		return "", err
	}
	if err := t.kept.change(func(k *kept) { k.HAR = &recording{Path: path, Content: content} }); err != nil {
		return "", err
	}
	if _, l := t.known(); l != nil && !l.isGone() {
		t.recorder.watch(l)
	}
	return path, nil
}

// harPath is where a HAR is written.
func harPath(root home.Root, session, given string) (string, error) {
	if given == "" {
		return root.Path("har", session+"-"+time.Now().Format("20060102-150405.000")+".har"), nil
	}
	if !filepath.IsAbs(given) {
		return "", wire.Errorf(wire.CodeBadInput, "%s is no absolute path", given).WithHint("give the whole path")
	}
	return given, nil
}

func (t *turn) harStop(ctx context.Context, in verbs.HARStopIn) (verbs.HARStopOut, error) {
	if err := t.maySet(ctx, t.call, verbs.HARStop.Name); err != nil {
		return verbs.HARStopOut{}, err
	}
	h := t.kept.get().HAR
	if h == nil {
		return verbs.HARStopOut{}, wire.Errorf(wire.CodeBadInput, "no requests are being recorded").WithHint("abrowser network har start")
	}
	path, err := harPath(t.root, t.name, cmp.Or(in.Path, h.Path))
	if err != nil {
		return verbs.HARStopOut{}, err
	}
	t.hearAll()
	n, err := t.recorder.stop(path)
	if err != nil {
		return verbs.HARStopOut{}, wire.Errorf(wire.CodePermission, "%v; the recording goes on", err).WithHint(hintHARStop + " PATH")
	}
	return verbs.HARStopOut{Path: path, RequestCount: n}, nil
}

// finishRecording ends what is recorded, where that is so, with all that has happened.
func (s *Session) finishRecording() (path string, err error) {
	if s.recorder.isOn() {
		s.hearAll()
	}
	return s.recorder.finish()
}

// hearAll waits, for a bounded time, for what Playwright is still telling of: a page may
// have answered us before.
func (s *Session) hearAll() {
	active, l := s.known()
	if l == nil || l.isGone() {
		return
	}
	if p := l.page(active.TargetID); p != nil {
		ctx, cancel := context.WithTimeout(context.Background(), catchTime)
		defer cancel()
		_, _ = ask(ctx, l, p.info) // behind all that is on its way; what it says makes no difference
	}
}

// FinishRecording writes the HAR of a session that ends without its daemon, and
// returns its path, empty where none was being recorded.
func FinishRecording(root home.Root, session string) (string, error) {
	k := newKeeping(root.Kept(session), slog.New(slog.DiscardHandler))
	return newRecorder(k, root.Journal(session)).finish()
}

// openHAR records into a file, and answers from others, as an open asks for.
func (t *turn) openHAR(in verbs.OpenIn) error {
	if err := verbs.CheckReplay(in.HARs); err != nil {
		return err
	}
	if h := t.kept.get().HAR; in.HAR != "" && (h == nil || h.Path != in.HAR) {
		if h != nil {
			return wire.Errorf(wire.CodeBadInput, "the requests are being recorded into %s already", h.Path).WithHint(hintHARStop)
		}
		if _, err := t.record(in.HAR, "all"); err != nil {
			return err
		}
	}
	var fresh []string
	for _, path := range in.HARs {
		if !slices.Contains(t.kept.get().HARs, path) && !slices.Contains(fresh, path) {
			fresh = append(fresh, path)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	if err := t.kept.change(func(k *kept) { k.HARs = append(slices.Clone(k.HARs), fresh...) }); err != nil {
		return err
	}
	_, l := t.known()
	return coded(t.watch(quickTime, func() error { return l.replay(fresh) }))
}

// replay has requests answered from HAR files, where these have an answer.
func (l *link) replay(paths []string) error {
	for _, path := range paths {
		if err := l.context.RouteFromHAR(path, playwright.BrowserContextRouteFromHAROptions{NotFound: playwright.HarNotFoundFallback}); err != nil {
			return err
		}
	}
	return nil
}
