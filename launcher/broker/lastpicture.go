package broker

import (
	"context"
	"time"

	"github.com/abrowser/abrowser/patches"
	"github.com/abrowser/abrowser/sockets/verbs"
)

const (
	pictureTime  = time.Second     // for one tab
	picturesTime = 3 * time.Second // for all tabs that are about to be closed
	pictureWidth = 1280
)

// keepPicturesOf keeps a last picture of tabs that are about to be closed, by the name of their session,
// for [verbs.SessionExport]. It keeps none of incognito sessions, and none of pages that take too long.
func (b *broker) keepPicturesOf(ctx context.Context, closing map[string][]patches.Tab) {
	ctx, cancel := context.WithTimeout(ctx, picturesTime)
	defer cancel()
	for session, tabs := range closing {
		for _, tab := range tabs {
			b.keepPicture(ctx, session, tabID(tab.Number))
		}
	}
}

func (b *broker) keepPicture(ctx context.Context, session, tab string) {
	private := false
	err := b.do(ctx, func() {
		for _, tn := range b.mux.TenantNamed(session) {
			private = tn.Incognito
		}
	})
	if err != nil || private {
		return
	}
	in := verbs.ViewIn{Session: session, Tab: tab, Width: pictureWidth, Once: true, Wait: int(pictureTime.Milliseconds())}
	view, err := b.serveView(ctx, nil, in)
	if err != nil || len(view.JPEG) == 0 {
		return
	}
	if err := b.Root.KeepRecord(b.Root.PictureFile(session, tab), view.JPEG); err != nil {
		b.log.Warn("keeping a picture", "session", session, "error", err)
	}
}

// tabsOf returns the tabs of tenants by the name of their session.
func tabsOf(tenants []patches.TenantInfo) map[string][]patches.Tab {
	all := map[string][]patches.Tab{}
	for _, tn := range tenants {
		all[tn.Name] = tn.Pages
	}
	return all
}
