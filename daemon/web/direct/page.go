// Package direct lets other packages use the page of a command by CDP, over the daemon's direct
// connection and without Playwright. Package web creates the values of its types, and passes them
// to these packages.
package direct

import "github.com/abrowser/abrowser/daemon"

// Page is a command and its page.
type Page struct {
	*daemon.Call
	Target string   // the page's target id
	URL    string   // of the main frame
	Frames []string // the URLs of all frames
	// Send sends a CDP command to the page, and decodes the result into out, unless out is nil. A
	// page that is busy delays those commands that its renderer handles. If the page or the
	// connection is lost, Send returns an error with the code browser_gone.
	Send func(method string, params, out any) error
	// AwaitCookies waits until the browser has the cookies that the page's scripts have set.
	AwaitCookies func()
	// Others returns the other pages of the session.
	Others func() ([]*Page, error)
	// AtOrigin opens a tab with an empty page of an origin, passes the page to the function use,
	// and closes the tab. The origin's server gets no request.
	AtOrigin func(origin string, use func(*Page) error) error
}
