package patches

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/abrowser/abrowser/patches/cdp"
)

// Download is a file that a page of an owner had the browser save.
type Download struct {
	Number int    `json:"number"` // in the order of their beginnings; never given twice in a session
	GUID   string `json:"guid"`   // the name of its file in the directory of downloads
	// Path is where the browser itself has put the file; empty: it is in the
	// directory of downloads.
	Path      string    `json:"path,omitzero"`
	URL       string    `json:"url"`
	Name      string    `json:"name"` // as the server or the page would have it
	Target    string    `json:"target,omitzero"`
	Context   string    `json:"context,omitzero"`
	State     string    `json:"state"`
	Received  int64     `json:"received,omitzero"`
	Total     int64     `json:"total,omitzero"` // 0 while it is not known
	Began     time.Time `json:"began"`
	Delivered bool      `json:"handed,omitzero"` // a client's program has it
}

// The states of a [Download], in the browser's words.
const (
	DownloadRunning  = "inProgress"
	DownloadDone     = "completed"
	DownloadCanceled = "canceled"
)

// Delivery is where a finished download is to be put. The name is the file's own
// where Exact, else made one that is not taken. An empty Dir is the person's own
// folder of downloads.
type Delivery struct {
	Dir, Name string
	Exact     bool
}

const (
	// seekTime is how long the pages may take to say whose frame began a download.
	searchTime = 2 * time.Second
	// handedTime is how long a download stays that a client's program has got: for
	// a command of the session that waits for the same one.
	deliveredTime = time.Minute
	// What is kept of each owner's finished downloads that nobody fetches.
	keptDownloads     = 20
	keptDownloadBytes = 1 << 30 // beside the newest
)

// download is one that the browser has begun and we have not forgotten.
type download struct {
	Download
	owner       *tenant // nil while it is not known, and when it is nobody's
	frame       string
	searching   bool              // its frame's page is being looked for
	unanswered  int               // pages that have not answered yet
	beginParams json.RawMessage   // of its first event
	laterParams []json.RawMessage // of those that came while it was sought
	delivering  bool              // it is complete and being delivered
	announced   map[*session]bool // sessions that know of it
}

// acceptDownloads has the downloads of a browser context put into our directory,
// under names that no two have, and their events sent to our own root. A client's
// own CDP session must never get the events: there they are of all sessions.
func (m *Mux) acceptDownloads(context string, then func(in cdp.Message)) {
	m.call("Browser.setDownloadBehavior", m.downloadBehavior(context, false), "", then)
}

func (m *Mux) downloadBehavior(context string, deny bool) []byte {
	p := struct {
		Behavior string `json:"behavior"`
		Context  string `json:"browserContextId,omitzero"`
		Path     string `json:"downloadPath,omitzero"`
		Events   bool   `json:"eventsEnabled"`
	}{"allowAndName", context, m.DownloadDir, true}
	switch {
	case deny:
		p.Behavior, p.Path = "deny", ""
	case m.DownloadDir == "":
		p.Behavior = "default"
	}
	return encode(p)
}

// downloadBegan takes the news of a download. Whose it is its frame says, which
// is a page's main frame or one somewhere below.
func (m *Mux) downloadBegan(in cdp.Message) {
	var p struct{ FrameID, GUID, URL, SuggestedFilename string }
	if in.Params(&p) != nil || p.GUID == "" || m.files[p.GUID] != nil {
		return
	}
	d := &download{
		Download: Download{GUID: p.GUID, URL: p.URL, Name: p.SuggestedFilename, State: DownloadRunning, Began: m.now()},
		frame:    p.FrameID, beginParams: json.RawMessage(in.RawParams()), announced: map[*session]bool{},
	}
	m.files[d.GUID] = d
	if t := m.targets[d.frame]; t != nil {
		m.assign(d, t)
		return
	}
	m.seek(d)
}

// seek asks each page whether the frame is in its tree. The browser's own process
// answers that, and not the page, which may be busy or stopped.
func (m *Mux) seek(d *download) {
	d.searching, d.unanswered = true, 1
	answered := func(t *target) {
		d.unanswered--
		if d.searching && (t != nil || d.unanswered == 0) {
			m.assign(d, t)
		}
	}
	for _, tn := range m.sortedTenants() {
		for _, t := range tn.targets() {
			on := m.sessionOn(t)
			if on == "" {
				continue
			}
			d.unanswered++
			m.call("Storage.getStorageKeyForFrame", encode(frameParam{d.frame}), on, func(in cdp.Message) {
				if in.Result(nil) != nil {
					t = nil
				}
				answered(t)
			})
		}
	}
	m.after(searchTime, func() {
		if d.searching {
			m.assign(d, nil)
		}
	})
	answered(nil)
}

type frameParam struct {
	FrameID string `json:"frameId"`
}

// sessionOn is a CDP session on which the page can be asked something: ours, or a
// client's while it has ours.
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

