package patches

import (
	"cmp"
	"slices"
)

// file names the download's file to the [Line]: by a path, or in the directory of
// downloads.
func (d *Download) file() string { return cmp.Or(d.Path, d.GUID) }

// discard has the file of a download removed, where it is in our directory.
func (m *Mux) discard(d *download) {
	if m.DownloadDir != "" {
		m.Transport.Discard(d.GUID)
	}
}

// drop forgets a download, which goes no further, and its file.
func (m *Mux) drop(d *download) {
	if m.files[d.GUID] != d {
		return
	}
	delete(m.files, d.GUID)
	if d.State == DownloadRunning && !d.delivering {
		context := d.Context
		if context == m.shared {
			context = ""
		}
		m.call("Browser.cancelDownload", encode(struct {
			GUID    string `json:"guid"`
			Context string `json:"browserContextId,omitzero"`
		}{d.GUID, context}), "", nil)
	}
	if !d.delivering { // else when it is delivered
		m.discard(d)
	}
}

// dropDownloads forgets the downloads of an owner.
func (m *Mux) dropDownloads(tn *tenant) {
	for _, d := range m.downloadsOf(tn) {
		m.drop(d)
	}
}

// trimDownloads forgets the oldest of the finished downloads that nobody fetches,
// so that they do not fill the disk; of the owner only, whose own they are. The
// newest is kept whatever its size.
func (m *Mux) trimDownloads(tn *tenant) {
	finished := slices.DeleteFunc(m.downloadsOf(tn), func(d *download) bool { return d.delivering || d.State == DownloadRunning })
	bytes := int64(0)
	for i, d := range slices.Backward(finished) {
		newer := len(finished) - 1 - i
		if newer > 0 {
			bytes += d.size()
		}
		if newer >= keptDownloads || bytes > keptDownloadBytes {
			m.drop(d)
		}
	}
}

func (d *download) size() int64 {
	if d.State != DownloadDone || d.Path != "" {
		return 0
	}
	return d.Received
}

// downloadsOf are an owner's downloads, the first begun first.
func (m *Mux) downloadsOf(tn *tenant) []*download {
	var all []*download
	for _, d := range m.files {
		if d.owner == tn && tn != nil {
			all = append(all, d)
		}
	}
	slices.SortFunc(all, func(x, y *download) int { return cmp.Compare(x.Number, y.Number) })
	return all
}

// OwnDownloads lists a session's downloads that nobody has fetched yet, the first
// begun first.
func (m *Mux) Downloads(name string) []Download {
	var all []Download
	for _, d := range m.downloadsOf(m.tenants[name]) {
		all = append(all, d.Download)
	}
	return all
}

// Fetched forgets a finished download of a session: somebody has its file.
func (m *Mux) DownloadFetched(name, guid string) {
	d := m.files[guid]
	if d == nil || d.owner == nil || d.owner.Name != name || d.delivering || d.State == DownloadRunning {
		return
	}
	m.drop(d)
	m.save()
}
