package handover

import (
	"os"

	"github.com/abrowser/abrowser/sockets"
)

// Files are the descriptors that a keeper hands to a broker. If the keeper dies, the broker
// hands the same descriptors to the next keeper, except Conn, which is new.
type Files struct {
	Conn     *os.File // the receiver's end of the connection, see [Open]
	In       *os.File // the browser reads from it
	Out      *os.File // the browser writes to it
	Listener *os.File // the socket at which the broker is reached
	Lease    *os.File // the lease of the browser's profile
	Errors   *os.File // the browser's stderr, which must stay open when the keeper dies
}

// List returns the files in the order in which [Inherit] expects them, for
// [os/exec.Cmd.ExtraFiles].
func (f Files) List() []*os.File {
	return []*os.File{f.Conn, f.In, f.Out, f.Listener, f.Lease, f.Errors}
}

// Inherit returns the files that this process was started with.
func Inherit() (Files, error) {
	var f Files
	for i, one := range []struct {
		file **os.File
		name string
	}{
		{&f.Conn, "connection"},
		{&f.In, "browser's input"},
		{&f.Out, "browser's output"},
		{&f.Listener, "listener"},
		{&f.Lease, "lease"},
		{&f.Errors, "browser's errors"},
	} {
		file, err := sockets.Inherit(3+i, one.name)
		if err != nil {
			return Files{}, err
		}
		*one.file = file
	}
	return f, nil
}

// Successor is a variable in the environment of a keeper. It means that a broker has started
// this keeper because the previous keeper died.
const Successor = "ABROWSER_SUCCESSOR=1"
