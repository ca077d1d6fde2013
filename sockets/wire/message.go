package wire

import (
	"encoding/json"
	"errors"
	"strconv"
	"time"
)

// protocol is what [Protocol] returns. It is a variable because a test links a program with another
// value. Nothing assigns it.
var protocol = "1" //nolint:gochecknoglobals // the linker sets only global variables

// Protocol returns the version of the protocol. It changes if an old peer would misinterpret the
// messages of a new one. Builds that differ only in their verbs have the same version.
func Protocol() int {
	version, err := strconv.Atoi(protocol)
	if err != nil {
		panic("the program was linked with a protocol that is not a number: " + protocol)
	}
	return version
}

// Headers of requests.
const (
	HeaderSession  = "Abrowser-Session"  // the session's name
	HeaderBuild    = "Abrowser-Build"    // the client's build
	HeaderProtocol = "Abrowser-Protocol" // the client's [Protocol]
	HeaderDeadline = "Abrowser-Deadline" // how long the client waits, in milliseconds
	HeaderSettings = "Abrowser-Settings" // the requested [Settings], as JSON
	HeaderAgent    = "Abrowser-Agent"    // the agent that makes the request, if it is not the session itself
	HeaderOwner    = "Abrowser-Owner"    // a process; the session ends when the process ends
)

// Paths of requests that are not verbs.
const (
	PathHello   = "/v1/hello"    // GET: returns a [Hello]
	PathRetire  = "/v1/retire"   // POST: ends an idle server; [CodeBusy] if it is not idle
	PathCapture = "/v1/capture"  // POST: locks the front tab as long as the client keeps the connection open
	PathSession = "/v1/session/" // GET, with a session's name appended: opens a WebSocket for CDP in the session
	ParamParty  = "party"        // a query parameter of PathSession: connections with the same value belong to one client
	ParamTarget = "target"       // a query parameter of PathSession: the id of a page; the connection is then only for this page
	ParamDaemon = "daemon"       // a query parameter of PathSession: the client is the session's daemon and gets [EventSocketRemoved]
)

// EventSocketRemoved is the CDP event that a broker sends to a session's daemon when the
// daemon's socket file was removed or replaced; see [ParamDaemon].
const EventSocketRemoved = "Abrowser.socketRemoved"

// Reply is the response to a verb. Either Data or Error is set.
type Reply struct {
	Data     json.RawMessage `json:"data,omitempty"`
	Warnings []string        `json:"warnings,omitempty"`
	Records  []Record        `json:"records,omitempty"` // the decisions of policies
	Error    *Error          `json:"error,omitempty"`
}

// DecodeReply decodes a [Reply]. It decodes each member separately, and only if the member is
// present. This saves time, because most replies contain only Data, and encoding/json prepares a
// decoder for each type when the type is first used.
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
	err := errors.Join(decodePart(parts.Warnings, &r.Warnings), decodePart(parts.Records, &r.Records), decodePart(parts.Error, &r.Error))
	return r, err
}

// decodePart decodes a member that may be absent.
func decodePart(raw json.RawMessage, into any) error {
	if raw == nil {
		return nil
	}
	return json.Unmarshal(raw, into)
}

// Hello is the response to hello ([PathHello]): it describes a running daemon or broker. Only
// this response proves that the daemon or broker is alive.
type Hello struct {
	Name     string `json:"name"`     // of the session or browser
	Role     string `json:"role"`     // [RoleDaemon] or [RoleBroker]
	Build    string `json:"build"`    // the Go build id of the executable
	Protocol int    `json:"protocol"` // the [Protocol] of the server
	PID      int    `json:"pid"`
	Idle     bool   `json:"idle"` // no verb runs or waits
	// Ending means that the server accepts no more verbs. The client should start another server.
	Ending   bool      `json:"ending,omitzero"`
	Since    time.Time `json:"since"`
	Settings Settings  `json:"settings"` // the settings with which the server runs
	// Connected reports whether a daemon is connected to a browser. Settings then includes
	// the settings with which that browser was started.
	Connected bool `json:"connected,omitzero"`
}

// The roles of servers.
const (
	RoleDaemon = "daemon" // serves one session
	RoleBroker = "broker" // serves all sessions of a browser
)
