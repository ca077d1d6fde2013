package wire

// Kinds of a [Record], and of the policy that decides about it.
const (
	KindDialog       = "dialog"
	KindPermission   = "permission"
	KindNotification = "notification"
	KindFilePicker   = "file-picker"
)

// Record is what a page asked for and a policy of the session decided.
type Record struct {
	Kind    string `json:"kind"`
	Name    string `json:"name"` // confirm, geolocation, showOpenFilePicker
	Message string `json:"message"`
	Origin  string `json:"origin,omitzero"`
	Handled string `json:"handled"` // accepted, dismissed, allowed, denied, or asked: a person is
	// Unhandled is for what no policy was set for, and was handled so that nothing hangs.
	Unhandled bool   `json:"raised,omitzero"`
	Hint      string `json:"hint,omitzero"` // the command that sets the policy
}

// Record adds what a policy decided to the reply.
func (c *Call) Record(all ...Record) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.records = append(c.records, all...)
}

// Records returns the records so far.
func (c *Call) Records() []Record {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Record(nil), c.records...)
}

// AnyUnhandled reports whether one of the records was raised.
func AnyUnhandled(all []Record) bool {
	for _, r := range all {
		if r.Unhandled {
			return true
		}
	}
	return false
}
