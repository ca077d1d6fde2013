package home

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// sharedName is the name of the shared browser and of its profile.
const sharedName = "default"

// Browser is the place of a browser's broker. Its lease lies in the profile's
// directory, so that one profile has one broker whatever its name.
func (r Root) Browser(name string) (Place, error) {
	if err := CheckName(name); err != nil {
		return Place{}, err
	}
	file := fileName(name)
	p := r.browser(name, file)
	return p, p.CheckLength()
}

func (r Root) browser(name, file string) Place {
	return Place{
		Name:   name,
		Socket: r.Path("run", "b", file+".sock"),
		Lock:   r.Path("profiles", file, leaseName),
		Start:  r.Path("run", "b", file+".start"),
		Log:    r.Path("log", "browser."+file+".log"),
	}
}

const leaseName = "abrowser.lock"

// BrowserOf is the place of the browser that the settings choose: one for each
// profile, and one for each browser that somebody else started. Its name is
// "default", the profile's, or one made from the directory's path or the
// endpoint. Where the profile is a directory the lease lies in it, where another
// root's browser finds it too. The settings are as [Root.Settle] leaves them.
func (r Root) BrowserOf(s wire.Settings) (Place, error) {
	switch {
	case s.CDP != "":
		p, err := r.Browser(madeName("cdp", s.CDP))
		p.Lock = strings.TrimSuffix(p.Socket, ".sock") + ".lock"
		return p, err
	case s.Profile == "":
		return r.Browser(sharedName)
	case !filepath.IsAbs(s.Profile):
		return r.Browser(s.Profile)
	}
	dir := filepath.Clean(s.Profile)
	p, err := r.Browser(madeName("dir", dir))
	p.Lock = filepath.Join(dir, leaseName)
	return p, err
}

// madeName is the name of a browser that has none.
func madeName(kind, from string) string {
	sum := sha256.Sum256([]byte(from))
	return kind + "-" + hex.EncodeToString(sum[:8])
}

// isMadeName reports whether name is one that [madeName] makes.
func isMadeName(name string) bool {
	kind, sum, _ := strings.Cut(name, "-")
	return (kind == "cdp" || kind == "dir") && len(sum) == 16 && strings.Trim(sum, "0123456789abcdef") == ""
}

// Browsers lists the places of brokers that left a socket, whether they listen or
// not. The name is empty where the file's name is a hash, and Lock is right for
// named profiles alone.
func (r Root) Browsers() ([]Place, error) {
	entries, err := os.ReadDir(r.Path("run", "b"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, wire.OSError("listing "+r.Path("run", "b"), err)
	}
	var places []Place
	for _, e := range entries {
		file, isSocket := strings.CutSuffix(e.Name(), ".sock")
		if !isSocket {
			continue
		}
		name := file
		if !isLiteral(file) {
			name = ""
		}
		places = append(places, r.browser(name, file))
	}
	return places, nil
}
