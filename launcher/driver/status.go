package driver

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"time"

	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/home"
	"github.com/abrowser/abrowser/sockets/wire"
)

// Status is a shared driver as it answered, or did not.
type Status struct {
	Name     string `json:"-"`
	PID      int    `json:"pid"`
	Sessions int    `json:"sessions"`
	Limit    int    `json:"limit"`
	Err      error  `json:"-"` // it listens and does not answer
}

const (
	lookTime  = time.Second
	briefTime = 250 * time.Millisecond // where a session's status waits for it
)

// List asks the drivers that run how they are. It starts none.
func (s *Shared) List(ctx context.Context) ([]Status, error) {
	places, err := s.running()
	if err != nil {
		return nil, err
	}
	var all []Status
	for _, p := range places {
		r, err := look(ctx, p, lookTime)
		if errors.Is(err, wire.CodeNotRunning) {
			continue
		}
		r.Name, r.Err = p.Name, err
		all = append(all, r)
	}
	return all, nil
}

// Sessions is how many sessions the line's driver serves.
func (c *Conn) Sessions(ctx context.Context) (int, error) {
	r, err := look(ctx, c.place, briefTime)
	return r.Sessions, err
}

func look(ctx context.Context, p home.Endpoint, limit time.Duration) (Status, error) {
	var r Status
	conn, err := sockets.Dial(ctx, p)
	if err != nil {
		return r, err
	}
	defer conn.Close() // nothing was written that matters
	if r.PID, err = sockets.PeerPID(conn); err != nil {
		return r, err
	}
	if err := conn.SetDeadline(time.Now().Add(limit)); err != nil {
		return r, err
	}
	if _, err := io.WriteString(conn, "status\n"); err != nil {
		return r, wire.Errorf(wire.CodeNotRunning, "%s has just ended", p.Name)
	}
	const most = 4 << 10
	raw, err := io.ReadAll(io.LimitReader(conn, most))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return r, wire.Errorf(wire.CodeWedged, "%s (pid %d) does not answer; it is stopped, or the machine is very busy", p.Name, r.PID)
	case err != nil || len(raw) == 0:
		return r, wire.Errorf(wire.CodeNotRunning, "%s has just ended", p.Name)
	}
	if json.Unmarshal(raw, &r) != nil { // it is another build's, and knows no such question
		r.Sessions = -1
	}
	return r, nil
}

// Sweep removes what drivers left that were killed when nobody was connected to
// them.
func (s *Shared) Sweep() error {
	places, err := s.running()
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, p := range places {
		lease, held := sockets.TryAcquire(p.Lock)
		if errors.Is(held, wire.CodeHeld) {
			continue // it lives
		}
		if held == nil {
			held = errors.Join(s.clear(p), lease.Close())
		}
		err = errors.Join(err, held)
	}
	return err
}
