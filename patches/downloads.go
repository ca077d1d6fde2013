package patches

import (
	"cmp"
	"encoding/json"
	"slices"
)

// sessions returns the CDP sessions on which the owner's clients may get events of a download.
// These are their browser-level sessions and their sessions on the page that began the download.
// The sessions are ordered by client, parents before their children.
func (ds *downloads) sessions(d *download) []*session {
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

// sendProgress sends a progress event on the sessions on which the download was announced. If the
// download is complete, paths has an entry for each session that wanted a copy: the path of the
// copy, or an empty path if the copy failed.
func (ds *downloads) sendProgress(d *download, params json.RawMessage, paths map[*session]string) {
	for _, s := range ds.sessions(d) {
		if !d.announced[s] {
			continue
		}
		own := params
		if path, waited := paths[s]; waited {
			own = withPath(params, path)
		}
		ds.m.sendEvent(s, "Browser.downloadProgress", own)
	}
}

// withPath returns the params of a download's last progress event, for a client that wanted a copy
// of the file. It adds the path of the copy to params, which came from the browser. If path is
// empty, the copy has failed, and withPath changes the state to canceled.
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

// complete copies the file of a complete download to the directories that the owner's clients
// chose. The clients get the last progress event after that, so that their copies exist by then.
// params are the params of this event.
func (ds *downloads) complete(d *download, params json.RawMessage) {
	d.delivering = true
	if d.owner == nil {
		ds.completeUnowned(d)
		return
	}
	var to []Delivery
	place := map[*session]int{}
	for _, s := range ds.sessions(d) {
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
		ds.sendProgress(d, params, paths)
		if ds.byGUID[d.GUID] != d { // [downloads.drop] was called during the delivery
			ds.discard(d)
			return
		}
		if d.Delivered {
			ds.m.after(deliveredTime, func() { ds.drop(d) })
		}
		ds.trim(d.owner)
		ds.m.save()
	}
	if len(to) == 0 {
		done(nil)
		return
	}
	ds.m.Transport.Deliver(d.file(), to, done)
}

// completeUnowned delivers a complete download without an owner to the person's download folder. If
// [Options.DownloadDir] is empty, the file stays where the browser has saved it.
func (ds *downloads) completeUnowned(d *download) {
	delete(ds.byGUID, d.GUID)
	if ds.m.DownloadDir != "" {
		ds.m.Transport.Deliver(d.file(), []Delivery{{Name: d.Name}}, func([]string) { ds.discard(d) })
	}
}

// file returns the name or path of a download's file in the form that [Transport.Deliver] expects.
func (d *Download) file() string { return cmp.Or(d.Path, d.GUID) }

// discard removes the file of a download if it is in [Options.DownloadDir].
func (ds *downloads) discard(d *download) {
	if ds.m.DownloadDir != "" {
		ds.m.Transport.Discard(d.GUID)
	}
}

// drop forgets a download and removes its file. If the download is still running, drop cancels it.
func (ds *downloads) drop(d *download) {
	if ds.byGUID[d.GUID] != d {
		return
	}
	delete(ds.byGUID, d.GUID)
	if d.State == DownloadRunning && !d.delivering {
		context := d.Context
		if context == ds.m.shared {
			context = ""
		}
		ds.m.call("Browser.cancelDownload", encode(struct {
			GUID    string `json:"guid"`
			Context string `json:"browserContextId,omitzero"`
		}{d.GUID, context}), "", nil)
	}
	if !d.delivering { // otherwise [downloads.complete] discards the file after the delivery
		ds.discard(d)
	}
}

// dropAll drops the downloads of a tenant.
func (ds *downloads) dropAll(tn *tenant) {
	for _, d := range ds.ofTenant(tn) {
		ds.drop(d)
	}
}

// trim drops the oldest finished downloads of a tenant until the rest is within keptDownloads and
// keptDownloadBytes, so that files that are never fetched do not fill the disk. trim keeps the
// newest finished download whatever its size. Other tenants' downloads do not count.
func (ds *downloads) trim(tn *tenant) {
	finished := slices.DeleteFunc(ds.ofTenant(tn), func(d *download) bool { return d.delivering || d.State == DownloadRunning })
	bytes := int64(0)
	for i, d := range slices.Backward(finished) {
		newer := len(finished) - 1 - i
		if newer > 0 {
			bytes += d.size()
		}
		if newer >= keptDownloads || bytes > keptDownloadBytes {
			ds.drop(d)
		}
	}
}

// size returns the number of bytes that a download occupies in [Options.DownloadDir].
func (d *download) size() int64 {
	if d.State != DownloadDone || d.Path != "" {
		return 0
	}
	return d.Received
}

// ofTenant returns a tenant's downloads in the order of their numbers.
func (ds *downloads) ofTenant(tn *tenant) []*download {
	var all []*download
	for _, d := range ds.byGUID {
		if d.owner == tn && tn != nil {
			all = append(all, d)
		}
	}
	slices.SortFunc(all, func(x, y *download) int { return cmp.Compare(x.Number, y.Number) })
	return all
}

// Downloads returns a tenant's downloads that no client has fetched, in the order of their
// numbers.
func (m *Mux) Downloads(name string) []Download {
	var all []Download
	for _, d := range m.downloads.ofTenant(m.tenants[name]) {
		all = append(all, d.Download)
	}
	return all
}

// DownloadFetched is called when a client has fetched the file of a tenant's finished download.
// It forgets the download and removes the file.
func (m *Mux) DownloadFetched(name, guid string) {
	d := m.downloads.byGUID[guid]
	if d == nil || d.owner == nil || d.owner.Name != name || d.delivering || d.State == DownloadRunning {
		return
	}
	m.downloads.drop(d)
	m.save()
}
