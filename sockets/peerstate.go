package sockets

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/abrowser/abrowser/sockets/home"
)

// PeerState describes a process that listens but does not respond.
type PeerState struct {
	PID     int    // 0 if the system does not report it
	Reason  string // a description for people
	Stopped bool   // a signal has stopped the process, which cannot respond before SIGCONT
}

// InspectPeer describes the process that listens at the endpoint. It connects to the socket
// but sends no request.
func InspectPeer(ctx context.Context, e home.Endpoint) PeerState {
	pid := listenerPID(ctx, e)
	if pid != 0 && IsStopped(pid) {
		return PeerState{pid, "the session's daemon is stopped by a signal", true}
	}
	return PeerState{pid, "the session's daemon does not answer", false}
}

// listenerPID returns the pid of the process that listens at the endpoint, or 0 if it cannot
// be found.
func listenerPID(ctx context.Context, e home.Endpoint) int {
	conn, err := Dial(ctx, e)
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

// IsStopped reports whether a signal has stopped the process. It reports false on systems
// without /proc.
func IsStopped(pid int) bool {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, ok := strings.Cut(string(raw), ") ")
	return err == nil && ok && strings.HasPrefix(state, "T")
}
