package patches

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// began has a board take the news of a download of a page of the owner's.
func began(b *Board, page, guid string) {
	b.FromBrowser(fmt.Appendf(nil, `{"method":"Browser.downloadWillBegin","params":{"frameId":%q,"guid":%q,"url":"http://x/f","suggestedFilename":"f"}}`, page, guid))
}

func ended(b *Board, guid string, size int64) {
	b.FromBrowser(fmt.Appendf(nil, `{"method":"Browser.downloadProgress","params":{"guid":%q,"totalBytes":%d,"receivedBytes":%d,"state":"completed"}}`, guid, size, size))
}

func guids(all []Download) []string {
	var names []string
	for _, d := range all {
		names = append(names, d.GUID)
	}
	return names
}

// What nobody fetches does not grow without limit, neither in number nor in bytes,
// and the newest of each session stays.
func TestDownloadsAreTrimmed(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	rec := &recorder{}
	b := New(Options{Line: rec, Clock: func() time.Time { return now }, Downloads: "/downloads"})
	b.ready, b.shared = true, "SHARED"
	for _, name := range []string{"a", "b"} {
		o := b.ownerOf(name)
		page := &target{targetInfo: targetInfo{TargetID: "P" + name, Type: "page", ContextID: "SHARED"}}
		b.targets[page.TargetID] = page
		b.own(page, o)
	}
	began(b, "Pa", "running")
	for n := range keptDownloads + 5 {
		now = now.Add(time.Second)
		began(b, "Pa", fmt.Sprint("small", n))
		ended(b, fmt.Sprint("small", n), 1)
	}
	if all := guids(b.OwnDownloads("a")); len(all) != keptDownloads+1 || all[0] != "running" || all[1] != "small5" {
		t.Errorf("of many downloads %q stay, want the running one and the newest %d", all, keptDownloads)
	}
	for n := range 3 {
		now = now.Add(time.Second)
		began(b, "Pb", fmt.Sprint("large", n))
		ended(b, fmt.Sprint("large", n), keptDownloadBytes+1)
	}
	if all := guids(b.OwnDownloads("b")); !slices.Equal(all, []string{"large2"}) {
		t.Errorf("of large downloads %q stay, want the newest", all)
	}
	if all := guids(b.OwnDownloads("a")); len(all) != keptDownloads+1 {
		t.Errorf("another session's large downloads left %q, want all", all)
	}
}

// A session fetches its own downloads only, and none that has not all come.
func TestFetchedIsOnesOwn(t *testing.T) {
	b := New(Options{Line: &recorder{}, Downloads: "/downloads"})
	b.ready, b.shared = true, "SHARED"
	page := &target{targetInfo: targetInfo{TargetID: "P", Type: "page", ContextID: "SHARED"}}
	b.targets["P"] = page
	b.own(page, b.ownerOf("a"))
	b.ownerOf("b")
	began(b, "P", "running")
	began(b, "P", "done")
	ended(b, "done", 1)
	b.Fetched("b", "done")
	b.Fetched("a", "running")
	if all := guids(b.OwnDownloads("a")); len(all) != 2 {
		t.Errorf("left are %q, want both", all)
	}
	if all := b.OwnDownloads("b"); len(all) != 0 {
		t.Errorf("another session has %v", all)
	}
	b.Fetched("a", "done")
	if all := guids(b.OwnDownloads("a")); !slices.Equal(all, []string{"running"}) {
		t.Errorf("left are %q, want the running one", all)
	}
}
