package broker

import (
	"context"

	"github.com/abrowser/abrowser/patches"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// serveDownloads lists the downloads that no client has fetched. A client that fetches a file
// removes it, so a download without its file has been fetched.
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
	var fetched []string
	for _, d := range all {
		known := verbs.BrokerDownload{
			Number: d.Number, GUID: d.GUID, URL: d.URL, SuggestedFilename: d.Name, State: d.State,
			Received: d.Received, Total: d.Total, StartedAt: d.Began, Delivered: d.Delivered,
		}
		if d.State == patches.DownloadDone {
			path, isOurs, isThere := b.downloads.Locate(d)
			if !isThere {
				fetched = append(fetched, d.GUID)
				continue
			}
			known.Path, known.Keep = path, !isOurs
		}
		out.Downloads = append(out.Downloads, known)
	}
	if len(fetched) == 0 {
		return out, nil
	}
	return out, b.do(ctx, func() {
		for _, guid := range fetched {
			b.mux.DownloadFetched(in.Session, guid)
		}
	})
}
