package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/abrowser/abrowser/daemon"
	"github.com/abrowser/abrowser/daemon/web/cdp"
	"github.com/abrowser/abrowser/sockets/wire"
)

// utilityWorld is Playwright's isolated JavaScript world in a document of the page's main
// frame. The functions of quick.js of launcher/driver are installed there; queries call them.
type utilityWorld struct {
	*pageSession
	commits    int64        // the page's commits when the world was made
	context    int          // the id of the world's execution context
	name       string       // the name of the object that has the functions
	clockAhead atomic.Int64 // milliseconds; a lower bound of how far the page's clock is ahead of ours
}

// until returns the time at which limit will be over, in milliseconds since 1970 on the page's
// clock.
func (w *utilityWorld) until(limit time.Duration) int64 {
	return time.Now().Add(limit).UnixMilli() + w.clockAhead.Load()
}

// learnClock raises the lower bound of how far the page's clock is ahead of ours, if a response
// that has just come shows a better one. The first bound is bad if the page was busy when its world
// was made. The parameter now is the page's time in milliseconds since 1970, or 0.
func (w *utilityWorld) learnClock(now int64) {
	if ahead := now - time.Now().UnixMilli(); now > 0 && ahead > w.clockAhead.Load() {
		w.clockAhead.Store(ahead)
	}
}

// errNotFast means that the fast path cannot perform the command and has done nothing. The caller
// then uses Playwright.
var errNotFast = errors.New("not possible on the fast path")

// inUtilityWorld calls ask() with the page's utility world. If ask() returns an error that can mean
// that a new document has replaced the old one, inUtilityWorld calls ask() once more, with the
// world of the new document. ctx must have a deadline.
func (c *pageCall) inUtilityWorld(ctx context.Context, ask func(*utilityWorld) error) error {
	for again := false; ; again = true {
		w, err := c.utilityWorld(ctx)
		if err != nil {
			return err
		}
		err = ask(w)
		if again || !isDocumentGone(err) && !errors.Is(err, wire.CodeEvaluation) {
			return err
		}
		c.page.utilityWorld.CompareAndSwap(w, nil)
		if err := c.awaitDocument(ctx); err != nil {
			return err
		}
	}
}

// utilityWorld returns the page's utility world. If it is not known, utilityWorld requests it from
// the driver, which creates the world if necessary.
func (c *pageCall) utilityWorld(ctx context.Context) (*utilityWorld, error) {
	ps, err := c.page.attachCDP(ctx)
	if err != nil {
		return nil, err
	}
	if w := c.page.utilityWorld.Load(); w != nil && w.commits == c.page.commits.Load() && w.pageSession == ps {
		return w, nil
	}
	limit := daemon.TimeLeft(ctx, firstTry)
	made := make(chan *utilityWorld, 1)
	err = c.watch(limit, func() error {
		w, err := c.page.makeUtilityWorld(ps, limit)
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
	w.clockAhead.Store(int64(ahead))
	if w.name, _ = answer["name"].(string); w.name == "" {
		return nil, errNotFast
	}
	p.utilityWorld.Store(w)
	return w, nil
}

// prepareUtilityWorld makes the utility world of a document that has just been loaded, in the
// background. That takes about 20 ms, and the next command usually needs it.
func (c *pageCall) prepareUtilityWorld() {
	c.page.conn.spawn(func() {
		ctx, cancel := context.WithTimeout(context.Background(), firstTry)
		defer cancel()
		if ps, err := c.page.attachCDP(ctx); err == nil {
			_, _ = c.page.makeUtilityWorld(ps, firstTry) // if this fails, the world is made when it is needed
		}
	})
}

// query calls a function of quick.js, and stores its result in out. The parameter question is the
// name of the function.
func (w *utilityWorld) query(ctx context.Context, out any, question string, args ...any) error {
	asked, err := w.start(ctx, question, args...)
	if err != nil {
		return err
	}
	return w.finish(ctx, asked, out)
}

// start sends a query. Its result is read by finish.
func (w *utilityWorld) start(ctx context.Context, question string, args ...any) (cdp.Pending, error) {
	params, err := w.request(question, args)
	if err != nil {
		return cdp.Pending{}, err
	}
	return w.pageSession.send(ctx, "Runtime.evaluate", params)
}

// finish waits for the result of a query, and stores it in out.
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
	raw, err := json.Marshal(append([]any{}, args...)) // a JSON list even if args is empty
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"expression": fmt.Sprintf("%s.%s(...%s)", w.name, question, raw), "contextId": w.context, "returnByValue": true, "awaitPromise": true,
	}, nil
}

// cancel calls the function stop of quick.js, and does not wait for the response. The function stop
// removes the event listeners that the function look has added to watch for a click.
func (w *utilityWorld) cancel(ctx context.Context) {
	params, err := w.request("stop", nil)
	if err != nil {
		return
	}
	if asked, err := w.pageSession.send(ctx, "Runtime.evaluate", params); err == nil {
		w.Forget(asked) // the response does not matter
	}
}
