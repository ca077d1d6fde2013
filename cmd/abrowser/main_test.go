//go:build linux

package main_test

import (
	"flag"
	"os"
	"testing"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
)

// If one of these variables is set, the test binary runs another program instead of the tests.
const (
	envManager = "ABROWSER_E2E_MANAGER" // a task manager: see manage
	envDial    = "ABROWSER_E2E_DIAL"    // a client that runs as another user: see dialAsStranger
)

func TestMain(m *testing.M) {
	if os.Getenv(envManager) != "" {
		os.Exit(manage())
	}
	if socket := os.Getenv(envDial); socket != "" {
		os.Exit(dialAsStranger(socket))
	}
	flag.Bool("update", false, "rewrite what the transcripts and the README compare with")
	os.Exit(e2e.Main(m))
}
