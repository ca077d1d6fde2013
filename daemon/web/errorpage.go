package web

import (
	"context"
	"strings"
	"time"
)

// errorPageTime is how long Chromium may take to show its own page in place of one that
// could not be loaded.
const errorPageTime = 2 * time.Second

// awaitErrorPage waits until Chromium has committed its error page, after a navigation that
// failed when the page had this number of commits. A navigation that began earlier would be
// interrupted by the error page.
func (p *page) awaitErrorPage(ctx context.Context, commits int64) {
	ctx, cancel := context.WithTimeout(ctx, errorPageTime)
	defer cancel()
	for {
		p.mu.Lock()
		moved := p.navigated
		p.mu.Unlock()
		if p.commits.Load() != commits && strings.HasPrefix(p.URL(), "chrome-error:") {
			return
		}
		select {
		case <-moved:
		case <-p.crash:
			return
		case <-p.gone:
			return
		case <-ctx.Done():
			return
		}
	}
}
