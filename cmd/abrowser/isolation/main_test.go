//go:build linux

// Package isolation_test checks that tasks that share one Chromium do not affect each other. Each
// task works in a session of its own, through a daemon process. A broker process gives each
// session a CDP endpoint that shows only the session's pages.
package isolation_test

import (
	"os"
	"testing"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
)

func TestMain(m *testing.M) { os.Exit(e2e.Main(m)) }
