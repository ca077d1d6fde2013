package patches

import (
	"encoding/json"
	"time"

	"github.com/abrowser/abrowser/patches/cdp"
)

// Download is a file that the browser saves, or has saved, for a page of a tenant.
type Download struct {
	// Number counts the tenant's downloads from 1, in the order in which they began. A number is
	// never used again in a session.
	Number int    `json:"number"`
	GUID   string `json:"guid"` // the name of the file in [Options.DownloadDir]
	// Path is the path of the complete file if [Options.DownloadDir] is empty, because the browser
	// then chooses the place of the file. Otherwise Path is empty.
	Path      string    `json:"path,omitzero"`
	URL       string    `json:"url"`
	Name      string    `json:"name"` // the name that the server or the page suggested
	Target    string    `json:"target,omitzero"`
	Context   string    `json:"context,omitzero"`
	State     string    `json:"state"`
	Received  int64     `json:"received,omitzero"`
	Total     int64     `json:"total,omitzero"` // 0 if unknown
	Began     time.Time `json:"began"`
	Delivered bool      `json:"handed,omitzero"` // a client has a copy
}

// The states of a [Download], as CDP names them.
const (
	DownloadRunning  = "inProgress"
	DownloadDone     = "completed"
	DownloadCanceled = "canceled"
)

// Delivery is the place for a copy of a finished download. If Dir already has a file with this
// Name, the copy gets another name or, if Exact is true, fails. An empty Dir means the person's own
// download folder.
type Delivery struct {
	Dir, Name string
	Exact     bool
}

const (
	// searchTime is how long the Mux searches, at most, for the page that contains the frame of a
	// new download.
	searchTime = 2 * time.Second
	// deliveredTime is how long a download is kept after a client has got a copy. In this time
	// another command of the session, which waits for the download, can still fetch it.
	deliveredTime = time.Minute
	// These are the limits for each tenant's finished downloads that no client has fetched.
	keptDownloads     = 20
	keptDownloadBytes = 1 << 30 // 1 GiB, without the newest download
)

// downloads tracks the files that the browser saves, finds the tenant of each download, and
// delivers the finished files. The browser saves each file under a unique name; see
// [downloads.accept].
type downloads struct {
	m      *Mux
	byGUID map[string]*download
}

// download is a download and the state of its delivery.
type download struct {
	Download
	owner       *tenant // nil while the owner is unknown, and if no tenant owns the page
	frame       string
	searching   bool              // the search for the frame's page is in progress
	unanswered  int               // number of unanswered calls of the search
	beginParams json.RawMessage   // params of Browser.downloadWillBegin, for the owner's clients
	laterParams []json.RawMessage // params of the progress events that came during the search
	delivering  bool              // the file is complete and is being copied
	announced   map[*session]bool // sessions that got Browser.downloadWillBegin
}

// accept makes the browser save the downloads of a browser context in [Options.DownloadDir], under
// their GUIDs. If DownloadDir is empty, the browser's own settings say where it saves them. accept
// also makes the browser send the events of the downloads to the Mux's root session. The browser
// must never send these events to a client's session, because they cover the downloads of all
// tenants.
func (ds *downloads) accept(context string, onReply func(in cdp.Message)) {
	ds.m.call("Browser.setDownloadBehavior", ds.behavior(context, false), "", onReply)
}

// behavior returns the params of Browser.setDownloadBehavior for a context.
func (ds *downloads) behavior(context string, deny bool) []byte {
	p := struct {
		Behavior string `json:"behavior"`
		Context  string `json:"browserContextId,omitzero"`
		Path     string `json:"downloadPath,omitzero"`
		Events   bool   `json:"eventsEnabled"`
	}{"allowAndName", context, ds.m.DownloadDir, true}
	switch {
	case deny:
		p.Behavior, p.Path = "deny", ""
	case ds.m.DownloadDir == "":
		p.Behavior = "default"
	}
	return encode(p)
}

