package socketstest

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"testing"
	"time"
)

// childVariable makes the test binary play another process: see [Start].
const childVariable = "SOCKETS_TEST_CHILD"

// Main is what a TestMain does. It runs the tests and fails where they leave
// goroutines; in a process of [Start] it plays the role instead.
func Main(m *testing.M, child func(role string, args []string) int) {
	if role := os.Getenv(childVariable); role != "" {
		os.Exit(child(role, os.Args[1:]))
	}
	before := runtime.NumGoroutine()
	status := m.Run()
	if fuzzing := flag.Lookup("test.fuzz"); fuzzing != nil && fuzzing.Value.String() != "" {
		os.Exit(status) // the engine leaves a goroutine of its own
	}
	for end := time.Now().Add(3 * time.Second); status == 0 && runtime.NumGoroutine() > before; {
		if time.Now().After(end) {
			fmt.Fprintln(os.Stderr, "goroutines are left:")
			_ = pprof.Lookup("goroutine").WriteTo(os.Stderr, 1)
			status = 1
		}
		time.Sleep(10 * time.Millisecond)
	}
	os.Exit(status)
}
