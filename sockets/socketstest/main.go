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

// childVariable is the environment variable by which [Start] passes the role to the test
// binary that it runs.
const childVariable = "SOCKETS_TEST_CHILD"

// Main implements TestMain. It runs the tests and fails if they leave goroutines running. In
// a process that [Start] has started, it calls child instead of the tests.
func Main(m *testing.M, child func(role string, args []string) int) {
	if role := os.Getenv(childVariable); role != "" {
		os.Exit(child(role, os.Args[1:]))
	}
	before := runtime.NumGoroutine()
	status := m.Run()
	if fuzzing := flag.Lookup("test.fuzz"); fuzzing != nil && fuzzing.Value.String() != "" {
		os.Exit(status) // the fuzzing engine leaves a goroutine
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
