package launcher

import (
	"encoding/json"
	"os"
	"strconv"

	"github.com/abrowser/abrowser/launcher/bincache"
	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/wire"
)

// readyVariable is the environment variable with the descriptor of a child's ready pipe.
const readyVariable = "ABROWSER_READY_FD"

// readyMessage is the one line that a child writes to its ready pipe.
type readyMessage struct {
	Ready bool        `json:"ready,omitempty"`
	Error *wire.Error `json:"error,omitempty"`
}

// ReadyPipe returns the ready pipe that this process inherited from a launcher, or nil if
// the process was started by hand. Call it once, before the process opens any file. The
// parameter lookup is os.LookupEnv.
func ReadyPipe(lookup func(string) (string, bool)) (*os.File, error) {
	text, ok := lookup(readyVariable)
	if !ok {
		return nil, nil //nolint:nilnil // a process without a ready pipe is no error
	}
	fd, err := strconv.Atoi(text)
	if err != nil || fd < 3 {
		return nil, wire.Errorf(wire.CodeBadInput, "%s is not a file descriptor: %q", readyVariable, text)
	}
	// Our own children must not inherit the variable, because the descriptor with that number is a
	// different file in a child.
	if err := os.Unsetenv(readyVariable); err != nil {
		return nil, err
	}
	return sockets.Inherit(fd, "ready")
}

// ReportReady reports to the launcher that this process serves or, if err is not nil, why it
// cannot serve. Then it closes the pipe. If pipe is nil, as in a process that was started by
// hand, nothing is reported. If err is nil, ReportReady also calls [bincache.Pin], which protects
// the copy of our executable that this process runs.
func ReportReady(pipe *os.File, err error) {
	if err == nil {
		bincache.Pin()
	}
	if pipe == nil {
		return
	}
	message := readyMessage{Ready: err == nil, Error: wire.AsError(err)}
	if raw, err := json.Marshal(message); err == nil {
		_, _ = pipe.Write(append(raw, '\n')) // the launcher may have exited
	}
	_ = pipe.Close() // the launcher has the message, or has exited
}
