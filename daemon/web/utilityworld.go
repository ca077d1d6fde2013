package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/abrowser/abrowser/daemon/web/cdp"
	"github.com/abrowser/abrowser/sockets/wire"
)

// world is where a page answers the questions of quick.js of launcher/driver:
// Playwright's own world in a document of its main frame.
type world struct {
	*channel
	commits int64 // of the page, when it was made
	context int
	name    string // of the object whose members the questions are
	ahead   int64  // milliseconds by which the page's clock is ahead of ours, at least
}

// until is the end of some time from now, by the page's clock.
func (w *world) until(limit time.Duration) int64 { return time.Now().Add(limit).UnixMilli() + w.ahead }

// errRefused is of what has to be done in Playwright's way; nothing was.
var errRefused = errors.New("the page does not answer it")

// inWorld asks in the page's world, once more where the page turns out to have another
// document. ctx has a deadline.
func (t *turn) inWorld(ctx context.Context, p *page, ask func(*world) error) error {
	for again := false; ; again = true {
		w, err := t.world(ctx, p)
		if err != nil {
			return err
		}
		err = ask(w)
		if again || !isMoved(err) && !errors.Is(err, wire.CodeEvaluation) {
			return err
		}
		p.world.CompareAndSwap(w, nil)
		if err := t.awaitDocument(ctx, p); err != nil {
			return err
		}
	}
}

// world has the driver make it where it is not known.
func (t *turn) world(ctx context.Context, p *page) (*world, error) {
	c, err := p.channel(ctx)
	if err != nil {
		return nil, err
	}
	if w := p.world.Load(); w != nil && w.commits == p.commits.Load() && w.channel == c {
		return w, nil
	}
	limit := slice(ctx, firstTry)
	made := make(chan *world, 1)
	err = t.watch(limit, func() error {
		w, err := p.makeWorld(c, limit)
		made <- w
		return err
	})
	if err != nil {
		return nil, err
	}
	return <-made, nil
}

func (p *page) makeWorld(c *channel, limit time.Duration) (*world, error) {
	w := &world{channel: c, commits: p.commits.Load()}
	given, err := p.cdp.Send("Abrowser.world", map[string]any{"target": p.target, "limit": milliseconds(limit)})
	if err != nil {
		return nil, err
	}
	answer, _ := given.(map[string]any)
	number, _ := answer["context"].(float64)
	w.context = int(number)
	ahead, _ := answer["ahead"].(float64)
	w.ahead = int64(ahead)
	if w.name, _ = answer["name"].(string); w.name == "" {
		return nil, errRefused
	}
	p.world.Store(w)
	return w, nil
}

// prepare has the world made of a document that has just been loaded. It takes some
// 20 ms, in which nobody waits: what comes next mostly needs it.
func (t *turn) prepare(p *page) {
	p.link.hand(func() {
		ctx, cancel := context.WithTimeout(context.Background(), firstTry)
		defer cancel()
		if c, err := p.channel(ctx); err == nil {
			_, _ = p.makeWorld(c, firstTry) // or else when it is needed
		}
	})
}

// ask asks one of the questions.
func (w *world) ask(ctx context.Context, out any, question string, args ...any) error {
	asked, err := w.begin(ctx, question, args...)
	if err != nil {
		return err
	}
	return w.finish(ctx, asked, out)
}

// begin is the first half of ask.
func (w *world) begin(ctx context.Context, question string, args ...any) (cdp.Pending, error) {
	params, err := w.question(question, args)
	if err != nil {
		return cdp.Pending{}, err
	}
	return w.channel.ask(ctx, "Runtime.evaluate", params)
}

// finish is its second half.
func (w *world) finish(ctx context.Context, asked cdp.Pending, out any) error {
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

func (w *world) question(question string, args []any) (map[string]any, error) {
	raw, err := json.Marshal(append([]any{}, args...)) // of none a list, too
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"expression": fmt.Sprintf("%s.%s(...%s)", w.name, question, raw), "contextId": w.context, "returnByValue": true, "awaitPromise": true,
	}, nil
}

// leave ends what a look has begun, without waiting for it.
func (w *world) leave(ctx context.Context) {
	params, err := w.question("stop", nil)
	if err != nil {
		return
	}
	if asked, err := w.channel.ask(ctx, "Runtime.evaluate", params); err == nil {
		w.Forget(asked) // there is nobody to tell
	}
}
