package wire

import "slices"

// The kinds of requests in a [Record]. Each kind has a policy, which decides its requests.
const (
	KindDialog       = "dialog"
	KindPermission   = "permission"
	KindNotification = "notification"
	KindFilePicker   = "file-picker"
)

// KindFileChooser is the kind of a question for a person about a file chooser that a page has opened by
// a file field. No policy decides it, and the page does not wait for it.
const KindFileChooser = "file-chooser"

// Record is a request of a page, such as a dialog, and the decision of the session's policy.
type Record struct {
	Kind    string `json:"kind"`
	Name    string `json:"name"` // such as confirm, geolocation or showOpenFilePicker
	Message string `json:"message"`
	Origin  string `json:"origin,omitzero"`
	Handled string `json:"handled"` // accepted, dismissed, allowed, denied, or asked (a person decides)
	// Unhandled reports that the caller has set nothing that decides the request. Either the
	// policy is raise, which is the default, or no file was queued for the file picker. The
	// request was answered anyway, so that the page does not wait.
	Unhandled bool   `json:"raised,omitzero"`
	Hint      string `json:"hint,omitzero"` // the command that sets the policy
}

// AnyUnhandled reports whether one of the records is unhandled.
func AnyUnhandled(all []Record) bool {
	return slices.ContainsFunc(all, func(r Record) bool { return r.Unhandled })
}
