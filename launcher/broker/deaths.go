package broker

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	longLife  = 10 * time.Second // a browser that lived so long may be started again at once
	mostShort = 5                // so many in a row that did not are enough
	firstRest = 500 * time.Millisecond
	restTime  = 20 * time.Second // in which no other is tried after that
)

// mourn decides what follows when the browser has died: another one, after a
// pause that grows while they do not live long, or, when one after the other has
// died, an end and the reason.
func (k *keeper) mourn(ctx context.Context) (again bool, err error) {
	k.died = time.Now()
	if k.died.Sub(k.browser.began) >= longLife {
		k.short = 0
	}
	k.short++
	k.restarts++
	if k.short >= mostShort {
		return false, k.rest(wire.Errorf(wire.CodeNoBrowser, "the browser died %d times in a row soon after its start", k.short).
			WithHint("abrowser doctor").With("stderr", lastLines(k.browser.tail.String(), 20)))
	}
	k.log.Error("the browser died; it is started again", "lived", k.died.Sub(k.browser.began).String(), "row", k.short, "stderr", lastLines(k.browser.tail.String(), 3))
	if k.short == 1 {
		return true, nil
	}
	timer := time.NewTimer(firstRest << (k.short - 2))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true, nil
	case <-ctx.Done():
		return false, nil
	}
}

// lastWords is the file that says why no browser is started for a while.
type lastWords struct {
	At    time.Time   `json:"at"`
	Error *wire.Error `json:"error"`
}

func (k *keeper) lastWords() string {
	return k.Root.Path("state", "died-"+filepath.Base(k.place.Socket)+".json")
}

// rest leaves word for the keepers that follow, and returns the failure.
func (k *keeper) rest(failure *wire.Error) error {
	raw, err := json.Marshal(lastWords{time.Now(), failure})
	if err == nil {
		err = os.WriteFile(k.lastWords(), raw, 0o600)
	}
	if err != nil {
		k.log.Error("leaving word", "error", err)
	}
	return failure
}

// rested returns why no browser is to be started yet, where one after the other
// has just died.
func (k *keeper) rested() error {
	raw, err := os.ReadFile(k.lastWords())
	if err != nil {
		return nil //nolint:nilerr // without the file, or with one that cannot be read, it is tried
	}
	var last lastWords
	if json.Unmarshal(raw, &last) == nil && last.Error != nil {
		// A clock that was set back is no reason to wait for it.
		if since := time.Since(last.At); since >= 0 && since < restTime {
			return last.Error.WithHint("abrowser doctor; another browser is tried after %s", (restTime - since).Round(time.Second))
		}
	}
	return os.Remove(k.lastWords())
}
