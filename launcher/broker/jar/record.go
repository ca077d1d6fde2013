package broker

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"time"
)

// cookie is a cookie as CDP writes it. Its value is never logged.
type cookie struct {
	Name         string     `json:"name"`
	Value        string     `json:"value"`
	Domain       string     `json:"domain"` // with a dot at its start: for the hosts below it, too
	Path         string     `json:"path"`
	Expires      float64    `json:"expires"` // seconds since 1970; -1 for a session cookie
	HTTPOnly     bool       `json:"httpOnly,omitempty"`
	Secure       bool       `json:"secure,omitempty"`
	Session      bool       `json:"session,omitempty"`
	SameSite     string     `json:"sameSite,omitempty"`
	Priority     string     `json:"priority,omitempty"`
	SourceScheme string     `json:"sourceScheme,omitempty"`
	SourcePort   int        `json:"sourcePort,omitempty"`
	Partition    *partition `json:"partitionKey,omitempty"`
	Opaque       bool       `json:"partitionKeyOpaque,omitempty"`
}

type partition struct {
	Site      string `json:"topLevelSite"`
	CrossSite bool   `json:"hasCrossSiteAncestor"`
}

// key is what two cookies must not have in common.
func (c cookie) key() string {
	key := []string{c.Name, c.Domain, c.Path}
	if c.Partition != nil {
		key = append(key, c.Partition.Site)
		if c.Partition.CrossSite {
			key = append(key, "cross")
		}
	}
	return strings.Join(key, "\x00")
}

// print tells two states of a cookie from each other. On its way through Chromium's
// file the time loses what is below a second.
func (c cookie) print() string {
	c.Expires = math.Floor(c.Expires)
	raw, _ := json.Marshal(c) // of strings and numbers
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:8])
}

func (c cookie) expired(now time.Time) bool {
	return !c.Session && c.Expires >= 0 && c.Expires <= float64(now.Unix())
}

// kept is a cookie and what we know of its past.
type kept struct {
	Cookie cookie    `json:"cookie"`
	Since  time.Time `json:"since"` // when it was first seen as it is
	// Earlier are the prints of what it was before, the last last.
	Earlier []string `json:"earlier,omitempty"`
}

const (
	// flushTime is how long Chromium may keep a cookie to itself: it writes its file
	// every 30 s, and a busy machine is later.
	flushTime  = 90 * time.Second
	mostPrints = 32
)

// jar is the copy of a browser's cookies that is put back where the browser lost
// them. Chromium writes its own 30 s late, and those of a session never.
type jar struct {
	Profile string          `json:"profile"`         // which one it is of: a word that lies in it
	Clean   bool            `json:"clean,omitempty"` // the browser was asked to end: it has written its own
	At      time.Time       `json:"at"`              // of the last look
	Cookies map[string]kept `json:"cookies"`
}

// look takes over the cookies that there are now, and reports whether any changed.
func (j *jar) look(now time.Time, cookies []cookie) bool {
	next, changed := make(map[string]kept, len(cookies)), false
	for _, c := range cookies {
		if c.Opaque {
			continue // nobody could set it
		}
		k, known := j.Cookies[c.key()]
		switch was := k.Cookie.print(); {
		case !known:
			k = kept{Cookie: c, Since: now}
			changed = true
		case was != c.print():
			k.Earlier = append(k.Earlier, was)
			k = kept{Cookie: c, Since: now, Earlier: k.Earlier[max(0, len(k.Earlier)-mostPrints):]}
			changed = true
		}
		next[c.key()] = k
	}
	changed = changed || len(next) != len(j.Cookies)
	j.At, j.Cookies, j.Clean = now, next, false
	return changed
}

// missing are the cookies that a browser has lost which died at that time: those
// of a session; those that are newer than what it may not have written; those of
// which it has an earlier state. What it has and we have never seen is newer than
// ours, and what we have had for long and it has not was deleted.
func (j *jar) missing(now, died time.Time, have []cookie) []cookie {
	there := map[string]cookie{}
	for _, c := range have {
		there[c.key()] = c
	}
	var lost []cookie
	for _, key := range slices.SortedFunc(maps.Keys(j.Cookies), cmp.Compare) {
		k := j.Cookies[key]
		c, isThere := there[key]
		switch {
		case k.Cookie.expired(now):
		case isThere && !j.Clean && slices.Contains(k.Earlier, c.print()):
			lost = append(lost, k.Cookie)
		case isThere:
		case k.Cookie.Session:
			lost = append(lost, k.Cookie)
		case !j.Clean && k.Since.After(died.Add(-flushTime)):
			lost = append(lost, k.Cookie)
		}
	}
	return lost
}

// putBack notes that cookies were put back: the browser has yet to write them.
func (j *jar) putBack(cookies []cookie, now time.Time) {
	for _, c := range cookies {
		k := j.Cookies[c.key()]
		k.Since = now
		j.Cookies[c.key()] = k
	}
}

// loadJar reads the file at path: an empty jar where there is none, or where it is
// of another profile.
func loadJar(path, profile string) (*jar, error) {
	empty := &jar{Profile: profile, Cookies: map[string]kept{}}
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return empty, nil
	}
	if err != nil {
		return empty, err
	}
	var j jar
	if err := json.Unmarshal(raw, &j); err != nil {
		return empty, errors.New("it is no JSON") // what exactly is wrong might quote a value
	}
	if j.Profile != profile || j.Cookies == nil {
		return empty, nil
	}
	return &j, nil
}

func (j *jar) save(path string) error {
	raw, err := json.Marshal(j)
	if err != nil {
		return err
	}
	next := path + ".new"
	if err := os.WriteFile(next, raw, 0o600); err != nil {
		return err
	}
	return os.Rename(next, path)
}
