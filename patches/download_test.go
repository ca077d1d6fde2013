package patches

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// began sends the Mux the browser's event for the start of a download in a page.
func began(m *Mux, page, guid string) {
	m.FromBrowser(fmt.Appendf(nil, `{"method":"Browser.downloadWillBegin","params":{"frameId":%q,"guid":%q,"url":"http://x/f","suggestedFilename":"f"}}`, page, guid))
}

// ended sends the Mux the browser's event for the end of a download of size bytes.
func ended(m *Mux, guid string, size int64) {
	m.FromBrowser(fmt.Appendf(nil, `{"method":"Browser.downloadProgress","params":{"guid":%q,"totalBytes":%d,"receivedBytes":%d,"state":"completed"}}`, guid, size, size))
}

func guids(all []Download) []string {
	var names []string
	for _, d := range all {
		names = append(names, d.GUID)
	}
	return names
}

// TestDownloadsAreTrimmed checks that the number and the size of the downloads that no client has
// fetched are limited for each tenant, and that the newest download always stays.
func TestDownloadsAreTrimmed(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	rec := &recorder{}
	m := New(Options{Transport: rec, Clock: func() time.Time { return now }, DownloadDir: "/downloads"})
	m.ready, m.shared = true, "SHARED"
	for _, name := range []string{"a", "b"} {
		tn := m.tenantFor(name)
		page := &target{targetInfo: targetInfo{TargetID: "P" + name, Type: "page", ContextID: "SHARED"}}
		m.targets[page.TargetID] = page
		m.setOwner(page, tn)
	}
	began(m, "Pa", "running")
	for n := range keptDownloads + 5 {
		now = now.Add(time.Second)
		began(m, "Pa", fmt.Sprint("small", n))
		ended(m, fmt.Sprint("small", n), 1)
	}
	if all := guids(m.Downloads("a")); len(all) != keptDownloads+1 || all[0] != "running" || all[1] != "small5" {
		t.Errorf("many downloads: %q stay, want the running one and the newest %d", all, keptDownloads)
	}
	for n := range 3 {
		now = now.Add(time.Second)
		began(m, "Pb", fmt.Sprint("large", n))
		ended(m, fmt.Sprint("large", n), keptDownloadBytes+1)
	}
	if all := guids(m.Downloads("b")); !slices.Equal(all, []string{"large2"}) {
		t.Errorf("large downloads: %q stay, want the newest", all)
	}
	if all := guids(m.Downloads("a")); len(all) != keptDownloads+1 {
		t.Errorf("after large downloads of another tenant %q stay, want all", all)
	}
}

// TestDownloadFetchedOnlyOwn checks that DownloadFetched ignores downloads of other tenants and
// downloads that are still running.
func TestDownloadFetchedOnlyOwn(t *testing.T) {
	m := New(Options{Transport: &recorder{}, DownloadDir: "/downloads"})
	m.ready, m.shared = true, "SHARED"
	page := &target{targetInfo: targetInfo{TargetID: "P", Type: "page", ContextID: "SHARED"}}
	m.targets["P"] = page
	m.setOwner(page, m.tenantFor("a"))
	m.tenantFor("b")
	began(m, "P", "running")
	began(m, "P", "done")
	ended(m, "done", 1)
	m.DownloadFetched("b", "done")
	m.DownloadFetched("a", "running")
	if all := guids(m.Downloads("a")); len(all) != 2 {
		t.Errorf("%q are left, want both", all)
	}
	if all := m.Downloads("b"); len(all) != 0 {
		t.Errorf("another tenant has %v", all)
	}
	m.DownloadFetched("a", "done")
	if all := guids(m.Downloads("a")); !slices.Equal(all, []string{"running"}) {
		t.Errorf("%q are left, want the running one", all)
	}
}
