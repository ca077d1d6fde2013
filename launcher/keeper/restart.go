package keeper

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	longLife   = 10 * time.Second       // a browser that has lived for this long is restarted at once
	mostShort  = 5                      // deaths in a row, after which no browser starts for restTime
	firstPause = 500 * time.Millisecond // before the second restart in a row
	restTime   = 20 * time.Second       // see mostShort
)

// restart is called when the browser has died. It returns true when another browser must be
// started. After the first death in a row, it returns at once. After the second, it first waits for
// firstPause, and after each further death twice as long as before. It returns false if ctx ends
// while it waits, and an error after mostShort deaths in a row.
func (k *keeper) restart(ctx context.Context) (again bool, err error) {
	k.died = time.Now()
	if k.died.Sub(k.browser.began) >= longLife {
		k.short = 0
	}
	k.short++
	k.restarts++
	if k.short >= mostShort {
		return false, k.saveCrash(wire.Errorf(wire.CodeNoBrowser, "the browser died %d times in a row, each time within %s of its start", k.short, longLife).
			WithHint("abrowser doctor").With("stderr", lastLines(k.browser.stderr.String(), 20)))
	}
	k.log.Error("the browser died and is restarted", "lived", k.died.Sub(k.browser.began).String(), "row", k.short, "stderr", lastLines(k.browser.stderr.String(), 3))
	if k.short == 1 {
		return true, nil
	}
	timer := time.NewTimer(firstPause << (k.short - 2))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true, nil
	case <-ctx.Done():
		return false, nil
	}
}

// crashRecord is the content of the file that keeps later keepers from starting a browser
// for a while.
type crashRecord struct {
	At    time.Time   `json:"at"`
	Error *wire.Error `json:"error"`
}

func (k *keeper) crashFile() string {
	return k.Root.Path("state", "died-"+filepath.Base(k.place.Socket)+".json")
}

// saveCrash writes a crash record with the failure, and returns the failure.
func (k *keeper) saveCrash(failure *wire.Error) error {
	raw, err := json.Marshal(crashRecord{time.Now(), failure})
	if err == nil {
		err = os.WriteFile(k.crashFile(), raw, 0o600)
	}
	if err != nil {
		k.log.Error("writing the crash record", "error", err)
	}
	return failure
}

// checkCrashes returns an error if mostShort browsers have recently died in a row, so that no
// other browser may be started yet.
func (k *keeper) checkCrashes() error {
	raw, err := os.ReadFile(k.crashFile())
	if err != nil {
		return nil //nolint:nilerr // a missing or unreadable record forbids nothing
	}
	var last crashRecord
	if json.Unmarshal(raw, &last) == nil && last.Error != nil {
		// A negative time means that the clock was set back; the record is ignored.
		if since := time.Since(last.At); since >= 0 && since < restTime {
			return last.Error.WithHint("abrowser doctor; another browser is tried after %s", (restTime - since).Round(time.Second))
		}
	}
	return os.Remove(k.crashFile())
}
