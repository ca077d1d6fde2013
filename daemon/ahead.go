package daemon

import (
	"context"
	"log/slog"
)

// Ahead is what a daemon has before it knows which session it is for: the connection to
// a driver that sessions share. Should that one end meanwhile, the session joins another.
type Ahead struct{ engine *engine }

// Prepare connects to the driver. Who gets the Ahead gives it to [Run] or closes it.
func Prepare(ctx context.Context, provide func(context.Context) (Driver, error), log *slog.Logger) (*Ahead, error) {
	e := newEngine(provide, log)
	if _, err := e.start(ctx); err != nil {
		return nil, err
	}
	return &Ahead{e}, nil
}

// Close ends the connection.
func (a *Ahead) Close() { a.engine.stopDriver() }

// engine is what the session starts with: what was prepared for it, or nothing yet.
func (o Options) engine(temp string, log *slog.Logger) *engine {
	if o.Ahead == nil {
		e := newEngine(o.Driver, log)
		e.temp = temp
		return e
	}
	e := o.Ahead.engine
	e.mu.Lock()
	defer e.mu.Unlock()
	e.provide, e.temp, e.stderr = o.Driver, temp, logWriter{log}
	return e
}
