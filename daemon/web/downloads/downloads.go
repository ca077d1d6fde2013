// Package downloads reports to a session's commands which downloads have started and ended.
package downloads

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Downloads records which of the session's downloads were reported in replies or given to
// commands. The broker has the list of the downloads, and keeps it when the daemon ends.
type Downloads struct {
	session *daemon.Session
	noted   atomic.Bool // a page has started a download since the last call of HasNew

	mu    sync.Mutex           // guards the fields below
	told  int                  // downloads up to this number were reported
	taken int                  // the number of the newest download that was given to a command
	given map[string]time.Time // by GUID: when the download was last given to a command
}

// New returns the record of a session whose daemon has just started.
func New(s *daemon.Session) *Downloads { return &Downloads{session: s} }

// pollTime is how often the list of downloads is read while a command waits for one.
const pollTime = 100 * time.Millisecond

// giveLocked marks a download as given to a command. The command's caller fetches the file.
func (d *Downloads) giveLocked(got verbs.BrokerDownload) {
	if d.given == nil {
		d.given = map[string]time.Time{}
	}
	d.given[got.GUID] = time.Now()
	d.taken = max(d.taken, got.Number)
}

// fetchTime is how long a caller may take to fetch a download that was given to its command. If
// the download is still listed after that, it may be given to another command.
const fetchTime = 5 * time.Second

// IsTaken reports whether a download must not be given to another command. That is so in three
// cases:
//
//   - A CDP client of the session has got a copy of the file.
//   - The download was given to a command within the last fetchTime.
//   - The download was cancelled, and this or a newer download was given to a command.
func (d *Downloads) IsTaken(got verbs.BrokerDownload) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	at, given := d.given[got.GUID]
	return got.Delivered || got.State == "canceled" && got.Number <= d.taken || given && time.Since(at) < fetchTime
}

// untoldLocked returns the range of the downloads that are still to be reported. Their numbers are
// greater than the result told, and not greater than the result newest. Downloads that were started
// under an earlier daemon are not in the range.
func (d *Downloads) untoldLocked() (told, newest int) {
	newest, first := d.session.Tabs.Downloads()
	return max(d.told, first), newest
}

// Note is called when a page has started a download.
func (d *Downloads) Note() { d.noted.Store(true) }

