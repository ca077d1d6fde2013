//go:build linux

// Package recovery_test checks that sessions survive damaged or removed files, and that idle
// sessions and browsers end. A session's commands run in its daemon process. A broker process
// connects all daemons to one Chromium. A keeper process starts the browser and restarts a broker
// that has died. When a session has ended and its tabs stay open, these tabs are called released.
package recovery_test

import (
	"os"
	"testing"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
)

func TestMain(m *testing.M) { os.Exit(e2e.Main(m)) }
