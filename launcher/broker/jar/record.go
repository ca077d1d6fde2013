package jar

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/abrowser/abrowser/sockets/home"
)

const (
	// flushTime is how long Chromium may take to write a cookie to its file. It writes every
	// 30 s, or later on a busy machine.
	flushTime       = 90 * time.Second
	maxFingerprints = 32
)

// record is the content of the file: the last known cookies and their history.
type record struct {
	Profile string           `json:"profile"`         // the id of the profile, see [profileID]
	Clean   bool             `json:"clean,omitempty"` // the browser was asked to exit, and has written its own file
	At      time.Time        `json:"at"`              // the time of the last update
	Cookies map[string]entry `json:"cookies"`         // by [cookie.key]
}

// entry is a cookie with its history.
type entry struct {
	Cookie cookie    `json:"cookie"`
	Since  time.Time `json:"since"` // when the cookie was first seen in this state
	// Earlier has the fingerprints of the cookie's earlier states, the oldest first.
	Earlier []string `json:"earlier,omitempty"`
}

// update replaces the cookies of the record by those that the browser has now. It reports whether
// any cookie has changed.
func (r *record) update(now time.Time, cookies []cookie) bool {
	next, changed := make(map[string]entry, len(cookies)), false
	for _, c := range cookies {
		if c.Opaque {
			continue // such a cookie cannot be set again
		}
		e, known := r.Cookies[c.key()]
		switch was := e.Cookie.fingerprint(); {
		case !known:
			e = entry{Cookie: c, Since: now}
			changed = true
		case was != c.fingerprint():
			e.Earlier = append(e.Earlier, was)
			e = entry{Cookie: c, Since: now, Earlier: e.Earlier[max(0, len(e.Earlier)-maxFingerprints):]}
			changed = true
		}
		next[c.key()] = e
	}
	changed = changed || len(next) != len(r.Cookies)
	r.At, r.Cookies, r.Clean = now, next, false
	return changed
}

// lost returns the cookies of the record that were lost with a browser. died is the time at which
// that browser died, and cookies has the cookies of the next browser. These cookies of the record
// are lost, unless they have expired:
//
//   - a session cookie that the next browser does not have;
//   - a cookie that the next browser does not have, and that was too new to have been written;
//   - a cookie that the next browser has in an earlier state.
//
// If the record is clean, only session cookies can be lost. If the next browser has a cookie in a
// state that the record does not contain, that state is newer than the record, and is kept. If the
// next browser does not have a cookie that was old enough to have been written, the cookie was
// deleted.
func (r *record) lost(now, died time.Time, cookies []cookie) []cookie {
	present := map[string]cookie{}
	for _, c := range cookies {
		present[c.key()] = c
	}
	var lost []cookie
	for _, key := range slices.SortedFunc(maps.Keys(r.Cookies), cmp.Compare) {
		e := r.Cookies[key]
		c, isPresent := present[key]
		switch {
		case e.Cookie.isExpired(now):
		case isPresent && !r.Clean && slices.Contains(e.Earlier, c.fingerprint()),
			!isPresent && e.Cookie.Session,
			!isPresent && !r.Clean && e.Since.After(died.Add(-flushTime)):
			lost = append(lost, e.Cookie)
		}
	}
	return lost
}

// restored records that cookies were set again just now, so that the browser's file does not have
// them yet.
func (r *record) restored(cookies []cookie, now time.Time) {
	for _, c := range cookies {
		e := r.Cookies[c.key()]
		e.Since = now
		r.Cookies[c.key()] = e
	}
}

// load reads the file. It returns an empty record if the file is missing or belongs to another
// profile.
func load(path, profile string) (*record, error) {
	empty := &record{Profile: profile, Cookies: map[string]entry{}}
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return empty, nil
	}
	if err != nil {
		return empty, err
	}
	var r record
	if err := json.Unmarshal(raw, &r); err != nil {
		return empty, errors.New("the file is not valid JSON") // the cause might quote a value
	}
	if r.Profile != profile || r.Cookies == nil {
		return empty, nil
	}
	return &r, nil
}

func (r *record) write(path string) error {
	raw, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return home.WriteFile(path, raw)
}
