package web

import (
	"context"
	"errors"
	"time"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// downloadTime is the time limit for a click and the whole download, unless the caller sets one.
const downloadTime = 30 * time.Second

// download clicks an element and waits for the download that the click starts.
func (c *pageCall) download(ctx context.Context, in verbs.DownloadIn) (verbs.DownloadOut, error) {
	before, err := c.downloads.Newest(ctx)
	if err != nil {
		return verbs.DownloadOut{}, err
	}
	at, err := c.aim(in.Selector)
	if err != nil {
		return verbs.DownloadOut{}, err
	}
	if _, err = c.performInDriver(ctx, at, action{name: "click", verb: "click"}); err != nil {
		return verbs.DownloadOut{}, err
	}
	c.Begun = true
	d, err := c.downloads.Await(ctx, func(all []verbs.BrokerDownload) *verbs.BrokerDownload {
		for i := range all {
			if all[i].Number > before {
				return &all[i]
			}
		}
		return nil
	})
	if err != nil {
		if errors.Is(err, wire.CodeTimeout) {
			return verbs.DownloadOut{}, wire.Errorf(wire.CodeTimeout, "%q was clicked and no download started", in.Selector).WithHint(daemon.HintSnapshot)
		}
		return verbs.DownloadOut{}, err
	}
	saved, err := c.downloads.AwaitFinished(ctx, d, in.Path)
	if err != nil {
		return verbs.DownloadOut{}, err
	}
	return verbs.DownloadOut{SavedDownload: saved, Effects: c.effects(ctx)}, nil
}

// waitDownload waits for the newest download that is not taken yet: see
// [downloads.Downloads.IsTaken]. If there is no such download, it waits for the next one to start.
// It uses no page, because a page may be closed after it has started a download.
func (c *call) waitDownload(ctx context.Context, in verbs.WaitIn) (verbs.WaitOut, error) {
	ctx, cancel, err := c.limit(ctx, in, waitTime)
	if err != nil {
		return verbs.WaitOut{}, err
	}
	defer cancel()
	d, err := c.downloads.Await(ctx, func(all []verbs.BrokerDownload) *verbs.BrokerDownload {
		for i := len(all) - 1; i >= 0; i-- {
			if !c.downloads.IsTaken(all[i]) {
				return &all[i]
			}
		}
		return nil
	})
	if err != nil {
		if errors.Is(err, wire.CodeTimeout) {
			return verbs.WaitOut{}, wire.Errorf(wire.CodeTimeout, "no download started").WithHint(daemon.HintSnapshot)
		}
		return verbs.WaitOut{}, err
	}
	saved, err := c.downloads.AwaitFinished(ctx, d, in.Path)
	if err != nil {
		return verbs.WaitOut{}, err
	}
	return verbs.WaitOut{SavedDownload: &saved, URL: saved.URL, Effects: c.effects(ctx)}, nil
}
