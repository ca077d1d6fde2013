package patches

import (
	"path/filepath"

	"github.com/abrowser/abrowser/patches/cdp"
)

// downloadSettings holds the settings that a client made on a CDP session by setDownloadBehavior: a
// directory for each browser context, and whether the client wants events.
type downloadSettings struct {
	events bool
	dirs   map[string]downloadDir
}

// downloadDir is a directory for the downloads of one browser context.
type downloadDir struct {
	dir    string
	byGUID bool // each copy is named by the GUID of its download
}

// deliveryOf returns where the session's client wants a copy of a download. ok is false if the
// client wants no copy.
func (s downloadSettings) deliveryOf(d *download) (to Delivery, ok bool) {
	p, ok := s.dirs[d.Context]
	switch {
	case !ok:
		return Delivery{}, false
	case p.byGUID:
		return Delivery{Dir: p.dir, Name: d.GUID, Exact: true}, true
	default:
		return Delivery{Dir: p.dir, Name: d.Name}, true
	}
}

// setDownloadBehavior records a client's settings for the CDP session on which the request came.
// The browser still saves files to the Mux's directory, and the Mux copies complete files to the
// client's directory. The browser's own settings change only for a context that a client created.
// In such a context "deny" makes the browser deny downloads, and any other behavior makes it accept
// downloads again.
func setDownloadBehavior(m *Mux, s *session, r cdp.Request, f fields) *cdp.Error {
	context, err := f.text("browserContextId")
	if err != nil {
		return err
	}
	behavior, err := f.text("behavior")
	if err != nil {
		return err
	}
	dir, err := f.text("downloadPath")
	if err != nil {
		return err
	}
	events, err := f.flag("eventsEnabled")
	if err != nil {
		return err
	}
	home := m.defaultContext(s.client.tenant)
	if context == "" {
		context = m.contextOf(s)
	}
	if context != home && !s.client.tenant.hasContext(context) {
		return noContext(context)
	}
	if s.downloads.dirs == nil {
		s.downloads.dirs = map[string]downloadDir{}
	}
	switch behavior {
	case "allow", "allowAndName":
		if !filepath.IsAbs(dir) { // the copy would be relative to the broker's working directory
			return &cdp.Error{Code: -32602, Message: "downloadPath not provided"}
		}
		s.downloads.dirs[context] = downloadDir{filepath.Clean(dir), behavior == "allowAndName"}
	case "deny", "default":
		delete(s.downloads.dirs, context)
	default:
		return badParams("behavior")
	}
	if r.Method == "Browser.setDownloadBehavior" {
		s.downloads.events = events
	}
	if context == home {
		m.respond(s, r, none{})
		return nil
	}
	m.setContextDownloads(s, r, context, behavior == "deny")
	return nil
}

// setContextDownloads makes the browser accept or deny the downloads of a browser context, and
// answers the client's request r.
func (m *Mux) setContextDownloads(s *session, r cdp.Request, context string, deny bool) {
	r.Method = "Browser.setDownloadBehavior"
	m.callFor(s, r, m.downloads.behavior(context, deny), func(in cdp.Message) { m.forwardResult(s, r, in) })
}

// cancelDownload forwards a request to cancel a download of the tenant.
func cancelDownload(m *Mux, s *session, r cdp.Request, f fields) *cdp.Error {
	guid, err := f.text("guid")
	if err != nil {
		return err
	}
	d := m.downloads.byGUID[guid]
	if d == nil || d.owner != s.client.tenant || d.owner.hidesContext(d.Context, s.client) {
		return noDownload()
	}
	return forwardOwnContext(m, s, r, f)
}

// noDownload returns Chromium's error for a download that does not exist.
func noDownload() *cdp.Error {
	return &cdp.Error{Code: -32602, Message: "No download item found for the given GUID"}
}
