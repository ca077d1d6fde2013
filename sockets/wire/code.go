package wire

// Code is the stable word of an error. It is an error itself, so that
// errors.Is(err, wire.CodeNotFound) decides.
type Code string

// Error returns the code's word.
func (c Code) Error() string { return string(c) }

// The codes, and what each means to a caller.
const (
	CodeInternal        Code = "internal"          // a fault of ours
	CodeBadInput        Code = "bad_input"         // refused before anything happened
	CodeTooLarge        Code = "too_large"         // the message is larger than allowed
	CodeUnknownVerb     Code = "unknown_verb"      // this server has no such verb
	CodeForbidden       Code = "forbidden"         // another user, or a web page's request
	CodeNotFound        Code = "not_found"         // no element, tab or session matches
	CodeStaleRef        Code = "stale_ref"         // the ref's element is gone or is another one now
	CodeNotActionable   Code = "not_actionable"    // there, but hidden, disabled or covered
	CodeTimeout         Code = "timeout"           // the deadline passed, nothing was done
	CodeNavigation      Code = "navigation"        // the page could not be loaded
	CodeDownload        Code = "download"          // a download failed or was cancelled
	CodeEvaluation      Code = "evaluation"        // the script threw
	CodeDialogOpen      Code = "dialog_open"       // a JavaScript dialog blocks the page
	CodePageClosed      Code = "page_closed"       // the session's page is gone
	CodePageCrashed     Code = "page_crashed"      // the page's renderer is gone
	CodeWedged          Code = "wedged"            // the page does not answer
	CodeInterrupted     Code = "interrupted"       // the caller or a signal ended it, nothing was done and nothing will be
	CodeResultUnknown   Code = "result_unknown"    // it may or may not have been done; it is not repeated
	CodeOwnership       Code = "ownership"         // the tab belongs to another agent
	CodePoolFull        Code = "pool_full"         // no agent may have another tab now
	CodeMutexBusy       Code = "mutex_busy"        // another agent has the front tab
	CodeNoBrowser       Code = "no_browser"        // none found, or it does not start
	CodeNoDriver        Code = "no_driver"         // Playwright's driver or node is missing or wrong
	CodeBrowserGone     Code = "browser_gone"      // the browser or its broker went away
	CodeBrowserRestart  Code = "browser_restarted" // the browser died under the command; its pages were opened again
	CodeInstall         Code = "install"           // fetching a part failed
	CodeIntegrity       Code = "integrity"         // a fetched part is not the pinned one
	CodeNotRunning      Code = "not_running"       // nobody listens for this session
	CodeStart           Code = "start"             // a daemon or broker did not start
	CodeHeld            Code = "held"              // another live process holds the lease
	CodeBuildDiffers    Code = "build_differs"     // the daemon is of another build and busy
	CodeSettingsDiffer  Code = "settings_differ"   // it runs with other settings than asked for
	CodePermission      Code = "permission"        // the system forbids the file or socket
	CodeUnsafeDirectory Code = "unsafe_directory"  // ours to trust, but others can write it
	CodeBusy            Code = "busy"              // cannot be done while a command runs
)

// Exit statuses of the command line. They are promised in cmd/abrowser/COMMANDS.md.
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

// ExitStatus is the exit status of a command that failed with code.
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
