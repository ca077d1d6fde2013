//go:build linux

package web_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/abrowser/abrowser/daemon/daemontest/site"
	"github.com/abrowser/abrowser/sockets/verbs"
)

// Playwright's functions are not sent again for each new document of a page.
func TestFunctionsAreSentOnce(t *testing.T) {
	s, web := home.Start(t), site.Start(t)
	visit := func() {
		open(t, s, web.URL("/form"))
		do(t, s, verbs.Snapshot, verbs.SnapshotIn{})
	}
	visit()
	// The driver sends the functions. What the broker writes says less: it includes the state file,
	// which is longer the more sessions there are.
	pid := sharedDriver(t)
	before := written(t, pid)
	for range 5 {
		visit()
	}
	// The functions are 300 KB long. They are sent once, when they are registered with the browser. All
	// other messages together have 260 KB.
	const functions, others = 300_000, 260_000
	if sent := written(t, pid) - before; sent > functions+others+functions/2 {
		t.Errorf("for five documents the driver writes %d bytes", sent)
	}
}

// written returns how many bytes a process has written.
func written(t *testing.T, pid int) (n int) {
	t.Helper()
	counts, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(counts), "wchar: ")
	if _, err := fmt.Sscan(rest, &n); err != nil {
		t.Fatal(err)
	}
	return n
}
