//go:build linux

// Package faults_test checks what happens to sessions when a process is killed, stopped by a
// signal, or restarted. A session is what one task works in. Its processes are:
//
//   - the daemon, which runs the session's commands;
//   - the driver, Playwright's Node process, which daemons share unless ABROWSER_DRIVER=own;
//   - the broker, which connects the daemons of all sessions to one Chromium;
//   - the keeper, which starts the browser and the broker, and restarts them when they end or, in
//     the case of the broker, do not respond for 5 s.
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