// assign gives a download to the owner of the page that began it, nobody where t
// is nil or a person's, and tells the owner's clients that asked for it.
func (m *Mux) assign(d *download, t *target) {
	d.searching = false
	if t != nil {
		d.Target, d.Context, d.owner = t.TargetID, t.ContextID, t.owner
	}
	if tn := d.owner; tn != nil {
		tn.LastDownload++
		d.Number = tn.LastDownload
		m.save()
		for _, s := range m.downloadSessions(d) {
			if s.downloads.events {
				d.announced[s] = true
				m.sendEvent(s, "Browser.downloadWillBegin", d.beginParams)
			}
		}
	}
	d.beginParams = nil
	later := d.laterParams
	d.laterParams = nil
	for _, params := range later {
		m.progress(d, params)
	}
}

// downloadSessions are the CDP sessions of the owner's clients that downloads like
// this one concern, in the order in which they were made.
func (m *Mux) downloadSessions(d *download) []*session {
	if d.owner == nil {
		return nil
	}
	var all []*session
	for _, c := range d.owner.clients {
		if d.owner.hidesContext(d.Context, c) {
			continue
		}
		for _, s := range c.allSessions() {
			if s.browser || s.target == d.Target {
				all = append(all, s)
			}
		}
	}
	return all
}

func (m *Mux) downloadProgress(in cdp.Message) {
	var p struct{ GUID string }
	if in.Params(&p) != nil {
		return
	}
	d := m.files[p.GUID]
	if d == nil {
		return
	}
	params := json.RawMessage(in.RawParams())
	if d.searching {
		d.laterParams = append(d.laterParams, params)
		return
	}
	m.progress(d, params)
}

// progress takes how far a download is.
func (m *Mux) progress(d *download, params json.RawMessage) {
	var p struct {
		TotalBytes, ReceivedBytes float64
		State, FilePath           string
	}
	if json.Unmarshal(params, &p) != nil || d.delivering || d.State == DownloadDone {
		return
	}
	// The end of one that failed says that nothing has come.
	d.Total, d.Received = max(d.Total, int64(p.TotalBytes)), max(d.Received, int64(p.ReceivedBytes))
	switch p.State {
	case DownloadRunning:
		d.State = DownloadRunning
		m.tellProgress(d, params, nil)
	case DownloadDone:
		if m.DownloadDir == "" {
			d.Path = p.FilePath
		}
		m.complete(d, params)
	case DownloadCanceled:
		d.State = DownloadCanceled
		m.discard(d)
		m.tellProgress(d, params, nil)
		if d.owner == nil {
			delete(m.files, d.GUID)
			return
		}
		m.trimDownloads(d.owner)
		m.save()
	}
}

// tellProgress passes an event of a download on to the sessions that know of it.
// The file is at paths for those that are in it.
func (m *Mux) tellProgress(d *download, params json.RawMessage, paths map[*session]string) {
	for _, s := range m.downloadSessions(d) {
		if !d.announced[s] {
			continue
		}
		own := params
		if path, waited := paths[s]; waited {
			own = withPath(params, path)
		}
		m.sendEvent(s, "Browser.downloadProgress", own)
	}
}

// withPath is the params of an event of a finished download for a client that was
// to have the file: with the place where it has it, or as of one that failed.
func withPath(params json.RawMessage, path string) json.RawMessage {
	members := fields{}
	if json.Unmarshal(params, &members) != nil {
		return params
	}
	if path == "" {
		members["state"] = encode(DownloadCanceled)
		delete(members, "filePath")
	} else {
		members["filePath"] = encode(path)
	}
	return encode(members)
}

// complete has the file of a download put where the owner's clients want it, and
// tells them when it is there.
func (m *Mux) complete(d *download, params json.RawMessage) {
	d.delivering = true
	if d.owner == nil {
		m.completeOfNobody(d)
		return
	}
	var to []Delivery
	place := map[*session]int{}
	for _, s := range m.downloadSessions(d) {
		w, ok := s.downloads.deliveryOf(d)
		if !ok {
			continue
		}
		i := slices.Index(to, w)
		if i < 0 {
			i, to = len(to), append(to, w)
		}
		place[s] = i
	}
	done := func(where []string) {
		d.delivering, d.State = false, DownloadDone
		paths := map[*session]string{}
		for s, i := range place {
			paths[s] = where[i]
			if where[i] != "" {
				d.Delivered = true
			}
		}
		m.tellProgress(d, params, paths)
		if m.files[d.GUID] != d { // its session was closed meanwhile
			m.discard(d)
			return
		}
		if d.Delivered {
			m.after(deliveredTime, func() { m.drop(d) })
		}
		m.trimDownloads(d.owner)
		m.save()
	}
	if len(to) == 0 {
		done(nil)
		return
	}
	m.Transport.Deliver(d.file(), to, done)
}

// completeOfNobody gives a person what a page of no session has saved. Where the
// browser was not told otherwise it has done so itself.
func (m *Mux) completeOfNobody(d *download) {
	delete(m.files, d.GUID)
	if m.DownloadDir != "" {
		m.Transport.Deliver(d.file(), []Delivery{{Name: d.Name}}, func([]string) { m.discard(d) })
	}
}
