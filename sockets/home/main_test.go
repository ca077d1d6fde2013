package home

import (
	"fmt"
	"os"
	"testing"

	"github.com/abrowser/abrowser/sockets/socketstest"
	"github.com/abrowser/abrowser/sockets/wire"
)

func TestMain(m *testing.M) { socketstest.Main(m, child) }

// child is the main function of the processes that tests start. It runs a role and prints the
// result as the first line of output.
func child(role string, args []string) int {
	var err error
	switch role {
	case "make":
		err = Root{Dir: args[0]}.Make()
	case "make-on-read-only":
		if err = mountReadOnly(args[0]); err == nil {
			err = Root{Dir: args[0] + "/root"}.Make()
		}
	}
	if err == nil {
		fmt.Println("ok")
	} else {
		fmt.Println(wire.AsError(err).Code, err)
	}
	return 0
}

// newRoot makes a root directory with a short path, so that the socket path of even the longest
// session name is within the system's limit.
func newRoot(t *testing.T) Root {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "ab")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	r := Root{Dir: dir}
	if err := r.Make(); err != nil {
		t.Fatal(err)
	}
	return r
}
