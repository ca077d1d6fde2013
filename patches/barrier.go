package patches

import (
	"time"

	"github.com/abrowser/abrowser/patches/cdp"
)

// Barrier calls done when everything has been handled that the browser said
// before it, at the latest after limit.
func (b *Board) Barrier(limit time.Duration, done func()) {
	done = once(done)
	// The list of targets, since a new title is no event: the last one told is
	// often the URL.
	b.ask("Target.getTargets", []byte(`{`+targetFilter+`}`), "", func(in cdp.Message) {
		var list struct {
			Infos []rawInfo `json:"targetInfos"`
		}
		if in.Result(&list) == nil {
			b.refresh(list.Infos)
		}
		done()
	})
	b.after(limit, done)
}

// refresh takes over what a list says of the pages we know.
func (b *Board) refresh(infos []rawInfo) {
	for _, info := range infos {
		now := info.read()
		if t := b.targets[now.TargetID]; t != nil && (t.Title != now.Title || t.URL != now.URL) {
			t.targetInfo, t.raw = now, info
			b.changed(t, "Target.targetInfoChanged")
		}
	}
}

// fewTabs is how many tabs are asked for one by one, so that what it takes to learn of
// a session's does not grow with those of all.
const fewTabs = 4

// BarrierOf is [Board.Barrier] for those who want to know of one owner alone.
func (b *Board) BarrierOf(name string, limit time.Duration, done func()) {
	o := b.owners[name]
	if o == nil || len(o.tabs) == 0 || len(o.tabs) > fewTabs {
		b.Barrier(limit, done)
		return
	}
	done = once(done)
	waiting := len(o.tabs)
	for _, tab := range o.sorted() {
		b.ask("Target.getTargetInfo", encode(targetParam{tab.Target}), "", func(in cdp.Message) {
			var out infoParams
			if in.Result(&out) == nil { // else it has gone, as we have heard or will
				b.refresh([]rawInfo{out.Info})
			}
			if waiting--; waiting == 0 {
				done()
			}
		})
	}
	b.after(limit, done)
}
