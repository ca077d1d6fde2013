package daemon

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// downloads is what the session's replies have said of its downloads. Which there
// are the broker knows, which keeps them over the daemon's end.
type downloads struct {
	known bool // the broker was asked
	last  int  // the newest one's number
	told  int  // up to which they are no news
	taken int  // the newest one that a command was given
	given map[string]time.Time
}

// noticeLocked takes the number of the newest download. Those of an earlier daemon
// are no news.
func (d *downloads) noticeLocked(last int) {
	if !d.known {
		d.known, d.told = true, last
	}
	d.last = last
}

// giveLocked marks a download as given to a command, whose caller fetches it.
func (d *downloads) giveLocked(got verbs.BrokerDownload) {
	if d.given == nil {
		d.given = map[string]time.Time{}
	}
	d.given[got.GUID] = time.Now()
	d.taken = max(d.taken, got.Number)
}

// fetching is how long a caller may take to fetch what it was given. What is still
// there then was not fetched, and another command may have it.
const fetching = 5 * time.Second

func (d *downloads) isGivenLocked(guid string) bool {
	at, given := d.given[guid]
	return given && time.Since(at) < fetching
}

// tellDownloads takes the downloads that began and that no reply has named.
func (t *turn) tellDownloads(ctx context.Context) []verbs.StartedDownload {
	t.mu.Lock()
	told, last := t.downloads.told, t.downloads.last
	t.downloads.told = last
	t.mu.Unlock()
	if told == last {
		return nil
	}
	all, err := t.broker.downloads(ctx)
	if err != nil {
		t.log.Warn("asking for downloads", "error", err)
	}
	var fresh []verbs.StartedDownload
	for _, d := range all {
		if told < d.Number && d.Number <= last {
			fresh = append(fresh, verbs.StartedDownload{SuggestedFilename: d.SuggestedFilename, URL: d.URL})
		}
	}
	return fresh
}

// beginTime is how long a click on a link that saves a file waits for the download
// to begin. One that begins later is told by a later reply.
const beginTime = 2 * time.Second

// awaitBegin waits until a download has begun that no reply has told.
func (t *turn) awaitBegin(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, beginTime)
	defer cancel()
	for {
		if _, err := t.listTabs(ctx); err != nil {
			return
		}
		t.mu.Lock()
		begun := t.downloads.last > t.downloads.told
		t.mu.Unlock()
		if begun || !pause(ctx, pollTime/2) {
			return
		}
	}
}

// newestDownload is the number of the session's newest download.
func (t *turn) newestDownload(ctx context.Context) (int, error) {
	if _, err := t.listTabs(ctx); err != nil {
		return 0, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.downloads.last, nil
}

// awaitDownload waits for a download that choose takes, and gives it to the command.
func (t *turn) awaitDownload(ctx context.Context, choose func([]verbs.BrokerDownload) *verbs.BrokerDownload) (verbs.BrokerDownload, error) {
	for {
		all, err := t.broker.downloads(ctx)
		if err != nil && !transient(err) {
			return verbs.BrokerDownload{}, err
		}
		if d := choose(all); d != nil {
			t.mu.Lock()
			t.downloads.giveLocked(*d)
			t.downloads.told = max(t.downloads.told, d.Number)
			t.mu.Unlock()
			return *d, nil
		}
		if !pause(ctx, pollTime) {
			return verbs.BrokerDownload{}, ended(ctx)
		}
	}
}

// transient reports whether the broker is only away for a moment: it is started
// again when it dies, and has lost no download.
func transient(err error) bool {
	return errors.Is(err, wire.CodeNotRunning) || errors.Is(err, wire.CodeBrowserGone)
}

// finished waits until a download has ended, and returns what the caller is to
// fetch.
func (t *turn) finished(ctx context.Context, d verbs.BrokerDownload, path string) (verbs.SavedDownload, error) {
	began := time.Now()
	for {
		switch d.State {
		case "completed":
			return verbs.SavedDownload{
				Path: path, SuggestedFilename: d.SuggestedFilename, URL: d.URL, Size: d.Received, Source: d.Path, Keep: d.Keep,
			}, nil
		case "canceled":
			if err := t.broker.forget(ctx, d.GUID); err != nil {
				t.log.Warn("forgetting a download", "error", err)
			}
			why := wire.Errorf(wire.CodeDownload, "the download of %s failed or was cancelled after %s", d.SuggestedFilename, bytesOf(d)).
				With("url", d.URL).With("received", d.Received).WithHint(hintSnapshot)
			if full := wire.AsError(t.root.CheckDisk()); full != nil {
				why.Message += ": " + full.Message
				why = why.WithHint("%s", full.Hint)
			}
			return verbs.SavedDownload{}, why
		}
		if !pause(ctx, pollTime) {
			return verbs.SavedDownload{}, t.unfinished(ctx, d, began, path)
		}
		all, err := t.broker.downloads(ctx)
		if err != nil && !transient(err) && ctx.Err() == nil {
			return verbs.SavedDownload{}, err
		}
		found := err != nil
		for _, now := range all {
			if now.GUID == d.GUID {
				d, found = now, true
			}
		}
		if !found {
			return verbs.SavedDownload{}, wire.Errorf(wire.CodeDownload, "the download of %s is gone: the browser was started again, or another command has fetched it", d.SuggestedFilename).
				WithHint(hintSnapshot)
		}
		t.mu.Lock()
		t.downloads.giveLocked(d) // it is waited for
		t.mu.Unlock()
	}
}

// unfinished is the error of a download that takes longer than its command. It
// goes on, and is there for the next.
func (t *turn) unfinished(ctx context.Context, d verbs.BrokerDownload, began time.Time, path string) error {
	t.mu.Lock()
	delete(t.downloads.given, d.GUID)
	t.mu.Unlock()
	err := ended(ctx)
	if !errors.Is(err, wire.CodeTimeout) {
		return err
	}
	if path == "" {
		path = "."
	}
	return wire.Errorf(wire.CodeTimeout, "the download of %s is not done after %s (%s); it goes on",
		d.SuggestedFilename, time.Since(began).Round(100*time.Millisecond), bytesOf(d)).
		With("received", d.Received).WithHint("abrowser wait --download %s", path)
}

func bytesOf(d verbs.BrokerDownload) string {
	if d.Total > 0 {
		return fmt.Sprintf("%d of %d bytes", d.Received, d.Total)
	}
	return fmt.Sprintf("%d bytes", d.Received)
}
