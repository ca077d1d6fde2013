package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/daemon/web/cdp"
	"github.com/abrowser/abrowser/sockets/wire"
)

// utilityWorld is where a page answers the questions of quick.js of launcher/driver:
// Playwright's own world in a document of its main frame.
type utilityWorld struct {
	*pageSession
	commits    int64 // of the page, when it was made
	context    int
	name       string // of the object whose members the questions are
	clockAhead int64  // milliseconds by which the page's clock is ahead of ours, at least
}

// until is the end of some time from now, by the page's clock.
func (w *utilityWorld) until(limit time.Duration) int64 {
	return time.Now().Add(limit).UnixMilli() + w.clockAhead
}

// errNotFast is of what has to be done in Playwright's way; nothing was.
var errNotFast = errors.New("the page does not answer it")

// inUtilityWorld asks in the page's world, once more where the page turns out to have another
// document. ctx has a deadline.
func (c *call) inUtilityWorld(ctx context.Context, p *page, ask func(*utilityWorld) error) error {
	for again := false; ; again = true {
		w, err := c.utilityWorld(ctx, p)
		if err != nil {
			return err
		}
		err = ask(w)
		if again || !isDocumentGone(err) && !errors.Is(err, wire.CodeEvaluation) {
			return err
		}
		p.utilityWorld.CompareAndSwap(w, nil)
		if err := c.awaitDocument(ctx, p); err != nil {
			return err
		}
	}
}

// utilityWorld has the driver make it where it is not known.
func (c *call) utilityWorld(ctx context.Context, p *page) (*utilityWorld, error) {
	ps, err := p.attachCDP(ctx)
	if err != nil {
		return nil, err
	}
	if w := p.utilityWorld.Load(); w != nil && w.commits == p.commits.Load() && w.pageSession == ps {
		return w, nil
	}
	limit := daemon.TimeLeft(ctx, firstTry)
	made := make(chan *utilityWorld, 1)
	err = c.watch(limit, func() error {
		w, err := p.makeUtilityWorld(ps, limit)
		made <- w
		return err
	})
	if err != nil {
		return nil, err
	}
	return <-made, nil
}

func (p *page) makeUtilityWorld(ps *pageSession, limit time.Duration) (*utilityWorld, error) {
	w := &utilityWorld{pageSession: ps, commits: p.commits.Load()}
	given, err := p.cdp.Send("Abrowser.world", map[string]any{"target": p.target, "limit": milliseconds(limit)})
	if err != nil {
		return nil, err
	}
	answer, _ := given.(map[string]any)
	number, _ := answer["context"].(float64)
	w.context = int(number)
	ahead, _ := answer["ahead"].(float64)
	w.clockAhead = int64(ahead)
	if w.name, _ = answer["name"].(string); w.name == "" {
		return nil, errNotFast
	}
	p.utilityWorld.Store(w)
	return w, nil
}

// prepareUtilityWorld has the world made of a document that has just been loaded. It takes some
// 20 ms, in which nobody waits: what comes next mostly needs it.
func (c *call) prepareUtilityWorld(p *page) {
	p.conn.spawn(func() {
		ctx, cancel := context.WithTimeout(context.Background(), firstTry)
		defer cancel()
		if ps, err := p.attachCDP(ctx); err == nil {
			_, _ = p.makeUtilityWorld(ps, firstTry) // or else when it is needed
		}
	})
}

// query asks one of the questions.
func (w *utilityWorld) query(ctx context.Context, out any, question string, args ...any) error {
	asked, err := w.start(ctx, question, args...)
	if err != nil {
		return err
	}
	return w.finish(ctx, asked, out)
}

// start is the first half of ask.
func (w *utilityWorld) start(ctx context.Context, question string, args ...any) (cdp.Pending, error) {
	params, err := w.request(question, args)
	if err != nil {
		return cdp.Pending{}, err
	}
	return w.pageSession.send(ctx, "Runtime.evaluate", params)
}

// finish is its second half.
func (w *utilityWorld) finish(ctx context.Context, asked cdp.Pending, out any) error {
	var answer cdp.Evaluation
	err := w.await(ctx, asked, &answer)
	if err == nil {
		err = answer.Thrown()
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(answer.Result.Value, out)
}

func (w *utilityWorld) request(question string, args []any) (map[string]any, error) {
	raw, err := json.Marshal(append([]any{}, args...)) // of none a list, too
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"expression": fmt.Sprintf("%s.%s(...%s)", w.name, question, raw), "contextId": w.context, "returnByValue": true, "awaitPromise": true,
	}, nil
}

// cancel ends what a look has begun, without waiting for it.
func (w *utilityWorld) cancel(ctx context.Context) {
	params, err := w.request("stop", nil)
	if err != nil {
		return
	}
	if asked, err := w.pageSession.send(ctx, "Runtime.evaluate", params); err == nil {
		w.Forget(asked) // there is nobody to tell
	}
}
