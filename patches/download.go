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
	Path     string    `json:"path,omitzero"`
	URL      string    `json:"url"`
	Name     string    `json:"name"` // as the server or the page would have it
	Target   string    `json:"target,omitzero"`
	Context  string    `json:"context,omitzero"`
	State    string    `json:"state"`
	Received int64     `json:"received,omitzero"`
	Total    int64     `json:"total,omitzero"` // 0 while it is not known
	Began    time.Time `json:"began"`
	Handed   bool      `json:"handed,omitzero"` // a client's program has it
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
	seekTime = 2 * time.Second
	// handedTime is how long a download stays that a client's program has got: for
	// a command of the session that waits for the same one.
	handedTime = time.Minute
	// What is kept of each owner's finished downloads that nobody fetches.
	keptDownloads     = 20
	keptDownloadBytes = 1 << 30 // beside the newest
)

// download is one that the browser has begun and we have not forgotten.
type download struct {
	Download
	owner   *owner // nil while it is not known, and when it is nobody's
	frame   string
	seeking bool              // its frame's page is being looked for
	asked   int               // pages that have not answered yet
	begin   json.RawMessage   // of its first event
	later   []json.RawMessage // of those that came while it was sought
	ending  bool              // it is complete and being delivered
	told    map[*session]bool // sessions that know of it
}

// acceptDownloads has the downloads of a browser context put into our directory,
// under names that no two have, and their events sent to our own root. A client's
// own CDP session must never get the events: there they are of all sessions.
func (b *Board) acceptDownloads(context string, then func(in cdp.Message)) {
	b.ask("Browser.setDownloadBehavior", b.downloadBehavior(context, false), "", then)
}

func (b *Board) downloadBehavior(context string, deny bool) []byte {
	p := struct {
		Behavior string `json:"behavior"`
		Context  string `json:"browserContextId,omitzero"`
		Path     string `json:"downloadPath,omitzero"`
		Events   bool   `json:"eventsEnabled"`
	}{"allowAndName", context, b.Downloads, true}
	switch {
	case deny:
		p.Behavior, p.Path = "deny", ""
	case b.Downloads == "":
		p.Behavior = "default"
	}
	return encode(p)
}

// downloadBegan takes the news of a download. Whose it is its frame says, which
// is a page's main frame or one somewhere below.
func (b *Board) downloadBegan(in cdp.Message) {
	var p struct{ FrameID, GUID, URL, SuggestedFilename string }
	if in.Params(&p) != nil || p.GUID == "" || b.downloads[p.GUID] != nil {
		return
	}
	d := &download{
		Download: Download{GUID: p.GUID, URL: p.URL, Name: p.SuggestedFilename, State: DownloadRunning, Began: b.opened()},
		frame:    p.FrameID, begin: json.RawMessage(in.RawParams()), told: map[*session]bool{},
	}
	b.downloads[d.GUID] = d
	if t := b.targets[d.frame]; t != nil {
		b.assign(d, t)
		return
	}
	b.seek(d)
}

// seek asks each page whether the frame is in its tree. The browser's own process
// answers that, and not the page, which may be busy or stopped.
func (b *Board) seek(d *download) {
	d.seeking, d.asked = true, 1
	answered := func(t *target) {
		d.asked--
		if d.seeking && (t != nil || d.asked == 0) {
			b.assign(d, t)
		}
	}
	for _, o := range b.sortedOwners() {
		for _, t := range o.targets() {
			on := b.sessionOn(t)
			if on == "" {
				continue
			}
			d.asked++
			b.ask("Storage.getStorageKeyForFrame", encode(frameParam{d.frame}), on, func(in cdp.Message) {
				if in.Result(nil) != nil {
					t = nil
				}
				answered(t)
			})
		}
	}
	b.after(seekTime, func() {
		if d.seeking {
			b.assign(d, nil)
		}
	})
	answered(nil)
}

type frameParam struct {
	FrameID string `json:"frameId"`
}

// sessionOn is a CDP session on which the page can be asked something: ours, or a
// client's while it has ours.
func (b *Board) sessionOn(t *target) string {
	if t.hold != "" {
		return t.hold
	}
	for id, s := range b.routes {
		if s.target == t.TargetID && !s.browser {
			return id
		}
	}
	return ""
}

