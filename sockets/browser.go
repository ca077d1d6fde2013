package sockets

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"

	"github.com/abrowser/abrowser/sockets/wire"
)

// Browser is the place of a browser's broker. Its lease lies in the profile's
// directory, so that one profile has one broker whatever its name.
func (r Root) Browser(name string) (Place, error) {
	if err := CheckName(name); err != nil {
		return Place{}, err
	}
	file := fileName(name)
	p := Place{
		Name:   name,
		Socket: r.Path("run", "b", file+".sock"),
		Lock:   r.Path("profiles", file, "abrowser.lock"),
		Start:  r.Path("run", "b", file+".start"),
		Log:    r.Path("log", "browser."+file+".log"),
	}
	return p, checkLength(p.Socket)
}

// BrowserOf is the place of the browser that the settings choose: one for each
// profile. Its name is "default", the profile's, or for a profile that is a
// directory one made from its path; the lease lies in that directory then, where
// another root's browser finds it too.
func (r Root) BrowserOf(s wire.Settings) (Place, error) {
	switch {
	case s.Profile == "":
		return r.Browser("default")
	case !filepath.IsAbs(s.Profile):
		return r.Browser(s.Profile)
	}
	dir := filepath.Clean(s.Profile)
	sum := sha256.Sum256([]byte(dir))
	p, err := r.Browser("dir-" + hex.EncodeToString(sum[:8]))
	p.Lock = filepath.Join(dir, filepath.Base(p.Lock))
	return p, err
}
