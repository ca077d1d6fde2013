package patches

import (
	"time"

	"github.com/abrowser/abrowser/patches/cdp"
)

// Barrier calls done() when the Mux has handled every message that the browser sent before the call
// of Barrier, or when limit has passed.
func (m *Mux) Barrier(limit time.Duration, done func()) {
	done = once(done)
	// Any call would do as a barrier, because the browser sends its messages in order. getTargets
	// is used because its reply also has the present titles. Chromium sends no event when a title
	// changes, so the last title that it reported is often still the URL.
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

// updateInfos updates the URLs and titles of the targets that infos describe. It ignores targets
// that the Mux does not know.
func (m *Mux) updateInfos(infos []rawInfo) {
	for _, info := range infos {
		now := info.parse()
		if t := m.targets[now.TargetID]; t != nil && (t.Title != now.Title || t.URL != now.URL) {
			t.targetInfo, t.raw = now, info
			m.targetChanged(t, "Target.targetInfoChanged")
		}
	}
}

// maxSingleQueries is the largest number of tabs that [Mux.BarrierFor] queries one by one. The cost
// of such queries does not depend on other tenants, whereas the reply to getTargets contains the
// tabs of all tenants.
const maxSingleQueries = 4

// BarrierFor calls done() when the Mux has handled every message that the browser sent before the
// call of BarrierFor, or when limit has passed. In the first case, the Mux then has the present
// URLs and titles of the named tenant's tabs. The records of other tenants' tabs may be older.
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
			if in.Result(&out) == nil { // otherwise the tab is gone, and an event reports that
				m.updateInfos([]rawInfo{out.Info})
			}
			if waiting--; waiting == 0 {
				done()
			}
		})
	}
	m.after(limit, done)
}
