package direct

import "github.com/abrowser/abrowser/daemon"

// Driver gives a command access to Playwright's driver, which records and changes things for all
// pages of the session. The driver responds even if a page is busy.
type Driver struct {
	*daemon.Call
	// Ask calls a method of launcher/driver, and decodes the response into out. If the session has
	// no page, Ask does not change out.
	Ask func(method string, params map[string]any, out any) error
}
