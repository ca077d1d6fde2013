package daemon

import (
	"errors"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	// HintSnapshot is the command that shows what a page is now.
	HintSnapshot = "abrowser snapshot"
	// HintTabs is the command that shows which tabs there are.
	HintTabs = "abrowser tab list"
)

// ConnectionLostError returns the error of a command whose connection was lost.
func ConnectionLostError() error {
	return wire.Errorf(wire.CodeBrowserGone, "the connection to the browser was lost").WithHint("abrowser browser status")
}

// PageCrashedError returns the error of a command whose page has crashed.
func PageCrashedError() error {
	return wire.Errorf(wire.CodePageCrashed, "the page crashed").WithHint("abrowser open")
}

// TabClosedError returns the error of a command that is for a tab that was closed. If the
// session has others, the hint lists them.
func TabClosedError(tab verbs.Tab, others bool) error {
	err := wire.Errorf(wire.CodePageClosed, "the session's page %s is closed; it was at %s", tab.TabID, tab.URL).
		With("tabId", tab.TabID).With("url", tab.URL)
	if others {
		return err.WithHint(HintTabs)
	}
	return err.WithHint("abrowser open %s", tab.URL)
}

func isNotRunning(err error) bool { return errors.Is(err, wire.CodeNotRunning) }
