package patches

import (
	"cmp"
	"slices"
)

// file names the download's file to the [Line]: by a path, or in the directory of
// downloads.
func (d *Download) file() string { return cmp.Or(d.Path, d.GUID) }

// discard has the file of a download removed, where it is in our directory.
func (b *Board) discard(d *download) {
	if b.Downloads != "" {
		b.Line.Discard(d.GUID)
	}
}

// drop forgets a download, which goes no further, and its file.
func (b *Board) drop(d *download) {
	if b.downloads[d.GUID] != d {
		return
	}
	delete(b.downloads, d.GUID)
	if d.State == DownloadRunning && !d.ending {
		context := d.Context
		if context == b.shared {
			context = ""
		}
		b.ask("Browser.cancelDownload", encode(struct {
			GUID    string `json:"guid"`
			Context string `json:"browserContextId,omitzero"`
		}{d.GUID, context}), "", nil)
	}
	if !d.ending { // else when it is delivered
		b.discard(d)
	}
}

// dropDownloads forgets the downloads of an owner.
func (b *Board) dropDownloads(o *owner) {
	for _, d := range b.downloadsOf(o) {
		b.drop(d)
	}
}

// trimDownloads forgets the oldest of the finished downloads that nobody fetches,
// so that they do not fill the disk; of the owner only, whose own they are. The
// newest is kept whatever its size.
func (b *Board) trimDownloads(o *owner) {
	finished := slices.DeleteFunc(b.downloadsOf(o), func(d *download) bool { return d.ending || d.State == DownloadRunning })
	bytes := int64(0)
	for i, d := range slices.Backward(finished) {
		newer := len(finished) - 1 - i
		if newer > 0 {
			bytes += d.size()
		}
		if newer >= keptDownloads || bytes > keptDownloadBytes {
			b.drop(d)
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
func (b *Board) downloadsOf(o *owner) []*download {
	var all []*download
	for _, d := range b.downloads {
		if d.owner == o && o != nil {
			all = append(all, d)
		}
	}
	slices.SortFunc(all, func(x, y *download) int { return cmp.Compare(x.Number, y.Number) })
	return all
}

// OwnDownloads lists a session's downloads that nobody has fetched yet, the first
// begun first.
func (b *Board) OwnDownloads(name string) []Download {
	var all []Download
	for _, d := range b.downloadsOf(b.owners[name]) {
		all = append(all, d.Download)
	}
	return all
}

// Fetched forgets a finished download of a session: somebody has its file.
func (b *Board) Fetched(name, guid string) {
	d := b.downloads[guid]
	if d == nil || d.owner == nil || d.owner.Name != name || d.ending || d.State == DownloadRunning {
		return
	}
	b.drop(d)
	b.save()
}
