package commands

import (
	"bytes"
	"cmp"
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

// sessionLog returns the commands of a session. It reads them from the daemon's log, which still
// exists after the session has ended.
func (x *run) sessionLog(_ context.Context, in verbs.SessionLogIn) (*verbs.SessionLogOut, error) {
	session := cmp.Or(in.Name, x.session)
	place, err := x.root().Session(session)
	if err != nil {
		return nil, err
	}
	raw, err := os.ReadFile(place.Log)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, wire.Errorf(wire.CodeNotFound, "No session: %s", session).WithHint("abrowser session list")
	}
	if err != nil {
		return nil, wire.Errorf(wire.CodePermission, "reading the log: %v", wire.Errno(err))
	}
	out := &verbs.SessionLogOut{Session: session, Commands: activity(raw)}
	if in.Last > 0 {
		out.Commands = out.Commands[max(0, len(out.Commands)-in.Last):]
	}
	return out, nil
}

// activity returns the commands in a daemon's log.
func activity(log []byte) []verbs.Activity {
	all := []verbs.Activity{}
	for line := range bytes.Lines(log) {
		var entry struct {
			verbs.Activity
			Msg string `json:"msg"`
		}
		if json.Unmarshal(line, &entry) == nil && entry.Msg == "served" && entry.Verb != "" && !isQuestion(entry.Verb) {
			all = append(all, entry.Activity)
		}
	}
	return all
}

// isQuestion reports whether a verb asks about the session itself and not about its page, as lists of
// sessions do again and again.
func isQuestion(verb string) bool {
	v, known := verbs.Find(verb)
	return known && v.Describe().Unqueued && v.Describe().ReadOnly
}

// countTime is the time limit for counting the live sessions.
const countTime = 300 * time.Millisecond

// warnOfMany is called when the command has started a session's daemon. It adds a warning if the
// number of live sessions is larger than SessionWarn of the caller's [config.Identity].
func (x *run) warnOfMany(ctx context.Context) {
	limit := x.identity.SessionWarn
	places, err := x.root().Sessions()
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
		x.warn(fmt.Sprintf("%d sessions are live, more than %d (ABROWSER_SESSION_WARN); abrowser session list shows them, abrowser close ends one", n, limit))
	}
}
