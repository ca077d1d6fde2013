package home

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/abrowser/abrowser/sockets/wire"
)

// A session's pages are in one browser for as long as the session lasts, and its
// daemon may end and come back: so where they are is kept on disk, from the first
// connection to the session's end. Else a command without flags, which means the
// session as it is, would go on in another browser.

// where is the file that says where a session's pages are.
func (r Root) where(session string) string {
	return r.Path("state", "sessions", fileName(session)+".where.json")
}

// Remember keeps where a session's pages are.
func (r Root) Remember(session string, s wire.Settings) error {
	raw, err := json.Marshal(s.Where())
	if err != nil {
		return err
	}
	path := r.where(session)
	if known, err := os.ReadFile(path); err == nil && string(known) == string(raw) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return wire.OSError("making "+filepath.Dir(path), err)
	}
	if err := os.WriteFile(path+".new", raw, 0o600); err != nil {
		return wire.OSError("writing "+path, err)
	}
	return os.Rename(path+".new", path)
}

// Recall returns where a session's pages are, and whether the session lasts.
func (r Root) Recall(session string) (wire.Settings, bool, error) {
	var s wire.Settings
	raw, err := os.ReadFile(r.where(session))
	if errors.Is(err, fs.ErrNotExist) {
		return s, false, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, &s)
	}
	if err != nil {
		return s, false, wire.Errorf(wire.CodeInternal, "where the pages of session %s are cannot be read from %s: %v", session, r.where(session), wire.Errno(err)).
			WithHint("abrowser --session %s close", session)
	}
	return s, true, nil
}

// Kept is the file with what was set for a session and holds as long as it does.
func (r Root) Kept(session string) string {
	return r.Path("state", "sessions", fileName(session)+".kept.json")
}

// Journal is the file with the requests of a session that are being recorded.
func (r Root) Journal(session string) string {
	return r.Path("state", "sessions", fileName(session)+".har.jsonl")
}

// Forget is for the session's end.
func (r Root) Forget(session string) error {
	for _, path := range []string{r.where(session), r.Kept(session), r.Journal(session)} {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return wire.OSError("removing "+path, err)
		}
	}
	return r.RemoveAlias(session)
}

// Resume returns the settings for a session whose daemon does not run: those that
// were asked for, in the browser where its pages are. Asked for another one, it is
// [wire.CodeSettingsDiffer]: the session has to end first.
func (r Root) Resume(session string, asked wire.Settings) (wire.Settings, error) {
	known, lasts, err := r.Recall(session)
	if err != nil || !lasts {
		return asked, err
	}
	if names := asked.Where().Differ(known); len(names) > 0 {
		return asked, Differs("session "+session, names, "abrowser --session "+session+" close")
	}
	asked.Mode, asked.Profile, asked.CDP = known.Mode, known.Profile, known.CDP
	return asked, nil
}
