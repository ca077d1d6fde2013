//go:build linux

// Package modes_test checks the modes of a session's browser: shared by all sessions, which is the
// default; incognito, a separate context in the shared browser; persistent, the browser of another
// profile; and attached, a browser that a person has started. It also checks policies, which
// answer dialogs and the permission requests of pages.
package modes_test

import (
	"os"
	"testing"

	"github.com/abrowser/abrowser/cmd/abrowser/e2e"
)

func TestMain(m *testing.M) { os.Exit(e2e.Main(m)) }
