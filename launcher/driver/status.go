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

// Status is the state of a shared driver.
type Status struct {
	Name     string `json:"-"`
	PID      int    `json:"pid"`
	Sessions int    `json:"sessions"`
	Limit    int    `json:"limit"`
	Err      error  `json:"-"` // why a running driver has not reported its status
}

const (
	listTimeout    = time.Second
	sessionTimeout = 250 * time.Millisecond // short, since the command status waits for it
)

// List returns the status of all running drivers. It starts no driver.
func (s *Shared) List(ctx context.Context) ([]Status, error) {
	endpoints, err := s.running()
	if err != nil {
		return nil, err
	}
	var all []Status
	for _, p := range endpoints {
		st, err := requestStatus(ctx, p, listTimeout)
		if errors.Is(err, wire.CodeNotRunning) {
			continue
		}
		st.Name, st.Err = p.Name, err
		all = append(all, st)
	}
	return all, nil
}

// Sessions returns the number of sessions that the driver serves, or -1 if the driver is of
// another build and does not report the number.
func (c *Conn) Sessions(ctx context.Context) (int, error) {
	st, err := requestStatus(ctx, c.endpoint, sessionTimeout)
	return st.Sessions, err
}

func requestStatus(ctx context.Context, p home.Endpoint, limit time.Duration) (Status, error) {
	var st Status
	conn, err := sockets.Dial(ctx, p)
	if err != nil {
		return st, err
	}
	defer conn.Close() // only read from
	if st.PID, err = sockets.PeerPID(conn); err != nil {
		return st, err
	}
	if err := conn.SetDeadline(time.Now().Add(limit)); err != nil {
		return st, err
	}
	exited := wire.Errorf(wire.CodeNotRunning, "%s has just exited", p.Name)
	if _, err := io.WriteString(conn, "status\n"); err != nil {
		return st, exited
	}
	const maxReply = 4 << 10
	raw, err := io.ReadAll(io.LimitReader(conn, maxReply))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return st, wire.Errorf(wire.CodeWedged, "%s (pid %d) does not answer; it is suspended, or the machine is very busy", p.Name, st.PID)
	case err != nil || len(raw) == 0:
		return st, exited
	}
	if json.Unmarshal(raw, &st) != nil { // a driver of another build may not support this request
		st.Sessions = -1
	}
	return st, nil
}
