package launcher

import (
	"encoding/json"
	"os"
	"strconv"

	"github.com/abrowser/abrowser/sockets"
	"github.com/abrowser/abrowser/sockets/wire"
)

// readyVariable tells a child the descriptor of its ready pipe.
const readyVariable = "ABROWSER_READY_FD"

// readyLine is the one line that a child writes.
type readyLine struct {
	Ready bool        `json:"ready,omitempty"`
	Error *wire.Error `json:"error,omitempty"`
}

// ReadyPipe returns the ready pipe that this process was started with, or nil when
// it was started by hand. It is called once, before anything else is opened;
// lookup is os.LookupEnv.
func ReadyPipe(lookup func(string) (string, bool)) (*os.File, error) {
	text, ok := lookup(readyVariable)
	if !ok {
		return nil, nil //nolint:nilnil // a process without a ready pipe is no error
	}
	fd, err := strconv.Atoi(text)
	if err != nil || fd < 3 {
		return nil, wire.Errorf(wire.CodeBadInput, "%s is %q and no descriptor", readyVariable, text)
	}
	// A child of ours has another file at that number.
	if err := os.Unsetenv(readyVariable); err != nil {
		return nil, err
	}
	return sockets.Inherit(fd, "ready")
}

// ReportReady tells the launcher that started this process that it serves now, or why it
// never will, and closes the pipe. It also keeps the copy of our executable that
// this process runs from being removed: see [Pin]. A nil f is for a process that was
// started by hand.
func ReportReady(f *os.File, err error) {
	if err == nil {
		Pin()
	}
	if f == nil {
		return
	}
	line := readyLine{Ready: err == nil, Error: wire.AsError(err)}
	if raw, err := json.Marshal(line); err == nil {
		_, _ = f.Write(append(raw, '\n')) // a launcher that went away needs no answer
	}
	_ = f.Close() // as above
}
