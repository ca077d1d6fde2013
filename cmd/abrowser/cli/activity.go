package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/abrowser/abrowser/client"
	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

// sessionLog tells what a session was asked for, from its daemon's log, which stays
// after the session.
func (a *app) sessionLog(_ context.Context, l line) (any, error) {
	session := a.session
	if name := l.text("name"); name != "" {
		session = name
	}
	place, err := a.root.Session(session)
	if err != nil {
		return nil, err
	}
	raw, err := os.ReadFile(place.Log)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, wire.Errorf(wire.CodeNotFound, "No session: %s", session).WithHint("abrowser session list")
	}
	if err != nil {
		return nil, wire.Errorf(wire.CodePermission, "reading the log: %v", plainPathError(err))
	}
	out := &verbs.SessionLogOut{Session: session, Commands: activity(raw)}
	if last, ok := l.in["last"].(int); ok && last > 0 {
		out.Commands = out.Commands[max(0, len(out.Commands)-last):]
	}
	return out, nil
}

// activity picks the commands out of a daemon's log.
func activity(log []byte) []verbs.Activity {
	all := []verbs.Activity{}
	for line := range bytes.Lines(log) {
		var entry struct {
			verbs.Activity
			Msg string `json:"msg"`
		}
		if json.Unmarshal(line, &entry) == nil && entry.Msg == "served" && entry.Verb != "" {
			all = append(all, entry.Activity)
		}
	}
	return all
}

const (
	manySessions = 5 // that live at once without a warning
	countTime    = 300 * time.Millisecond
)

// warnOfMany warns the command that starts a session of those that live beside it.
func (a *app) warnOfMany(ctx context.Context) {
	limit, given := a.layers.who["sessionWarn"].(int)
	if !given {
		limit = manySessions
	}
	places, err := a.root.Sessions()
	if err != nil || limit == 0 || len(places) <= limit {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, countTime)
	defer cancel()
	var live atomic.Int64
	var wg sync.WaitGroup
	for _, place := range places {
		wg.Go(func() {
			if _, err := (&client.Client{Endpoint: place}).Hello(ctx); !errors.Is(err, wire.CodeNotRunning) {
				live.Add(1)
			}
		})
	}
	wg.Wait()
	if n := int(live.Load()); n > limit {
		a.printer.warn(fmt.Sprintf("%d sessions are live, more than %d (ABROWSER_SESSION_WARN); abrowser session list shows them, abrowser close ends one", n, limit))
	}
}
