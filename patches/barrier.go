package patches

import (
	"time"

	"github.com/abrowser/abrowser/patches/cdp"
)

// Barrier calls done when the Mux has handled every message that the browser sent
// before the call, or when limit has passed.
func (m *Mux) Barrier(limit time.Duration, done func()) {
	done = once(done)
	// The call is getTargets because its reply also has the present titles. Chromium sends no
	// event when a title changes, so the last title that it reported is often the URL.
	m.call("Target.getTargets", []byte(`{`+targetFilter+`}`), "", func(in cdp.Message) {
		var list struct {
			Infos []rawInfo `json:"targetInfos"`
		}
		if in.Result(&list) == nil {
			m.updateInfos(list.Infos)
		}
		done()
	})
	m.after(limit, done)
}

// updateInfos updates URL and title of known pages.
func (m *Mux) updateInfos(infos []rawInfo) {
	for _, info := range infos {
		now := info.parse()
		if t := m.targets[now.TargetID]; t != nil && (t.Title != now.Title || t.URL != now.URL) {
			t.targetInfo, t.raw = now, info
			m.targetChanged(t, "Target.targetInfoChanged")
		}
	}
}

// maxSingleQueries is the largest number of tabs that BarrierFor queries one by one. The
// cost of these queries does not depend on other tenants, whereas the reply to getTargets
// has the tabs of all tenants.
const maxSingleQueries = 4

// BarrierFor calls done when the Mux has handled every message that the browser sent before
// the call, or when limit has passed. Unless limit has passed, the Mux then has the present
// URLs and titles of the named tenant's tabs; those of other tenants' tabs may be older.
func (m *Mux) BarrierFor(name string, limit time.Duration, done func()) {
	tn := m.tenants[name]
	if tn == nil || len(tn.tabs) == 0 || len(tn.tabs) > maxSingleQueries {
		m.Barrier(limit, done)
		return
	}
	done = once(done)
	waiting := len(tn.tabs)
	for _, tab := range tn.sortedTabs() {
		m.call("Target.getTargetInfo", encode(targetParam{tab.Target}), "", func(in cdp.Message) {
			var out infoParams
			if in.Result(&out) == nil { // otherwise the tab is gone, which an event reports
				m.updateInfos([]rawInfo{out.Info})
			}
			if waiting--; waiting == 0 {
				done()
			}
		})
	}
	m.after(limit, done)
}
