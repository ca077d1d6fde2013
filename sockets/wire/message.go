package wire

import (
	"encoding/json"
	"errors"
	"time"
)

// Protocol is the number of the protocol. It changes when an old peer would
// misread a new one; builds that differ only in verbs share it.
const Protocol = 1

// Headers of a request and of its reply.
const (
	HeaderSession  = "Abrowser-Session"  // the session's name
	HeaderBuild    = "Abrowser-Build"    // the sender's build
	HeaderProtocol = "Abrowser-Protocol" // the sender's [Protocol]
	HeaderDeadline = "Abrowser-Deadline" // milliseconds that the caller will wait
	HeaderSettings = "Abrowser-Settings" // the [Settings] the caller asked for, as JSON
	HeaderAgent    = "Abrowser-Agent"    // who acts, where that is not the session itself
	HeaderOwner    = "Abrowser-Owner"    // the process that the session is for: with it, it ends
)

// Paths that are no verbs.
const (
	PathHello   = "/v1/hello"    // GET: a [Hello]
	PathRetire  = "/v1/retire"   // POST: end when idle; [CodeBusy] otherwise
	PathCapture = "/v1/capture"  // POST: the front tab is the caller's as long as it keeps the connection
	PathSession = "/v1/session/" // GET, upgraded to WebSocket: CDP for the session named behind it
	ParamParty  = "party"        // of its query: connections with the same one act as one client
)

// Reply is the answer to a verb. Exactly one of Data and Error is set.
type Reply struct {
	Data     json.RawMessage `json:"data,omitempty"`
	Warnings []string        `json:"warnings,omitempty"`
	Records  []Record        `json:"records,omitempty"` // what policies decided
	Error    *Error          `json:"error,omitempty"`
}

// DecodeReply reads a [Reply], member by member: what encoding/json prepares for a type
// is prepared only for the members that are there, and most replies have but Data.
func DecodeReply(raw []byte) (Reply, error) {
	var parts struct {
		Data     json.RawMessage `json:"data"`
		Warnings json.RawMessage `json:"warnings"`
		Records  json.RawMessage `json:"records"`
		Error    json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(raw, &parts); err != nil {
		return Reply{}, err
	}
	r := Reply{Data: parts.Data}
	err := errors.Join(readPart(parts.Warnings, &r.Warnings), readPart(parts.Records, &r.Records), readPart(parts.Error, &r.Error))
	return r, err
}

// readPart reads a member that may be absent.
func readPart(raw json.RawMessage, into any) error {
	if raw == nil {
		return nil
	}
	return json.Unmarshal(raw, into)
}

// Hello is what a living daemon or broker says of itself. That it answers is the
// only proof that it lives.
type Hello struct {
	Name     string    `json:"name"`     // the session's or the browser's name
	Role     string    `json:"role"`     // "daemon" or "broker"
	Build    string    `json:"build"`    // the Go build id of its executable
	Protocol int       `json:"protocol"` // its [Protocol]
	PID      int       `json:"pid"`
	Idle     bool      `json:"idle"`            // no command runs or waits
	Ending   bool      `json:"ending,omitzero"` // it takes up nothing more; another is to be started
	Since    time.Time `json:"since"`
	Settings Settings  `json:"settings"` // what it runs with
	// Connected is set where a daemon is connected to a browser, and Settings says what that
	// browser was started with.
	Connected bool `json:"connected,omitzero"`
}
