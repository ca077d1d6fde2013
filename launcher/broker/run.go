package broker

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"github.com/abrowser/abrowser/launcher/handover"
	"github.com/abrowser/abrowser/patches"
	"github.com/abrowser/abrowser/sockets/wire"
)

const tickEvery = time.Second

// run is the mux's goroutine. No other goroutine uses the mux or the broker's state.
func (b *broker) run(ctx context.Context, messages <-chan []byte) {
	tick := time.NewTicker(tickEvery)
	defer tick.Stop()
	heartbeats := make(chan struct{}, 1)
	defer close(heartbeats)
	// Heartbeats are sent on another goroutine, so that a keeper that does not read them does not
	// delay clients.
	go func() {
		for range heartbeats {
			b.tellKeeper(handover.Message{Heartbeat: true})
		}
	}()
	due := time.NewTimer(time.Hour)
	defer due.Stop()
	for {
		if at, ok := b.mux.Next(); ok {
			due.Reset(time.Until(at))
		}
		select {
		case msg := <-messages:
			b.mux.FromBrowser(msg)
		case f := <-b.inbox:
			f()
		case <-due.C:
			b.mux.Tick()
		case <-tick.C:
			if b.serving {
				b.checkIdle()
				b.tick()
				b.matchFilters()
				b.endViews()
			}
			if b.unsaved {
				b.save()
			}
			select {
			case heartbeats <- struct{}{}:
			default: // the keeper does not read
			}
		case <-ctx.Done():
			b.mux.Close("the browser is gone")
			return
		}
	}
}

// tellKeeper sends the keeper a message. If the keeper has died, handleKeeper replaces it.
func (b *broker) tellKeeper(m handover.Message) {
	if err := b.keeper.Send(m); err != nil {
		b.log.Debug("sending to the keeper", "error", err)
	}
}

func errGone() error { return wire.Errorf(wire.CodeBrowserGone, "the browser is gone") }

// do runs f on the mux's goroutine and waits until f has returned.
func (b *broker) do(ctx context.Context, f func()) error {
	done := make(chan struct{})
	select {
	case b.inbox <- func() { defer close(done); f() }:
	case <-b.done:
		return errGone()
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-done:
		return nil
	case <-b.done:
		return errGone()
	}
}

// await runs f on the mux's goroutine and returns the value that is passed to done. f may call done
// itself, or may return before that and leave the call of done to a later callback.
func await[T any](ctx context.Context, b *broker, f func(done func(T))) (T, error) {
	var none T
	got := make(chan T, 1)
	if err := b.do(ctx, func() { f(func(v T) { got <- v }) }); err != nil {
		return none, err
	}
	select {
	case v := <-got:
		return v, nil
	case <-b.done:
		return none, errGone()
	case <-ctx.Done():
		return none, wire.Errorf(wire.CodeTimeout, "the browser did not answer in time")
	}
}

// call sends the browser one of the broker's own commands on a CDP session, and decodes the
// result, unless result is nil.
func (b *broker) call(ctx context.Context, session, method string, params, result any) error {
	type reply struct {
		raw json.RawMessage
		err error
	}
	r, err := await(ctx, b, func(done func(reply)) {
		b.mux.Call(method, params, session, func(raw json.RawMessage, err error) { done(reply{raw, err}) })
	})
	if err = cmp.Or(err, r.err); err != nil || result == nil {
		return err
	}
	return json.Unmarshal(r.raw, result)
}

// callRoot sends the browser one of the broker's own commands without a CDP session id, and
// decodes the result, unless result is nil.
func (b *broker) callRoot(ctx context.Context, method string, params, result any) error {
	return b.call(ctx, "", method, params, result)
}

// The methods below implement [patches.Transport].

func (b *broker) ToBrowser(msg []byte) {
	if !b.toBrowser.Put(msg) {
		b.log.Error("the browser does not read and is given up")
		b.toBrowser.Close()
	}
}

func (b *broker) ToClient(id patches.ClientID, msg []byte) {
	b.jar.Touch()
	c := b.clients[id]
	if c == nil {
		return
	}
	c.send(msg)
	if c.q.Waiting() > highWater {
		b.limitUnread(unreadLimit)
	}
}

func (b *broker) Cut(id patches.ClientID, why string) {
	if c := b.clients[id]; c != nil {
		c.end(why)
	}
}

func (b *broker) Save(s patches.State) {
	b.addStateEvents(s)
	err := b.state.Save(s, b.pool.State)
	if err != nil && !b.unsaved {
		b.log.Error("writing the state file", "error", err)
	}
	b.unsaved = err != nil
}

func (b *broker) Deliver(file string, to []patches.Delivery, done func(where []string)) {
	b.downloads.Deliver(file, to, func(paths []string) {
		select {
		case b.inbox <- func() { done(paths) }:
		case <-b.done:
		}
	})
}

func (b *broker) Discard(name string) { b.downloads.Discard(name) }

// save writes the state file.
func (b *broker) save() { b.Save(b.mux.State()) }
