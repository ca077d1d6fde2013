package home

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"

	"github.com/abrowser/abrowser/sockets/wire"
)

// sharedName is the name of the shared browser and of its profile.
const sharedName = "default"

// Browser returns the endpoint of a browser's broker. The lock file of the broker's lease is in the
// profile's directory. A profile therefore has at most one broker, even if one session selects the
// profile by its name and another session selects it by its directory.
func (r Root) Browser(name string) (Endpoint, error) {
	if err := CheckName(name); err != nil {
		return Endpoint{}, err
	}
	file := fileName(name)
	e := r.browser(name, file)
	return e, e.CheckLength()
}

func (r Root) browser(name, file string) Endpoint {
	return Endpoint{
		Name:   name,
		Socket: r.Path("run", "b", file+".sock"),
		Lock:   r.Path("profiles", file, leaseName),
		Start:  r.Path("run", "b", file+".start"),
		Log:    r.Path("log", "browser."+file+".log"),
	}
}

const leaseName = "abrowser.lock"

// BrowserOf returns the endpoint of the broker for the browser that the settings choose. Each
// profile has one endpoint. Each external browser also has one endpoint. An external browser is a
// browser that abrowser did not start. The name of the endpoint is:
//
//   - "default" for the shared browser
//   - the profile's name, if the settings give the profile by name
//   - a name from [hashName], if the settings give the profile's directory or a CDP URL
//
// If the settings give the profile's directory, the lock file of the broker's lease is in that
// directory. The lease then also excludes brokers whose files are below another root. BrowserOf
// expects settings from [Root.Normalize].
func (r Root) BrowserOf(s wire.Settings) (Endpoint, error) {
	switch {
	case s.CDP != "":
		e, err := r.Browser(hashName("cdp", s.CDP))
		e.Lock = strings.TrimSuffix(e.Socket, ".sock") + ".lock"
		return e, err
	case s.Profile == "":
		return r.Browser(sharedName)
	case !filepath.IsAbs(s.Profile):
		return r.Browser(s.Profile)
	}
	dir := filepath.Clean(s.Profile)
	e, err := r.Browser(hashName("dir", dir))
	e.Lock = filepath.Join(dir, leaseName)
	return e, err
}

// hashName returns a name for a browser that is identified by a CDP URL or by the directory of its
// profile. The name is <kind>-<hash>, where the hash is that of the URL or the directory.
func hashName(kind, location string) string {
	sum := sha256.Sum256([]byte(location))
	return kind + "-" + hex.EncodeToString(sum[:8])
}

// isHashName reports whether name has the form of [hashName]'s results.
func isHashName(name string) bool {
	kind, sum, _ := strings.Cut(name, "-")
	return (kind == "cdp" || kind == "dir") && len(sum) == 16 && strings.Trim(sum, "0123456789abcdef") == ""
}

// Browsers lists the endpoints of brokers whose socket file exists, whether or not a broker
// listens. An endpoint's Name is empty if its file name is a hash from [fileName]. The Lock of
// an endpoint is correct only for the shared profile and for profiles given by name.
func (r Root) Browsers() ([]Endpoint, error) { return r.list("b", r.browser, ".sock") }
