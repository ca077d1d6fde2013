package daemon

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"sync"
	"time"

	"github.com/abrowser/abrowser/sockets/policy"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	confirmTime = 10 * time.Minute // for a person to confirm a command
	maxHeld     = 16               // commands that wait to be confirmed
)

// obeyPolicy returns a handler that serves a command as h does, if the session's action policy allows
// the command.
func (s *Session) obeyPolicy(h Handler) Handler {
	spec := h.Verb.Describe()
	if spec.NoPolicy || spec.Hidden || s.settings.ActionPolicy == "" && len(s.settings.ConfirmActions) == 0 {
		return h
	}
	serve, inBatch := h.Serve, h.inBatch
	h.Serve = func(ctx context.Context, call *wire.Call, body []byte) (any, error) {
		if err := s.checkPolicy(h.Handler, serve, body); err != nil {
			return nil, err
		}
		return serve(ctx, call, body)
	}
	if inBatch != nil {
		h.inBatch = func(ctx context.Context, c *Call, body []byte) (any, error) {
			if err := s.checkPolicy(h.Handler, serve, body); err != nil {
				return nil, err
			}
			return inBatch(ctx, c, body)
		}
	}
	return h
}

type serving func(ctx context.Context, call *wire.Call, body []byte) (any, error)

// checkPolicy returns an error unless the action policy allows the command. If the command has to be
// confirmed, checkPolicy keeps it, and serve is called when it is confirmed.
func (s *Session) checkPolicy(h wire.Handler, serve serving, body []byte) error {
	spec := h.Verb.Describe()
	in, err := h.Verb.Decode(bytes.NewReader(body))
	if err != nil {
		return err
	}
	p, err := policy.For(s.settings)
	if err != nil {
		return err
	}
	switch p.Decide(policy.Names(spec, in)...) {
	case policy.Deny:
		return policy.DeniedError(spec)
	case policy.Confirm:
		id := s.held.add(heldCommand{spec.Name, serve, bytes.Clone(body), time.Now().Add(confirmTime)})
		return wire.Errorf(wire.CodeConfirm, "%q was not run: the action policy wants it to be confirmed", spec.Name).WithHint("abrowser confirm %s", id).
			With("confirmation_required", true).With("confirmation_id", id).With("action", spec.Name)
	default:
		return nil
	}
}

// heldCommand is a command that waits to be confirmed.
type heldCommand struct {
	name  string
	serve serving
	body  []byte
	until time.Time // when it is dropped
}

// heldCommands are the commands that wait to be confirmed.
type heldCommands struct {
	mu    sync.Mutex // guards the fields below
	all   map[string]heldCommand
	order []string // the ids, the oldest first
}

// add keeps a command and returns its id. If there are too many, the oldest one is dropped.
func (h *heldCommands) add(c heldCommand) (id string) {
	random := make([]byte, 8)
	_, _ = rand.Read(random) // never fails
	id = "c-" + hex.EncodeToString(random)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.all == nil {
		h.all = map[string]heldCommand{}
	}
	h.all[id] = c
	if h.order = append(h.order, id); len(h.order) > maxHeld {
		delete(h.all, h.order[0])
		h.order = h.order[1:]
	}
	return id
}

// take removes a command and returns it. It returns [wire.CodeNotFound] if there is none with this
// id, for example because it was taken before.
func (h *heldCommands) take(id string) (heldCommand, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c, ok := h.all[id]
	delete(h.all, id)
	for i, known := range h.order {
		if known == id {
			h.order = append(h.order[:i], h.order[i+1:]...)
			break
		}
	}
	if !ok || time.Now().After(c.until) {
		return c, wire.Errorf(wire.CodeNotFound, "no command waits to be confirmed under this id").WithHint("run the command again, and confirm the id that it prints")
	}
	return c, nil
}

// confirm runs a command that waits to be confirmed.
func (s *Session) confirm(ctx context.Context, call *wire.Call, in verbs.ConfirmIn) (verbs.ConfirmOut, error) {
	c, err := s.held.take(in.ID)
	if err != nil {
		return verbs.ConfirmOut{}, err
	}
	out, err := c.serve(ctx, call, c.body)
	return verbs.ConfirmOut{Action: c.name, Result: out}, err
}

// deny drops a command that waits to be confirmed.
func (s *Session) deny(_ context.Context, _ *wire.Call, in verbs.ConfirmIn) (verbs.DenyOut, error) {
	c, err := s.held.take(in.ID)
	return verbs.DenyOut{Denied: err == nil, Action: c.name}, err
}
