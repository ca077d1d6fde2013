package daemon

import (
	"errors"
	"fmt"

	"github.com/abrowser/abrowser/sockets/verbs"
	"github.com/abrowser/abrowser/sockets/wire"
)

const (
	// HintSnapshot is the command that shows the present content of a page.
	HintSnapshot = "abrowser snapshot"
	// HintTabs is the command that lists the session's tabs.
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

// TabClosedError returns the error of a command whose tab was closed. The parameter others says
// whether the session has other tabs. If it has, the hint is the command that lists them.
// Otherwise the hint is the command that opens the tab's URL again.
func TabClosedError(tab verbs.Tab, others bool) *wire.Error {
	err := wire.Errorf(wire.CodePageClosed, "the session's page %s is closed; it was at %s", tab.TabID, tab.URL).
		With("tabId", tab.TabID).With("url", tab.URL)
	if others {
		return err.WithHint(HintTabs)
	}
	return err.WithHint("abrowser open %s", wire.ShellWord(tab.URL))
}

// closedAtError returns err, the error of a command whose tab was closed, with the tab and its URL. If
// err has details already, or tab is empty, it is returned as it is.
func closedAtError(err error, tab verbs.Tab) error {
	e := wire.AsError(err)
	if len(e.Details) > 0 || tab.TargetID == "" {
		return err
	}
	closed := TabClosedError(tab, false)
	closed.Message = fmt.Sprintf("%s; it was at %s", e.Message, tab.URL)
	return closed
}

// goneIfNotRunning returns the error of a request to a broker that was running a moment ago. If the
// broker has ended since, the error is [ConnectionLostError], so that [Session.connect] tries
// again.
func goneIfNotRunning(err error) error {
	if isNotRunning(err) {
		return ConnectionLostError()
	}
	return err
}

func isNotRunning(err error) bool { return errors.Is(err, wire.CodeNotRunning) }
