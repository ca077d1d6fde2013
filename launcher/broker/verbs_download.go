package broker

import (
	"context"
	"path/filepath"

	"github.com/abrowser/abrowser/patches"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// serveDownloads lists what nobody has fetched. Who fetches a file takes it away,
// so one whose file is gone is fetched.
func (b *broker) serveDownloads(ctx context.Context, _ *wire.Call, in verbs.BrokerDownloadsIn) (verbs.BrokerDownloadsOut, error) {
	out := verbs.BrokerDownloadsOut{Downloads: []verbs.BrokerDownload{}}
	var all []patches.Download
	err := b.do(ctx, func() {
		if in.Forget != "" {
			b.mux.DownloadFetched(in.Session, in.Forget)
		}
		all = b.mux.Downloads(in.Session)
	})
	if err != nil {
		return out, err
	}
	var gone []string
	for _, d := range all {
		known := verbs.BrokerDownload{
			Number: d.Number, GUID: d.GUID, URL: d.URL, SuggestedFilename: d.Name, State: d.State,
			Received: d.Received, Total: d.Total, StartedAt: d.Began, Delivered: d.Delivered,
		}
		if d.State == patches.DownloadDone {
			known.Path, known.Keep = filepath.Join(b.downloads.dir, d.GUID), false
			if d.Path != "" {
				known.Path, known.Keep = d.Path, true
			}
			if !exists(known.Path) {
				gone = append(gone, d.GUID)
				continue
			}
		}
		out.Downloads = append(out.Downloads, known)
	}
	if len(gone) == 0 {
		return out, nil
	}
	return out, b.do(ctx, func() {
		for _, guid := range gone {
			b.mux.DownloadFetched(in.Session, guid)
		}
	})
}
