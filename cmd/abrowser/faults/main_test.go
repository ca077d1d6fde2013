//go:build linux

// Package faults_test checks what happens to sessions when a process is killed, restarted, or
// frozen, which means stopped by SIGSTOP. Each task works in a session of its own. These processes
// serve a session:
//
//   - the daemon, which runs the session's commands;
//   - the driver, Playwright's Node process, which daemons share unless ABROWSER_DRIVER=own;
//   - the broker, which connects the daemons of all sessions to one Chromium;
//   - the keeper, which starts the browser and the broker, and restarts them when they end. It
//     also replaces a broker that does not respond for 5 s.
//
// When a session has ended and its tabs stay open, the session and these tabs are called released.
package faults_test

import (
	"os"
	"testing"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
)

func TestMain(m *testing.M) {
	chaosFlags()
	os.Exit(e2e.Main(m))
}
