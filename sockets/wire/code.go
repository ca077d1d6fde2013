package wire

// Code is the code of an error. Codes are stable, messages are not. A Code is itself an error,
// so that errors.Is(err, wire.CodeNotFound) works.
type Code string

// Error returns the code.
func (c Code) Error() string { return string(c) }

// The codes of errors.
const (
	CodeInternal        Code = "internal"              // a bug or an unexpected failure
	CodeBadInput        Code = "bad_input"             // the input is invalid, nothing was done
	CodeTooLarge        Code = "too_large"             // the message exceeds the size limit
	CodeUnknownVerb     Code = "unknown_verb"          // the server does not have the verb
	CodeForbidden       Code = "forbidden"             // the request comes from another user or a web page
	CodeNotFound        Code = "not_found"             // no element, tab or session matches
	CodeStaleRef        Code = "stale_ref"             // the element of a snapshot's ref is gone or has changed
	CodeNotActionable   Code = "not_actionable"        // the element is hidden, disabled or covered
	CodeTimeout         Code = "timeout"               // the deadline passed before the operation was completed
	CodeNavigation      Code = "navigation"            // the page could not be loaded
	CodeDownload        Code = "download"              // a download failed or was cancelled
	CodeEvaluation      Code = "evaluation"            // the script threw an exception
	CodeDialogOpen      Code = "dialog_open"           // a JavaScript dialog blocks the page
	CodePageClosed      Code = "page_closed"           // the session's page was closed
	CodePageCrashed     Code = "page_crashed"          // the page's renderer crashed
	CodeWedged          Code = "wedged"                // the page or daemon does not respond
	CodeInterrupted     Code = "interrupted"           // the client or a signal cancelled the command, nothing was done
	CodeResultUnknown   Code = "result_unknown"        // the command may or may not have been done; it is not repeated
	CodeOwnership       Code = "ownership"             // the tab belongs to another agent
	CodePoolFull        Code = "pool_full"             // the agent cannot open another tab now
	CodeMutexBusy       Code = "mutex_busy"            // another agent has the lock on the front tab
	CodeNoBrowser       Code = "no_browser"            // no browser was found, or it does not start
	CodeNoDriver        Code = "no_driver"             // Playwright's driver or Node is missing or invalid
	CodeBrowserGone     Code = "browser_gone"          // the browser or its broker has ended
	CodeBrowserRestart  Code = "browser_restarted"     // the browser crashed during the command; its pages were opened again
	CodeInstall         Code = "install"               // fetching a component, such as the driver, failed
	CodeIntegrity       Code = "integrity"             // a fetched component does not have the pinned hash
	CodeNotRunning      Code = "not_running"           // no process listens at the endpoint
	CodeStart           Code = "start"                 // a daemon or broker did not start
	CodeHeld            Code = "held"                  // another process has locked the endpoint's lock file
	CodeBuildDiffers    Code = "build_differs"         // the daemon or broker has another build or protocol
	CodeSettingsDiffer  Code = "settings_differ"       // the session or browser runs with other settings
	CodePermission      Code = "permission"            // the system denies access to a file or socket, or the disk is full
	CodeUnsafeDirectory Code = "unsafe_directory"      // another user owns the directory or can enter it, or it is a link
	CodeDenied          Code = "denied"                // the action policy or the allowed domains forbid the command, nothing was done
	CodeConfirm         Code = "confirmation_required" // the action policy wants the command to be confirmed, nothing was done
	CodeTakenOver       Code = "taken_over"            // a person uses the session's pages, nothing was done
	CodeBusy            Code = "busy"                  // not possible now, for example while a command runs
)

// The exit statuses of the command line. They are documented in cmd/abrowser/COMMANDS.md.
const (
	ExitDone        = 0
	ExitFailed      = 1
	ExitUsage       = 2
	ExitNoBrowser   = 3
	ExitTimeout     = 4
	ExitOwnership   = 5
	ExitPageClosed  = 6
	ExitInterrupted = 130
)

// ExitStatus returns the exit status of a command that failed with code.
func ExitStatus(code Code) int {
	switch code {
	case "":
		return ExitDone
	case CodeBadInput, CodeUnknownVerb, CodeTooLarge:
		return ExitUsage
	case CodeNoBrowser, CodeNoDriver, CodeInstall, CodeIntegrity:
		return ExitNoBrowser
	case CodeTimeout, CodeWedged:
		return ExitTimeout
	case CodeOwnership:
		return ExitOwnership
	case CodePageClosed, CodePageCrashed:
		return ExitPageClosed
	case CodeInterrupted:
		return ExitInterrupted
	default:
		return ExitFailed
	}
}
