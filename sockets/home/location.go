package home

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"

	"github.com/abrowser/abrowser/sockets/wire"
)

// A session's pages are in one browser for as long as the session exists, but the session's
// daemon may end and be started again. The location of the pages (mode, profile or CDP
// endpoint, allowed domains and policy) is therefore saved on disk, from the first connection to the browser until the
// session ends. Otherwise a command without flags would continue the session in another
// browser.

// locationFile returns the path of the file with the location of a session's pages.
func (r Root) locationFile(session string) string {
	return r.Path("state", "sessions", fileName(session)+".where.json")
}

// SaveLocation saves the location of a session's pages.
func (r Root) SaveLocation(session string, s wire.Settings) error {
	raw, err := json.Marshal(s.Location())
	if err != nil {
		return err
	}
	path := r.locationFile(session)
	if known, err := os.ReadFile(path); err == nil && string(known) == string(raw) {
		return nil
	}
	return WriteFile(path, raw)
}

// LoadLocation returns the saved location of a session's pages, and whether a location is saved. It
// returns an error if the saved location cannot be read.
func (r Root) LoadLocation(session string) (wire.Settings, bool, error) {
	var s wire.Settings
	raw, err := os.ReadFile(r.locationFile(session))
	if errors.Is(err, fs.ErrNotExist) {
		return s, false, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, &s)
	}
	if err != nil {
		return s, false, wire.Errorf(wire.CodeInternal, "reading the browser of session %s from %s: %v", session, r.locationFile(session), wire.Errno(err)).
			WithHint("abrowser --session %s close", session)
	}
	return s, true, nil
}

// StateFile returns the path of the file in which the session's daemon saves the settings that
// commands have made, such as policies. A later daemon of the session loads them.
func (r Root) StateFile(session string) string {
	return r.Path("state", "sessions", fileName(session)+".kept.json")
}

// JournalFile returns the path of the file in which the HTTP requests of a session's pages are
// recorded.
func (r Root) JournalFile(session string) string {
	return r.Path("state", "sessions", fileName(session)+".har.jsonl")
}

// Forget removes what is saved about a session when the session ends: its location, its
// settings, its recorded requests and its alias.
func (r Root) Forget(session string) error {
	for _, path := range []string{r.locationFile(session), r.StateFile(session), r.JournalFile(session)} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return wire.OSError("removing "+path, err)
		}
	}
	return r.RemoveAlias(session)
}

// Resume returns the settings with which to start a session's daemon. These are the requested
// settings, with the saved location if there is one. Resume returns [wire.CodeSettingsDiffer] if
// the caller requests another location than the saved one, because a session must end before
// its pages can be in another browser.
func (r Root) Resume(session string, asked wire.Settings) (wire.Settings, error) {
	known, saved, err := r.LoadLocation(session)
	if err != nil || !saved {
		return asked, err
	}
	if names := asked.Location().Diff(known); len(names) > 0 {
		return asked, settingsDiffer("session "+session, names, "abrowser --session "+session+" close")
	}
	return asked.At(known), nil
}
