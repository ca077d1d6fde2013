package patches

import (
	"time"

	"github.com/abrowser/abrowser/patches/cdp"
)

// Barrier calls done when everything has been handled that the browser said
// before it, at the latest after limit.
func (m *Mux) Barrier(limit time.Duration, done func()) {
	done = once(done)
	// The list of targets, since a new title is no event: the last one told is
	// often the URL.
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

// refresh takes over what a list says of the pages we know.
func (m *Mux) updateInfos(infos []rawInfo) {
	for _, info := range infos {
		now := info.parse()
		if t := m.targets[now.TargetID]; t != nil && (t.Title != now.Title || t.URL != now.URL) {
			t.targetInfo, t.raw = now, info
			m.targetChanged(t, "Target.targetInfoChanged")
		}
	}
}

// fewTabs is how many tabs are asked for one by one, so that what it takes to learn of
// a session's does not grow with those of all.
const maxSingleQueries = 4

// BarrierOf is [Board.Barrier] for those who want to know of one owner alone.
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
			if in.Result(&out) == nil { // else it has gone, as we have heard or will
				m.updateInfos([]rawInfo{out.Info})
			}
			if waiting--; waiting == 0 {
				done()
			}
		})
	}
	m.after(limit, done)
}
