package sockets

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/abrowser/abrowser/sockets/home"
)

// PeerState is what can be told of a process that listens and does not answer.
type PeerState struct {
	PID    int    // 0 where the system does not tell
	Reason string // for people
	// Stopped is set when a signal stopped it: it will not answer before another
	// lets it go on.
	Stopped bool
}

// InspectPeer looks at whoever listens at the place, without a word to it.
func InspectPeer(ctx context.Context, p home.Endpoint) PeerState {
	pid := listenerAt(ctx, p)
	if pid != 0 && IsStopped(pid) {
		return PeerState{pid, "the session's daemon is stopped by a signal", true}
	}
	return PeerState{pid, "the session's daemon does not answer", false}
}

// listenerAt is the process that listens at the place, or 0.
func listenerAt(ctx context.Context, p home.Endpoint) int {
	conn, err := Dial(ctx, p)
	if err != nil {
		return 0
	}
	defer conn.Close()
	pid, err := PeerPID(conn)
	if err != nil {
		return 0
	}
	return pid
}

// IsStopped reports whether a signal stopped the process, where the system tells.
func IsStopped(pid int) bool {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, ok := strings.Cut(string(raw), ") ")
	return err == nil && ok && strings.HasPrefix(state, "T")
}
