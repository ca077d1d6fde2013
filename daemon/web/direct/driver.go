package direct

import "github.com/abrowser/abrowser/daemon"

// Driver is Playwright's driver, with what it records and changes for all pages of the session, and
// the command. The driver responds even if a page is busy.
type Driver struct {
	*daemon.Call
	// Ask calls a method of launcher/driver, and decodes the response into out. If the session has
	// no page, Ask leaves out as it is.
	Ask func(method string, params map[string]any, out any) error
}