// assign gives a download to the owner of the page that began it, nobody where t
// is nil or a person's, and tells the owner's clients that asked for it.
func (b *Board) assign(d *download, t *target) {
	d.seeking = false
	if t != nil {
		d.Target, d.Context, d.owner = t.TargetID, t.ContextID, t.owner
	}
	if o := d.owner; o != nil {
		o.LastDownload++
		d.Number = o.LastDownload
		b.save()
		for _, s := range b.downloadSessions(d) {
			if s.downloads.events {
				d.told[s] = true
				b.sendEvent(s, "Browser.downloadWillBegin", d.begin)
			}
		}
	}
	d.begin = nil
	later := d.later
	d.later = nil
	for _, params := range later {
		b.progress(d, params)
	}
}

// downloadSessions are the CDP sessions of the owner's clients that downloads like
// this one concern, in the order in which they were made.
func (b *Board) downloadSessions(d *download) []*session {
	if d.owner == nil {
		return nil
	}
	var all []*session
	for _, c := range d.owner.clients {
		if d.owner.private(d.Context, c) {
			continue
		}
		for _, s := range c.all() {
			if s.browser || s.target == d.Target {
				all = append(all, s)
			}
		}
	}
	return all
}

func (b *Board) downloadProgress(in cdp.Message) {
	var p struct{ GUID string }
	if in.Params(&p) != nil {
		return
	}
	d := b.downloads[p.GUID]
	if d == nil {
		return
	}
	params := json.RawMessage(in.RawParams())
	if d.seeking {
		d.later = append(d.later, params)
		return
	}
	b.progress(d, params)
}

// progress takes how far a download is.
func (b *Board) progress(d *download, params json.RawMessage) {
	var p struct {
		TotalBytes, ReceivedBytes float64
		State, FilePath           string
	}
	if json.Unmarshal(params, &p) != nil || d.ending || d.State == DownloadDone {
		return
	}
	// The end of one that failed says that nothing has come.
	d.Total, d.Received = max(d.Total, int64(p.TotalBytes)), max(d.Received, int64(p.ReceivedBytes))
	switch p.State {
	case DownloadRunning:
		d.State = DownloadRunning
		b.tellProgress(d, params, nil)
	case DownloadDone:
		if b.Downloads == "" {
			d.Path = p.FilePath
		}
		b.complete(d, params)
	case DownloadCanceled:
		d.State = DownloadCanceled
		b.discard(d)
		b.tellProgress(d, params, nil)
		if d.owner == nil {
			delete(b.downloads, d.GUID)
			return
		}
		b.trimDownloads(d.owner)
		b.save()
	}
}

// tellProgress passes an event of a download on to the sessions that know of it.
// The file is at paths for those that are in it.
func (b *Board) tellProgress(d *download, params json.RawMessage, paths map[*session]string) {
	for _, s := range b.downloadSessions(d) {
		if !d.told[s] {
			continue
		}
		own := params
		if path, waited := paths[s]; waited {
			own = withPath(params, path)
		}
		b.sendEvent(s, "Browser.downloadProgress", own)
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
func (b *Board) complete(d *download, params json.RawMessage) {
	d.ending = true
	if d.owner == nil {
		b.completeOfNobody(d)
		return
	}
	var to []Delivery
	place := map[*session]int{}
	for _, s := range b.downloadSessions(d) {
		w, ok := s.downloads.delivery(d)
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
		d.ending, d.State = false, DownloadDone
		paths := map[*session]string{}
		for s, i := range place {
			paths[s] = where[i]
			if where[i] != "" {
				d.Handed = true
			}
		}
		b.tellProgress(d, params, paths)
		if b.downloads[d.GUID] != d { // its session was closed meanwhile
			b.discard(d)
			return
		}
		if d.Handed {
			b.after(handedTime, func() { b.drop(d) })
		}
		b.trimDownloads(d.owner)
		b.save()
	}
	if len(to) == 0 {
		done(nil)
		return
	}
	b.Line.Deliver(d.file(), to, done)
}

// completeOfNobody gives a person what a page of no session has saved. Where the
// browser was not told otherwise it has done so itself.
func (b *Board) completeOfNobody(d *download) {
	delete(b.downloads, d.GUID)
	if b.Downloads != "" {
		b.Line.Deliver(d.file(), []Delivery{{Name: d.Name}}, func([]string) { b.discard(d) })
	}
}