// HasNew reports whether a download has started that no reply has named. It asks the broker only if
// a page has started a download since the last call.
func (d *Downloads) HasNew(ctx context.Context) bool {
	if !d.noted.Swap(false) {
		return false
	}
	if _, err := d.session.Tabs.List(ctx); err != nil {
		d.session.Log.Warn("asking for downloads", "error", err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	told, newest := d.untoldLocked()
	return newest > told
}

// TakeNew returns the downloads that have started and that no reply has named yet, and marks
// them as reported.
func (d *Downloads) TakeNew(ctx context.Context) []verbs.StartedDownload {
	d.mu.Lock()
	told, newest := d.untoldLocked()
	d.told = newest
	d.mu.Unlock()
	if told == newest {
		return nil
	}
	all, err := d.session.Broker.Downloads(ctx)
	if err != nil {
		d.session.Log.Warn("asking for downloads", "error", err)
	}
	var fresh []verbs.StartedDownload
	for _, one := range all {
		if told < one.Number && one.Number <= newest {
			fresh = append(fresh, verbs.StartedDownload{SuggestedFilename: one.SuggestedFilename, URL: one.URL})
		}
	}
	return fresh
}

// startTime is how long a click on a link that saves a file waits for the download to start. A
// later reply reports a download that starts later.
const startTime = 2 * time.Second

// AwaitStart waits up to startTime for the start of a download that no reply has named.
func (d *Downloads) AwaitStart(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	for {
		if _, err := d.session.Tabs.List(ctx); err != nil {
			return
		}
		d.mu.Lock()
		told, newest := d.untoldLocked()
		d.mu.Unlock()
		if newest > told || !daemon.Sleep(ctx, pollTime/2) {
			return
		}
	}
}

// Newest returns the number of the session's newest download.
func (d *Downloads) Newest(ctx context.Context) (int, error) {
	if _, err := d.session.Tabs.List(ctx); err != nil {
		return 0, err
	}
	newest, _ := d.session.Tabs.Downloads()
	return newest, nil
}

// Await lists the session's downloads repeatedly until the function choose picks one of them. It
// returns that download, and marks it as reported and as given to the command.
func (d *Downloads) Await(ctx context.Context, choose func([]verbs.BrokerDownload) *verbs.BrokerDownload) (verbs.BrokerDownload, error) {
	for {
		all, err := d.session.Broker.Downloads(ctx)
		if err != nil && !daemon.IsTransient(err) {
			return verbs.BrokerDownload{}, err
		}
		if one := choose(all); one != nil {
			d.mu.Lock()
			d.giveLocked(*one)
			d.told = max(d.told, one.Number)
			d.mu.Unlock()
			return *one, nil
		}
		if !daemon.Sleep(ctx, pollTime) {
			return verbs.BrokerDownload{}, daemon.ContextError(ctx)
		}
	}
}

// AwaitFinished waits until a download has ended, and returns the file that the caller fetches.
func (d *Downloads) AwaitFinished(ctx context.Context, one verbs.BrokerDownload, path string) (verbs.SavedDownload, error) {
	began := time.Now()
	for {
		switch one.State {
		case "completed":
			return verbs.SavedDownload{
				Path: path, SuggestedFilename: one.SuggestedFilename, URL: one.URL, Size: one.Received, Source: one.Path, Keep: one.Keep,
			}, nil
		case "canceled":
			if err := d.session.Broker.ForgetDownload(ctx, one.GUID); err != nil {
				d.session.Log.Warn("forgetting a download", "error", err)
			}
			failed := wire.Errorf(wire.CodeDownload, "the download of %s failed or was cancelled after %s", one.SuggestedFilename, progressText(one)).
				With("url", one.URL).With("received", one.Received).WithHint(daemon.HintSnapshot)
			if full := wire.AsError(d.session.Root.CheckDisk()); full != nil {
				failed.Message += ": " + full.Message
				failed = failed.WithHint("%s", full.Hint)
			}
			return verbs.SavedDownload{}, failed
		}
		if !daemon.Sleep(ctx, pollTime) {
			return verbs.SavedDownload{}, d.unfinishedError(ctx, one, began, path)
		}
		all, err := d.session.Broker.Downloads(ctx)
		if err != nil && !daemon.IsTransient(err) && ctx.Err() == nil {
			return verbs.SavedDownload{}, err
		}
		found := err != nil
		for _, now := range all {
			if now.GUID == one.GUID {
				one, found = now, true
			}
		}
		if !found {
			return verbs.SavedDownload{}, wire.Errorf(wire.CodeDownload, "the download of %s is gone: the browser was started again, or another command has fetched it", one.SuggestedFilename).
				WithHint(daemon.HintSnapshot)
		}
		d.mu.Lock()
		d.giveLocked(one) // the command still waits for it
		d.mu.Unlock()
	}
}

// unfinishedError returns the error of a command that ends before its download does. The download
// goes on, and may be given to the next command.
func (d *Downloads) unfinishedError(ctx context.Context, one verbs.BrokerDownload, began time.Time, path string) error {
	d.mu.Lock()
	delete(d.given, one.GUID)
	d.mu.Unlock()
	err := daemon.ContextError(ctx)
	if !errors.Is(err, wire.CodeTimeout) {
		return err
	}
	if path == "" {
		path = "."
	}
	return wire.Errorf(wire.CodeTimeout, "the download of %s is not done after %s (%s); it goes on",
		one.SuggestedFilename, time.Since(began).Round(100*time.Millisecond), progressText(one)).
		With("received", one.Received).WithHint("abrowser wait --download %s", wire.ShellWord(path))
}

func progressText(one verbs.BrokerDownload) string {
	if one.Total > 0 {
		return fmt.Sprintf("%d of %d bytes", one.Received, one.Total)
	}
	return fmt.Sprintf("%d bytes", one.Received)
}