// began handles Browser.downloadWillBegin. The owner of the download is the owner of the page that
// contains the event's frame. A main frame has the same id as its page. For any other frame, began
// searches for the page.
func (ds *downloads) began(in cdp.Message) {
	var p struct{ FrameID, GUID, URL, SuggestedFilename string }
	if in.Params(&p) != nil || p.GUID == "" || ds.byGUID[p.GUID] != nil {
		return
	}
	d := &download{
		Download: Download{GUID: p.GUID, URL: p.URL, Name: p.SuggestedFilename, State: DownloadRunning, Began: ds.m.now()},
		frame:    p.FrameID, beginParams: json.RawMessage(in.RawParams()), announced: map[*session]bool{},
	}
	ds.byGUID[d.GUID] = d
	if t := ds.m.targets[d.frame]; t != nil {
		ds.assign(d, t)
		return
	}
	ds.search(d)
}

// search finds the page that contains the download's frame. It sends one query to each page of
// every tenant. Chromium's browser process answers the query, so a busy or stopped page does not
// delay the search.
func (ds *downloads) search(d *download) {
	d.searching, d.unanswered = true, 1
	answered := func(t *target) {
		d.unanswered--
		if d.searching && (t != nil || d.unanswered == 0) {
			ds.assign(d, t)
		}
	}
	for _, tn := range ds.m.sortedTenants() {
		for _, t := range tn.targets() {
			on := ds.m.sessionOn(t)
			if on == "" {
				continue
			}
			d.unanswered++
			ds.m.call("Storage.getStorageKeyForFrame", encode(frameParam{d.frame}), on, func(in cdp.Message) {
				if in.Result(nil) != nil {
					t = nil
				}
				answered(t)
			})
		}
	}
	ds.m.after(searchTime, func() {
		if d.searching {
			ds.assign(d, nil)
		}
	})
	answered(nil)
}

type frameParam struct {
	FrameID string `json:"frameId"`
}

// sessionOn returns the id of a CDP session for calls to a page. This is the Mux's own session or,
// if the Mux has no session, a client's session. The result is empty if there is no session on the
// page.
func (m *Mux) sessionOn(t *target) string {
	if t.session != "" {
		return t.session
	}
	for id, s := range m.sessions {
		if s.target == t.TargetID && !s.browser {
			return id
		}
	}
	return ""
}

// assign makes the owner of page t the owner of a download, and announces the download to those of
// the owner's clients that asked for events. If t is nil or a person's page, the download has no
// owner.
func (ds *downloads) assign(d *download, t *target) {
	d.searching = false
	if t != nil {
		d.Target, d.Context, d.owner = t.TargetID, t.ContextID, t.owner
	}
	if tn := d.owner; tn != nil {
		tn.LastDownload++
		d.Number = tn.LastDownload
		ds.m.save()
		for _, s := range ds.sessions(d) {
			if s.downloads.events {
				d.announced[s] = true
				ds.m.sendEvent(s, "Browser.downloadWillBegin", d.beginParams)
			}
		}
	}
	d.beginParams = nil
	later := d.laterParams
	d.laterParams = nil
	for _, params := range later {
		ds.update(d, params)
	}
}

// progressed handles Browser.downloadProgress.
func (ds *downloads) progressed(in cdp.Message) {
	var p struct{ GUID string }
	if in.Params(&p) != nil {
		return
	}
	d := ds.byGUID[p.GUID]
	if d == nil {
		return
	}
	params := json.RawMessage(in.RawParams())
	if d.searching {
		d.laterParams = append(d.laterParams, params)
		return
	}
	ds.update(d, params)
}

// update updates a download according to the params of a progress event.
func (ds *downloads) update(d *download, params json.RawMessage) {
	var p struct {
		TotalBytes, ReceivedBytes float64
		State, FilePath           string
	}
	if json.Unmarshal(params, &p) != nil || d.delivering || d.State == DownloadDone {
		return
	}
	// The larger value is kept because the last event of a failed download reports 0 bytes.
	d.Total, d.Received = max(d.Total, int64(p.TotalBytes)), max(d.Received, int64(p.ReceivedBytes))
	switch p.State {
	case DownloadRunning:
		d.State = DownloadRunning
		ds.sendProgress(d, params, nil)
	case DownloadDone:
		if ds.m.DownloadDir == "" {
			d.Path = p.FilePath
		}
		ds.complete(d, params)
	case DownloadCanceled:
		d.State = DownloadCanceled
		ds.discard(d)
		ds.sendProgress(d, params, nil)
		if d.owner == nil {
			delete(ds.byGUID, d.GUID)
			return
		}
		ds.trim(d.owner)
		ds.m.save()
	}
}
