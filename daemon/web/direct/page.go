// Package direct describes the page of a command for packages that use it by CDP, on the daemon's
// direct connection, without Playwright. Package web makes it and calls them.
package direct

import "github.com/abrowser/abrowser/daemon"

// Page is the page of a command, and the command.
type Page struct {
	*daemon.Call
	Target string   // the page's target id
	URL    string   // of the main frame
	Frames []string // the URLs of all frames
	// Send sends a CDP command to the page, and decodes the result into out, unless out is nil. A
	// page that is busy delays those commands that its renderer handles. If the page or the
	// connection is lost, Send returns an error with the code browser_gone.
	Send func(method string, params, out any) error
	// Others returns the other pages of the session.
	Others func() ([]*Page, error)
	// AtOrigin calls use with an empty page of an origin, in a tab that it opens and closes. The
	// origin's server gets no request.
	AtOrigin func(origin string, use func(*Page) error) error
}
