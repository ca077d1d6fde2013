package direct

import "github.com/abrowser/abrowser/daemon"

// Settings is a command and the settings of its session that the driver applies to all pages of the
// session.
type Settings struct {
	*daemon.Call
	URL string // of the session's page
	// Change changes the settings and applies them, or does neither. It returns the error of the
	// function change, or an error for a route or a script that the driver refuses.
	Change func(change func(*daemon.State) error) error
}
