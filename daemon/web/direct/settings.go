package direct

import "github.com/abrowser/abrowser/daemon"

// Settings are the settings of the session that the driver applies to all its pages, and the command.
type Settings struct {
	*daemon.Call
	URL string // of the session's page
	// Change changes the settings and applies them, or does neither. It returns the error of change,
	// or an error for a route or a script that the driver refuses.
	Change func(change func(*daemon.State) error) error
}
