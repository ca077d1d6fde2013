package patches

import (
	"encoding/json"
	"time"
)

// target is a page or a service worker of the browser.
type target struct {
	targetInfo
	raw     rawInfo
	owner   *tenant
	tab     *Tab   // the record of an owned page; nil for other targets
	session string // the Mux's own CDP session on the target; empty if the Mux is not attached
	// handedOff is the CDP session for which the target is paused, if the Mux has handed
	// that session off to a client (see [Mux.handOff]). resumeCall is the client's
	// unanswered Runtime.runIfWaitingForDebugger on the session.
	handedOff  *session
	resumeCall *pendingCall
	paused     bool // the target does not run until [Mux.resume] resumes it
	dialogs    dialogs
	captures   captures
	view       *view // [Mux.StartView] has started it; may be nil
	awake      bool  // [Mux.wake] has turned on focus emulation and the screencast
	// lastCreate is the newest message id at the time when the target appeared. A call with a
	// greater id cannot have created the target.
	lastCreate int64
	// waiting has the CDP sessions of the owner's clients on which Runtime.runIfWaitingForDebugger
	// has to be sent before the target resumes.
	waiting   map[string]bool
	attaching int // number of unanswered attachToTarget calls for the owner's clients
	// whenAnnounced has functions to call as soon as the field attaching is 0. At that time the
	// owner's clients have got the attachedToTarget event.
	whenAnnounced []func()
}

type sessionParam struct {
	SessionID string `json:"sessionId"`
}

type targetParam struct {
	TargetID string `json:"targetId"`
}

// rawInfo is a TargetInfo as Chromium wrote it, including members that this package does not use.
type rawInfo struct{ json.RawMessage }

type targetInfo struct {
	TargetID  string `json:"targetId"`
	Type      string `json:"type"`
	Title     string `json:"title"`
	URL       string `json:"url"`
	OpenerID  string `json:"openerId"`
	ContextID string `json:"browserContextId"`
}

// parse decodes the members that this package uses.
func (r rawInfo) parse() targetInfo {
	var info targetInfo
	// If the text is not a TargetInfo, the result is a target without an id.
	_ = json.Unmarshal(r.RawMessage, &info)
	return info
}

type attachedParams struct {
	SessionID string  `json:"sessionId"`
	Info      rawInfo `json:"targetInfo"`
	Waiting   bool    `json:"waitingForDebugger"`
}

type infoParams struct {
	Info rawInfo `json:"targetInfo"`
}

// updateTarget updates the record of the target that info describes, or creates the record, and
// returns it.
func (m *Mux) updateTarget(info rawInfo) *target {
	now := info.parse()
	t := m.targets[now.TargetID]
	if t == nil {
		t = &target{lastCreate: m.lastID}
		m.targets[now.TargetID] = t
	}
	if m.OnActivity != nil && now.Type == "page" && now.URL != t.URL {
		m.OnActivity()
	}
	t.targetInfo, t.raw = now, info
	return t
}

// newPageTime is how long a page counts as new. Playwright sets up a new page in less time.
const newPageTime = 10 * time.Second

// isNew reports whether a page was created less than newPageTime ago and has not navigated.
func (t *target) isNew(now time.Time) bool {
	return (t.URL == "" || t.URL == "about:blank") && now.Sub(t.tab.Opened) < newPageTime
}

// now returns the present time, rounded down to the precision of the saved state.
func (m *Mux) now() time.Time { return m.Clock().UTC().Truncate(time.Millisecond) }

// HasTarget reports whether a target belongs to the named tenant.
func (m *Mux) HasTarget(name, target string) bool {
	t := m.targets[target]
	return t != nil && t.owner != nil && t.owner.Name == name
}
